# SPDX-License-Identifier: MIT
"""Records lost by a ring are counted; lost frees show as missed frees."""


def build(t):
    t.fork(60, 1)
    t.comm(60, b"busy")
    for i in range(10):
        t.alloc(60, 0x1000 + i, chain=[0xc1000010])
    t.lost(700)
    for i in range(6):
        t.alloc(60, 0x1004 + i, chain=[0xc1000020])
    t.lost(2**64 - 100)
    t.free(60, 0x1000, 3)
