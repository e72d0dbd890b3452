# SPDX-License-Identifier: MIT
"""As many slab caches as there is room for. Each free of one of them is that
cache's, and one of another name is nobody's."""
SITE, OBJECT, CACHES = 0xc1000010, 0xd0000000, 320


def build(t):
    t.layout["slab_bytes"] = 1 << 20
    t.memory(30000)
    t.slabinfo([(b"cache-%d" % i, 8, i % 5, 1) for i in range(CACHES)])
    for i in range(3 * CACHES):
        for n, name in enumerate((b"cache", b"none")):
            t.cache_free(OBJECT + (2 * i + n) * 64, SITE,
                         name=b"%s-%d" % (name, i % CACHES))
