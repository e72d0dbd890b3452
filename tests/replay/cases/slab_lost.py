# SPDX-License-Identifier: MIT
"""Objects of slab after a loss: nothing is certain, and two frees are no fault."""

SITE, OBJECT = 0xc1000010, 0xd0000000


def build(t):
    t.layout["slab_bytes"] = 1 << 19
    t.memory(30000)
    t.slabinfo([(b"dentry", 192, 1, 1)])
    t.kmalloc(OBJECT, SITE, 8, 8)
    t.lost(3)
    t.kfree(OBJECT, SITE)
    t.kfree(OBJECT, SITE)
    for i in range(3):
        t.cache_free(OBJECT + 64 + i, SITE, name=b"dentry")
    t.slabinfo([(b"dentry", 192, 1, 1)])
