# SPDX-License-Identifier: MIT
"""One module is loaded nine times. Six loads are over and leave what the kernel
keeps: these are one row below level 3, with the largest peak of one load. One
load leaks, one failed, one is live: each has its row. Two loads of another module
are one row too, and the only load of a third module has no count."""
import kinds_case as k


def load(t, n, name, pages, leak=0, end=True):
    base, pfn = 0xd0000000 + n * 0x100000, 0x2000 + 64 * n
    t.load_enter(130)
    t.vmalloc(130, base, [3 + n], [k.ALLOC, k.SYSCALL])
    t.module_load(130, name)
    t.module_range(name, base, 0x3000)
    t.alloc(130, pfn, 0, [k.ALLOC, k.SLAB, base + 0x110, k.SYSCALL])
    for i in range(pages):
        t.alloc(130, pfn + 1 + i, 0, [k.ALLOC, base + 0x110, k.SYSCALL])
    t.load_exit(130, 0 if end is not None else -12)
    for i in range(leak, pages if end else 0):
        t.free(130, pfn + 1 + i)
    if end:
        t.area_free(130, base)
        t.module_free(130, name)


def build(t):
    t.memory(30000)
    k.known(t)
    t.comm(130, b"insmod")
    for n in range(6):
        load(t, n, b"again", 2 * n if n < 4 else 1)
    load(t, 6, b"again", 9, leak=4)
    load(t, 7, b"again", 5, end=None)
    load(t, 8, b"again", 3, end=False)
    load(t, 9, b"twice", 12)
    load(t, 10, b"twice", 2)
    load(t, 11, b"once", 8)
    t.memory(29500)
    t.reason = b"request"
