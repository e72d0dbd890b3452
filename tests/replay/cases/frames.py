# SPDX-License-Identifier: MIT
"""Frames that no neighbour may name: of a module that is gone, behind the last
function, of init text whose place another module has taken, and of a module
that kallsyms calls by another name, or that no event told of."""
KERNEL, MODULE = 0xc1000000, 0xd0100000


def build(t):
    t.module_range(b"squashfs", MODULE, 0x4000)
    t.module_range(b"gone", MODULE + 0x8000, 0x4000)
    t.module_range(b"other", MODULE + 0x10000, 0x4000)
    t.module_range(b"virtio_blk", MODULE + 0x20000, 0x4000)
    t.module_range(b"virtio_blk", MODULE + 0x28000, 0x1000, flags=4)
    t.module_range(b"init", MODULE + 0x30000, 0x1000, flags=4)
    get, inode = b"squashfs_cache_get [squashfs]", b"alloc_inode [squashfs]"
    for i, (addr, start, name) in enumerate([
            (MODULE + 0x110, 0x10, get),		# within
            (MODULE + 0x4000, 0x3e00, inode),		# a return at the end
            (MODULE + 0x4001, 0x3e01, inode),		# behind the end
            (MODULE + 0x9000, 0x9000 - 0x200, inode),	# another's place
            (KERNEL + 0x10300, 0x10000, b"largest"),
            (KERNEL + 0x20301, 0x10001, b"too_far"),
            (KERNEL + 0x80, 0, b""),
            (MODULE + 0x10110, 0x10, b"get [squashfs]"),	# of other
            (MODULE + 0x10210, 0x10, b"of_others [others]"),
            (MODULE + 0x40110, 0x10, get),		# no module known
            (MODULE + 0x40210, 0x10, b"x [__builtin__ftrace]"),
            (MODULE + 0x2804f, 0x1f, b"virtio_init [virtio_blk]"),
            (MODULE + 0x3004f, 0x1f, b"of_init [init]")]):
        t.alloc(70 + i, 0x1000 + i, 0, [KERNEL + 0x40, addr])
        if name:
            t.symbol(addr, addr - start, name)
    t.module_free(7, b"gone")
    t.module_range(b"next", MODULE + 0x28000, 0x1000)
    t.alloc(7, 0x2000, 0, [KERNEL + 0x40, 0x50000000 + 0x123])
