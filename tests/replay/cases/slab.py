# SPDX-License-Identifier: MIT
"""Objects of slab: by site, module and cache; freed on another CPU, without an
event, from before, late, twice, by the other family; of modules that are gone.
"""

SITE, OTHER, TEXT = 0xc1000010, 0xc1000020, 0xf1000000
OBJECT = 0xd0000000


def modules(t):
    t.comm(90, b"load")
    t.load_enter(90)
    t.module_load(90, b"leaks")
    t.module_range(b"leaks", TEXT, 0x4000)
    t.kmalloc(OBJECT + 0x10000, SITE, 100, 128, tid=90)    # for its loader
    t.load_exit(90)
    for i in range(5):
        t.kmalloc(OBJECT + 0x20000 + i * 64, TEXT + 0x50, 60, 64, tid=90)
    t.kfree(OBJECT + 0x20000, TEXT + 0x90)
    t.module_free(90, b"leaks")


def wrong(t):
    t.kmalloc(OBJECT + 0x30000, SITE, 8, 8)
    t.cache_free(OBJECT + 0x30000, OTHER)
    t.kmalloc(OBJECT + 0x30040, SITE, 8, 8)
    t.kfree(OBJECT + 0x30040, OTHER)
    t.kfree(OBJECT + 0x30040, OTHER)
    t.kmalloc(OBJECT + 0x30080, SITE, 80, 64)


def late_events(t):
    base = OBJECT + 0x40000
    t.kmalloc(base, SITE, 8, 8)
    then = t.now_ns + 500
    t.kmalloc(base, OTHER, 8, 8, cpu=1)
    t.late(then, t.kfree, base, OTHER)
    then = t.now_ns + 500
    t.kfree(base + 64, OTHER, cpu=1)
    t.late(then, t.kmalloc, base + 64, SITE, 16, 16)
    t.kmalloc(base + 128, SITE, 16, 16)
    t.kfree(base + 128, OTHER)
    then = t.now_ns + 500
    t.kfree(base + 128, OTHER, cpu=1)
    t.late(then, t.kmalloc, base + 128, SITE, 16, 16)
    t.kmalloc(base + 256, SITE, 16, 16)		# freed without an event
    then = t.now_ns + 500
    t.kfree(base + 256, OTHER)				# of the next one
    t.late(then, t.kmalloc, base + 256, OTHER, 32, 32)
    then = t.now_ns + 500
    t.kmalloc(base + 192, SITE, 16, 16)
    t.late(then, t.kmalloc, base + 192, OTHER, 16, 16)


def build(t):
    t.layout["slab_bytes"] = 1 << 20
    t.memory(30000)
    t.slabinfo([(b"dentry", 192, 1000, 50), (b"kmalloc-64", 64, 100, 2),
                (b"a", 256, 5, 1), (b"b", 256, 6, 1)])
    for i in range(20):
        t.cache_alloc(OBJECT + i * 192, SITE, 190, 192, cpu=i % 3)
    for i in range(7):
        t.cache_free(OBJECT + i * 192, OTHER, cpu=1)
    t.alloc(90, 0x1000, 3, [0xc1000010])		# a new peak
    t.memory(29900)
    t.cache_alloc(OBJECT + 8 * 192, OTHER, 190, 192)	# freed in bulk
    t.cache_alloc(OBJECT + 0x8000, OTHER, 250, 256)
    t.cache_alloc(OBJECT + 0x8100, OTHER, 300, 320, cache=b"named")
    t.kmalloc(OBJECT + 0x50000, OTHER, 40000, 65536)
    t.kmalloc(0, OTHER, 40000, 65536)			# there was no page
    t.kfree(0, OTHER)
    t.kfree(OBJECT + 0x9000, OTHER)			# from before
    for i in range(8):			# six are more than there were
        t.cache_free(OBJECT + 0xa000 + i * 256, OTHER, name=b"a")
    t.cache_free(OBJECT + 0xb000, OTHER, name=b"not in slabinfo")
    then = t.now_ns - 500
    t.late(then, t.cache_alloc, OBJECT + 0xb000, SITE, 8, 8)
    modules(t)
    wrong(t)
    late_events(t)
    t.now_ns += 20_000_000
    t.memory(29000)
    t.slabinfo([(b"dentry", 192, 1030, 53), (b"kmalloc-64", 64, 90, 2),
                (b"a", 256, 5, 1), (b"late", 8, 3, 1)])	# b is gone
