# SPDX-License-Identifier: MIT
"""Pages of 16 KiB, as arm64 may have: each sum in bytes is four times that of
4 KiB. A module with an image and vmalloc, a task, what was used before, all of
RAM, and advice for a kdump kernel."""


def build(t):
    t.page_size = 16384
    t.kernel = b"6.12.0-16k"
    t.mem_total_kib = 196608
    t.ram = [(0x10000, 0x3000)]
    t.figure(b"Slab", 9000)
    t.figure(b"reserved", 24000)
    t.memory(9000, flags=32)
    t.memory(300, flags=16)
    for name, kib in [(b"present", 196608), (b"installed", 262144)]:
        t.part("all", name, kib)
    t.part("reserved", b"page structs", 1024)
    t.task(1, b"init", rss_pages=40)
    t.fork(70, 1)
    t.comm(70, b"modprobe")
    t.load_enter(70)
    t.module_load(70, b"nvme")
    t.module_range(b"nvme", 0xd0800000, 0x8000)
    t.vmalloc(70, 0xe0000000, [5], [0xc1000010, 0xd0800140])
    t.alloc(70, 0x10800, 5, [0xc1000010, 0xd0800120])
    t.load_exit(70)
    t.alloc(70, 0x10900, 0)
    t.exit(70)
    t.memory(8962)
    t.free(1, 0x10800, 3)
    t.memory(8970)
