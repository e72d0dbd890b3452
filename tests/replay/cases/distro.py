# SPDX-License-Identifier: MIT
"""A boot of which reports.t makes a report of each kind: udev loads squashfs,
which keeps most of what it took; a module goes and leaks; an interrupt; a name
that would forge a report."""
KERNEL, MODULE = 0xc1000000, 0xd0100000
CACHE = [KERNEL + 0x110, KERNEL + 0x230, MODULE + 0x120, KERNEL + 0x340]
INODE = [KERNEL + 0x110, MODULE + 0x250, KERNEL + 0x340]
LEAK = [KERNEL + 0x110, MODULE + 0x8010]
PLAIN = [KERNEL + 0x110, KERNEL + 0x340]


def build(t):
    t.ram, t.cpus, t.step_ns = [(0x100, 4096)], (1, 2), 1_000_000
    t.memory(4000)
    t.comm(100, b"systemd-udevd")
    t.comm(200, b"e\"v\\il\n\x1b[2J\xff")
    t.load_enter(100)
    t.module_load(100, b"squashfs")
    t.module_range(b"squashfs", MODULE, 0x4000)
    t.load_exit(100)
    t.module_range(b"leaky", MODULE + 0x8000, 0x4000)
    t.alloc(100, 0x200, 9, CACHE)
    t.alloc(200, 0x400, 8, CACHE)
    t.alloc(200, 0x500, 4, INODE)
    t.alloc(100, 0x510, 1, LEAK)
    t.module_free(100, b"leaky")
    t.alloc(100, 0x540, 6, PLAIN)
    t.alloc(200, 0x580, 7)
    t.memory(3000)
    t.free(200, 0x400, 8)
    t.alloc(100, 0x600, 0, PLAIN[:1], flags=1)
    t.exit(200)
    t.free(100, 0xf00)
    t.memory(3276)
    t.functions([(KERNEL + 0x200, 0x100, b"filemap_alloc")])
    for addr, name in [(KERNEL + 0x110, b"__alloc_pages"),
                       (KERNEL + 0x230, b"filemap_alloc"),
                       (KERNEL + 0x340, b"do_syscall_64"),
                       (MODULE + 0x120, b"squashfs_cache_get [squashfs]"),
                       (MODULE + 0x250, b"squashfs_alloc_inode [squashfs]")]:
        t.symbol(addr, addr & ~0xff, name)
