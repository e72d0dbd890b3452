# SPDX-License-Identifier: MIT
"""Savings of what was held at the peak, though it is gone at the end: a module's
vmalloc, and pages of workers of udev, of which one lives; not their files. A
module that is in use held more, and is no saving."""
from kinds_case import ALLOC, CACHE, SLAB, SYSCALL, TABLES, known

USED, DRIVER = 0xd0a00010, 0xd0b00010
MODULES = {b"used": USED, b"driver": DRIVER}


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(60000)
    known(t)
    t.figure(b"page structs", 4087)
    for name, base in MODULES.items():
        t.module_range(name, base - 0x10, 0x1000)
    t.in_use(b"used")
    t.in_use(b"of nobody")
    t.comm(80, b"user")
    for i in range(20):
        t.alloc(80, 0x2000 + 0x100 * i, 8, [ALLOC, USED, SYSCALL])
    t.vmalloc(80, 0xe0000000, [100] * 15, [DRIVER, SYSCALL])
    for i in range(4):
        tid, pfn = 90 + i, 0x4000 + 0x1000 * i
        t.fork(tid, 80)
        t.comm(tid, b"(udev-worker)", 0)
        for j in range(2 + i):
            t.alloc(tid, pfn + 0x100 * j, 8)
        t.alloc(tid, pfn + 0x800, 4, [ALLOC, TABLES, SYSCALL])
        t.alloc(tid, pfn + 0x900, 7, [ALLOC, CACHE, SYSCALL])
        t.alloc(tid, pfn + 0xa00, 7, [ALLOC, SLAB, SYSCALL])
    for i in range(3):
        tid, pfn = 90 + i, 0x4000 + 0x1000 * i
        for j in range(2 + i):
            t.free(tid, pfn + 0x100 * j, 8)
        t.free(tid, pfn + 0x800, 4)
        t.exit(tid)
    t.area_free(80, 0xe0000000)
    for i, order in enumerate((10, 8, 7, 6, 4, 3, 2)):	# its 1500 pages
        t.free(80, 0x9000 + 0x400 * i, order)
    t.memory(60000 - 20 * 256 - 5 * 256 - 16 - 8 * 128)
