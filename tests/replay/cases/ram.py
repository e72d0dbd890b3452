# SPDX-License-Identifier: MIT
"""All of RAM, of which 4 MiB are unknown. 256 MiB of a PC: what the firmware and
the kernel have; what of that is named twice by the same name is one row; what
was free at the start, and is now; and what was freed of what was there."""


def build(t):
    t.mem_total_kib = 222620
    t.memory(49000)
    t.memory(300, flags=16)
    for group, name, kib in [
            ("firmware", b"below 1 MiB", 320), ("firmware", b"reserved", 197),
            ("kernel", b"code", 14343), ("kernel", b"rodata", 8348),
            ("reserved", b"page structs", 4096), ("reserved", b"swiotlb", 0),
            ("reserved", b"crashkernel", 1024),
            ("reserved", b"crashkernel", 2048),
            ("reserved", b"Dentry cache hash table", 256),
            ("before", b"slab", 14972), ("before", b"vmalloc", 7092),
            ("all", b"present", 261624), ("all", b"installed", 262144)]:
        t.part(group, name, kib)
    t.part("before", b"kernel stacks", 736, within=True)
    t.part("free", b"initrd (freed)", 2080, within=True)
    t.part("free", b"this cannot be told", 2080)
    t.part("traced", b"nor this", 2080)
    t.part("kernel", b"a name of more than 37 bytes\n\"\x1b[31m is cut", 7)
    t.alloc(7, 0x1000, order=9)
    t.free(7, 0x2000, order=3)
    t.memory(48496)
