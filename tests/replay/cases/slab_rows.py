# SPDX-License-Identifier: MIT
"""More sites and caches of slab than levels 1 and 2 show.

Site i had 100 * (i + 1) bytes for a while and holds 8 * (20 - i): those with most
now had least at their peak, and the order is that of peaks. Each size is a cache;
of more than two pages it is pages of its own for kmalloc, not for a kmem_cache.
"""
SITE, OBJECT = 0xc1000000, 0xd0000000


def build(t):
    t.layout["slab_bytes"] = 1 << 20
    t.memory(30000)
    for i in range(13):
        site, most, now = SITE + i * 16, 100 * (i + 1), 8 * (20 - i)
        t.kmalloc(OBJECT, site, most, most)
        t.kfree(OBJECT, SITE)
        t.kmalloc(OBJECT + 0x1000 * (i + 1), site, now, now)
    for i, size in enumerate((4096, 8192, 8192 + 4096, 16384)):
        t.kmalloc(OBJECT + 0x100000 * (i + 1), SITE + 0x200, size, size)
    t.cache_alloc(OBJECT + 0x500000, SITE + 0x200, 16384, 16384)
    t.alloc(1, 0x200)
