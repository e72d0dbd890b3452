# SPDX-License-Identifier: MIT
"""Objects of slab of a module whose load failed: told, as are those of one that
is gone. What an interrupt allocates meanwhile is not for the loading module."""

SITE, TEXT, OBJECT = 0xc1000010, 0xf1000000, 0xd0000000
IRQ, ENOMEM = 1, 12


def build(t):
    t.layout["slab_bytes"] = 1 << 19
    t.memory(30000)
    t.comm(90, b"load")
    t.load_enter(90)
    t.module_load(90, b"fails")
    t.module_range(b"fails", TEXT, 0x4000)
    for i in range(3):
        t.kmalloc(OBJECT + i * 128, SITE, 100, 128, tid=90)
    t.kmalloc(OBJECT + 0x1000, TEXT + 0x50, 60, 64, tid=90)
    t.kmalloc(OBJECT + 0x2000, SITE, 30, 32, IRQ, tid=90)
    t.kfree(OBJECT, TEXT + 0x90)
    t.load_exit(90, -ENOMEM)
