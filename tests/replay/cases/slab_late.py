# SPDX-License-Identifier: MIT
"""An object of slab whose allocation comes behind its free, and that is then
freed for the second time."""
SITE, OBJECT = 0xc1000010, 0xd0000000


def build(t):
    t.layout["slab_bytes"] = 1 << 19
    t.memory(30000)
    t.now_ns += 5000
    t.kfree(OBJECT, SITE)
    t.now_ns -= 4000
    t.kmalloc(OBJECT, SITE, 8, 8)
    t.now_ns += 4000
    t.kfree(OBJECT, SITE)
