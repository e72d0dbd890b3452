# SPDX-License-Identifier: MIT
"""Objects of slab that were freed without an event, and whose memory another
cache handed out without one: no fault, and the free is not theirs. kmalloc's
objects freed as such by a function of kmem_cache, and the other way round, are
a fault."""

SITE, OTHER, OBJECT = 0xc1000010, 0xc1000020, 0xd0000000


def build(t):
    t.layout["slab_bytes"] = 1 << 19
    t.memory(30000)
    t.slabinfo([(b"dentry", 192, 1, 1), (b"a", 256, 5, 1),
                (b"kmalloc-64", 64, 100, 2)])
    t.kmalloc(OBJECT, SITE, 60, 64)
    t.cache_free(OBJECT, OTHER, name=b"dentry")
    t.cache_free(OBJECT, OTHER, name=b"dentry")
    t.kmalloc(OBJECT + 0x100, SITE, 60, 64)
    t.cache_free(OBJECT + 0x100, OTHER, name=b"not in slabinfo")
    t.kfree(OBJECT + 0x100, OTHER)
    t.kmalloc(OBJECT + 0x200, SITE, 60, 64)
    t.cache_free(OBJECT + 0x200, OTHER, name=b"kmalloc-64")
    t.kmalloc(OBJECT + 0x300, SITE, 60, 64)
    t.cache_free(OBJECT + 0x300, OTHER, name=b"dma-kmalloc-64")
    t.cache_alloc(OBJECT + 0x1000, SITE, 190, 192)
    t.kfree(OBJECT + 0x1000, OTHER)
    t.cache_alloc(OBJECT + 0x1100, SITE, 190, 192)
    t.cache_free(OBJECT + 0x1100, OTHER, name=b"dentry")
    t.cache_alloc(OBJECT + 0x1200, SITE, 190, 192)
    t.cache_free(OBJECT + 0x1200, OTHER, name=b"a")
    t.cache_alloc(OBJECT + 0x1300, SITE, 190, 192)
    t.cache_free(OBJECT + 0x1300, OTHER, name=b"not in slabinfo")
    for name in (b"dentry", b"a", b""):
        t.cache_alloc(OBJECT + 0x1400, SITE, 190, 192, cache=b"dentry")
        t.cache_free(OBJECT + 0x1400, OTHER, cpu=1, name=name)
    t.cache_alloc(OBJECT + 0x1500, SITE, 250, 256, cache=b"a")
    t.cache_free(OBJECT + 0x1500, OTHER, name=b"dentry")
    t.now_ns += 500
    t.cache_alloc(OBJECT + 0x1500, SITE, 250, 256, cache=b"a")
    t.slabinfo([(b"dentry", 192, 1, 1), (b"a", 256, 5, 1),
                (b"kmalloc-64", 64, 100, 2)])
