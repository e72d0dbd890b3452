# SPDX-License-Identifier: MIT
"""A page is allocated while held: it is taken from its old owner."""


def build(t):
    t.comm(80, b"first")
    t.comm(81, b"second")
    t.alloc(80, 0x1000, 2, [0xc1000010])
    t.alloc(81, 0x1001, 0, [0xc1000020])
    t.alloc(81, 0x1002, 1, [0xc1000020])
    t.alloc(80, 0x1000, 3, [0xc1000010])
    t.free(81, 0x1000, 3)
    t.free(81, 0x1000, 0)
