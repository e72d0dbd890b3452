# SPDX-License-Identifier: MIT
"""A slab cache is destroyed, and made again with larger objects: these have its
name."""

SITE, OBJECT = 0xc1000010, 0xd0000000


def build(t):
    t.layout["slab_bytes"] = 1 << 19
    t.memory(30000)
    t.slabinfo([(b"dentry", 192, 1, 1), (b"again", 64, 5, 1)])
    t.cache_alloc(OBJECT, SITE, 60, 64)
    t.cache_free(OBJECT, SITE, name=b"again")
    t.slabinfo([(b"dentry", 192, 1, 1)])
    t.slabinfo([(b"dentry", 192, 1, 1), (b"again", 96, 1, 1)])
    t.cache_alloc(OBJECT, SITE, 90, 96)
    t.cache_free(OBJECT, SITE, name=b"again")
    t.cache_alloc(OBJECT, SITE, 90, 96)
