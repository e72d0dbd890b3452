# SPDX-License-Identifier: MIT
"""Interrupts are charged to (irq), and not to the module that is being loaded.
"""


def build(t):
    t.comm(120, b"victim")
    t.alloc(120, 0x1000, flags=1)
    t.load_enter(120)
    t.alloc(120, 0x1001, chain=[0xc1000010], flags=1)
    t.module_load(120, b"e1000")
    t.module_range(b"e1000", 0xd0000000, 0x2000)
    t.alloc(0, 0x1002, 1, [0xc1000010, 0xd0000040], flags=1)
    t.alloc(120, 0x1004, chain=[0xc1000010])
    t.load_exit(120)
    t.free(0, 0x1002, 1, flags=1)
