# SPDX-License-Identifier: MIT
"""Functions of a kernel that tell the kinds of memory, for cases/."""
ALLOC = 0xc1000010
FUNCTIONS = [
    (0xc1001000, 0x100, b"allocate_slab"),
    (0xc1002000, 0x400, b"filemap_add_folio"),
    (0xc1003000, 0x400, b"shmem_alloc_folio"),
    (0xc1004000, 0x100, b"pte_alloc_one"),
    (0xc1005000, 0x100, b"copy_process"),
    (0xc1006000, 0x100, b"__vmalloc_node_range"),
    (0xc1007000, 0x100, b"___kmalloc_large_node"),
    (0xc1008000, 0x100, b"__alloc_skb"),
    (0xc1009000, 0x100, b"do_wp_page"),
    (0xc100a000, 0x100, b"simple_write_begin"),
]
SLAB, CACHE, TMPFS, TABLES, STACKS, VMALLOC, LARGE, SKB, COPIED, RAMFS = (
    base + 0x10 for base, _, _ in FUNCTIONS)
UNKNOWN, WRITE, SYSCALL = 0xc1100010, 0xc1100110, 0xc1100210


def known(t):
    t.functions(FUNCTIONS)


def begin(t):
    """A machine of 255 MiB, most of it free, whose functions are known."""
    t.ram = [(0x100, 65408)]
    t.memory(60000)
    known(t)
    t.figure(b"page structs", 4087)


def modules(t, loads):
    """An init that holds 512 pages of slab; and modules, (name, order) each, by
    a task of its own."""
    t.comm(69, b"init")
    t.alloc(69, 0x9000, 9, [ALLOC, SLAB, SYSCALL])
    for i, (name, order) in enumerate(loads):
        base = 0xd0000000 + i * 0x100000
        t.comm(70 + i, b"modprobe-%d" % i)
        t.module_range(name, base, 0x4000)
        t.alloc(70 + i, 0x2000 + 0x200 * i, order,
                [ALLOC, base + 0x110, SYSCALL])
