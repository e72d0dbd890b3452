# SPDX-License-Identifier: MIT
"""Nothing can be traced: passes over /proc, as source/sampled/ tells them."""
SAMPLED = 128
STACK = b"kernel_clone+0xbf/0x430"


def build(t):
    t.source(b"sampled")
    t.task(1, b"init", rss_pages=100)
    t.memory(100, flags=16)
    t.memory(30000)
    # Of the RAM that is present, MemTotal and the kernel have not 10000 KiB.
    for group, name, kib in [("all", b"present", 212608),
                             ("all", b"installed", 213000),
                             ("kernel", b"code", 6000),
                             ("before", b"slab", 16000)]:
        t.part(group, name, kib)
    # The first pass: what is there before anything else runs.
    t.sample_task(1, b"init", 100, 120)
    t.sample_module(b"early", 10)
    t.sample_kinds(dict(AnonPages=300, Cached=2000, Shmem=1500, Buffers=10,
                        Slab=4000, KernelStack=200, PageTables=50,
                        VmallocUsed=1500, Percpu=64), 9000)
    t.memory(29990)
    t.vmallocinfo([(0xe0000000, 500, STACK)], SAMPLED)
    t.sample_kills(4)
    # A task eats, a module comes, a cache grows.
    t.step_ns = 20_000_000
    t.sample_cache(b"dentry", 400)
    t.sample_cache(b"inode_cache", 900)
    t.sample_task(1, b"init", 110, 130, parent=0)
    t.sample_task(80, b"eater", 9000, 9500, parent=1)
    t.sample_task(81, b"short", 50, 60, parent=80)
    t.sample_module(b"early", 10)
    t.sample_module(b"late", 33)
    t.sample_kinds(dict(AnonPages=9400, Cached=2100, Shmem=1400, Buffers=20,
                        Slab=4100, KernelStack=220, PageTables=80,
                        VmallocUsed=1600, Percpu=64, Hugetlb=1024), 22000)
    t.memory(17000)
    t.vmallocinfo([(0xe0000000, 500, STACK), (0xe0200000, 4, STACK)],
                  SAMPLED)
    # Two were killed.
    t.sample_kills(6)
    # One task goes, and so does a module; what no kind explains stays.
    t.sample_cache(b"dentry", 350)
    t.sample_task(1, b"init", 105, 130)
    t.sample_task(80, b"eater", 200, 9700, parent=1)
    t.sample_module(b"late", 30)
    t.sample_kinds(dict(AnonPages=600, Cached=2100, Shmem=1400,
                        KernelStack=2000, Unknown=7), 13000)
    t.memory(26000)
    t.memory(300, flags=16)
    # Nobody both traces and samples.
    t.alloc(80, 0x200, 0, [0x1000])
    t.free(80, 0x200)
    t.load_enter(80)
    t.module_load(80, b"traced")
    t.vmalloc(80, 0xe0300000, [7])
