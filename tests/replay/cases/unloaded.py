# SPDX-License-Identifier: MIT
"""A module that is gone and still holds pages; it is loaded again as another.
"""


def build(t):
    t.comm(140, b"modprobe")
    for round in range(2):
        base = 0xd0000000 + round * 0x10000
        t.load_enter(140)
        t.module_load(140, b"leaky")
        t.module_range(b"leaky", base, 0x4000)
        t.load_exit(140)
        t.alloc(140, 0x1000 + round * 16, 3 + round, [0xc1000010, base + 64])
        t.free(140, 0x1000 + round * 16, 1)
        t.module_free(140, b"leaky")
    t.module_free(140, b"never there")
    t.alloc(140, 0x2000, 0, [0xc1000010, 0xd0000040])
