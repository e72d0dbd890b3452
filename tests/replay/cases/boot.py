# SPDX-License-Identifier: MIT
"""A small boot: every kind of event, names for addresses, no errors."""
KERNEL = [0xc1000010, 0xc1000820, 0xc1004410]
FAULT = [0xc1000030, 0xc1000840, 0xc1006000]


def build(t):
    t.memory(30000)
    t.task(1, b"init", rss_pages=120)
    t.task(2, b"kthreadd")
    t.alloc(1, 0x200, chain=KERNEL)
    t.fork(50, 1)
    t.comm(50, b"udevd")
    for i in range(8):
        t.alloc(50, 0x300 + i)
    t.load_enter(50)
    t.alloc(50, 0x400, 3, KERNEL)
    t.module_load(50, b"squashfs")
    t.module_range(b"squashfs", 0xd0800000, 0x8000)
    t.module_range(b"squashfs", 0xd0900000, 0x1000, flags=4)
    t.alloc(50, 0x500, 2, [0xc1000010, 0xd0900100, 0xc1004410])
    t.load_exit(50)
    t.memory(29000)
    t.fork(51, 50)
    t.comm(51, b"mount")
    t.alloc(51, 0x600, 5, [0xc1000010, 0xd0800120, 0xc1000820])
    t.alloc(51, 0x640, 0, FAULT)
    t.free(51, 0x300)
    t.free(51, 0x600, 5)
    t.memory(29500)
    t.alloc(1, 0x700, 1, KERNEL)
    t.exit(51)
    for addr, start, name in [
            (0xc1000010, 0xc1000000, b"__alloc_pages"),
            (0xc1000820, 0xc1000800, b"alloc_slab_page"),
            (0xc1004410, 0xc1004400, b"kmem_cache_alloc"),
            (0xc1000030, 0xc1000000, b"__alloc_pages"),
            (0xc1000840, 0xc1000800, b"alloc_slab_page"),
            (0xd0900100, 0xd0900080, b"init_squashfs_fs [squashfs]"),
            (0xd0800120, 0xd0800000, b"squashfs_cache_init [squashfs]"),
            (0xc1006000, 0, b"")]:
        t.symbol(addr, start, name)
    t.notes = [b"no module events: a note"]
