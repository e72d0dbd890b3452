# SPDX-License-Identifier: MIT
"""No room for objects of slab, nor for their sites: what is freed later may be
one of these, so how many came from bulk is not known."""
SITE, OBJECT = 0xc1000000, 0xd0000000


def build(t):
    t.layout["slab_bytes"] = 1 << 17
    t.memory(30000)
    t.slabinfo([(b"dentry", 64, 1, 1)])
    for i in range(1500):
        t.kmalloc(OBJECT + i * 64, SITE + i % 200 * 16, 64, 64)
    for i in range(9):
        t.cache_free(OBJECT + 0x1000000 + i * 64, SITE, name=b"dentry")
