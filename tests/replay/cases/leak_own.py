# SPDX-License-Identifier: MIT
"""A module that is gone holds what is its own: pages, an area, a large kmalloc.
Pages of slab, page tables and per-CPU memory are the kernel's by then, so a
module that holds no others does not leak.
"""
import kinds_case as k

PERCPU = 0xc100b010


def shared(t, pfn, at):
    for i, kind in enumerate((k.SLAB, k.TABLES, PERCPU)):
        t.alloc(130, pfn + i, 0, [k.ALLOC, kind, at, k.SYSCALL])
    t.alloc(130, pfn + 3, 0, [k.ALLOC, k.VMALLOC, PERCPU, at, k.SYSCALL])


def build(t):
    t.memory(30000)
    t.functions(k.FUNCTIONS + [(0xc100b000, 0x100, b"pcpu_alloc")])
    t.comm(130, b"modprobe")
    for name, base, pfn in [(b"shares", 0xd0000000, 0x2000),
                            (b"leaks", 0xd0010000, 0x2100)]:
        at = base + 0x40
        t.load_enter(130)
        t.module_load(130, name)
        t.module_range(name, base, 0x4000)
        shared(t, pfn, at)
        if name == b"leaks":
            t.alloc(130, pfn + 16, 1, [k.ALLOC, k.LARGE, at, k.SYSCALL])
            t.alloc(130, pfn + 20, 2, [k.ALLOC, at, k.SYSCALL])
            t.alloc(130, pfn + 24, 0, [k.ALLOC, k.VMALLOC, at, k.SYSCALL])
            t.vmalloc(130, 0xe0000000, [8], [k.ALLOC, k.VMALLOC, at], at)
        t.load_exit(130)
        t.module_free(130, name)
    t.memory(29900)
    t.reason = b"request"
