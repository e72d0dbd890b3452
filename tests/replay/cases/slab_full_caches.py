# SPDX-License-Identifier: MIT
"""More lines of slabinfo than there is room for: the balance is of those that have
room. More caches with objects, and more kinds of faults, than rows."""
SITE, OBJECT = 0xc1000000, 0xd0000000


def build(t):
    t.layout["slab_bytes"] = 1 << 20
    t.memory(30000)
    t.slabinfo([(b"cache%d" % i, 64, 1, 1) for i in range(400)])
    t.slabinfo([(b"cache%d" % i, 64, 3, 2) for i in range(320)])
    for i in range(300):
        t.kmalloc(OBJECT + i * 4096, SITE, 8 + i, 8 + i)
    for i in range(50):
        t.kfree(OBJECT + i * 4096, SITE + i * 16)
        t.kfree(OBJECT + i * 4096, SITE + i * 16)
