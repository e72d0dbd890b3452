# SPDX-License-Identifier: MIT
"""A huge page is 512 pages: freed singly and in halves, and not all of them."""


def build(t):
    t.comm(90, b"huge")
    t.comm(91, b"splitter")
    t.alloc(90, 0x1000, 9, [0xc1000010, 0xc1000020])
    for i in range(512):
        t.free(91, 0x1000 + i)
    t.alloc(90, 0x1200, 9)
    t.free(91, 0x1200, 8)
    t.alloc(91, 0x1200, 0)
    for i in range(0, 256, 2):
        t.free(90, 0x1300 + i)
