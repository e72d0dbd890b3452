# SPDX-License-Identifier: MIT
"""Pages of every kind, some taken before the kernel's functions are known and
some after, by a module and a task that stand out.

Of page tables and of the network, more was held before than ever after: how
much is only bounded.
"""
from kinds_case import (ALLOC, CACHE, COPIED, LARGE, RAMFS, SKB, SLAB, STACKS,
                        SYSCALL, TABLES, TMPFS, UNKNOWN, VMALLOC, WRITE, known)

OVERLAY, SQUASHFS, NIC = 0xd0800010, 0xd0900010, 0xd0a00010


def module(t, name, addr):
    t.load_enter(1)
    t.module_load(1, name)
    t.module_range(name, addr - 0x10, 0x8000)
    t.load_exit(1)


def build(t):
    t.memory(30000)
    t.task(1, b"init")
    t.fork(50, 1)
    t.comm(50, b"cp")
    module(t, b"overlay", OVERLAY)
    module(t, b"squashfs", SQUASHFS)
    module(t, b"nic", NIC)
    for i in range(3):			# one after the other: 12 at most
        t.alloc(1, 0x1000, 2, [ALLOC, TABLES, SYSCALL + i])
        t.free(1, 0x1000, 2)
    t.alloc(1, 0x1010, 3, [ALLOC, LARGE, SKB, SYSCALL])
    t.free(1, 0x1010, 3)
    t.alloc(50, 0x2000, 9, [ALLOC, TMPFS, TMPFS + 0x200, WRITE, OVERLAY,
                            SYSCALL])
    t.alloc(1, 0x2200, 4)
    t.vmalloc(1, 0xe0000000, [16], [ALLOC, STACKS, SYSCALL], STACKS)
    known(t)
    t.alloc(50, 0x2400, 9, [ALLOC, CACHE, CACHE + 0x200, OVERLAY, SYSCALL])
    t.alloc(50, 0x2600, 7, [ALLOC, CACHE, RAMFS, WRITE, SYSCALL])
    t.alloc(1, 0x2800, 5, [ALLOC, CACHE, WRITE, SQUASHFS])
    t.alloc(1, 0x2820, 3, [ALLOC, SQUASHFS, WRITE])
    t.alloc(1, 0x2830, 4, [ALLOC, SLAB, NIC])
    t.alloc(1, 0x2840, 4, [ALLOC, NIC, WRITE])
    t.alloc(1, 0x2850, 1, [ALLOC, LARGE, NIC])
    t.alloc(1, 0x2860, 1, [ALLOC, LARGE, SKB, NIC])
    t.alloc(1, 0x2870, 0, [ALLOC, TABLES])
    t.alloc(1, 0x2880, 1, [ALLOC, VMALLOC, STACKS])
    t.alloc(1, 0x2890, 1, [ALLOC, VMALLOC, SYSCALL])
    t.alloc(1, 0x28a0, 1, [ALLOC, COPIED])
    t.alloc(1, 0x28b0, 1, [ALLOC, UNKNOWN, SYSCALL])
    t.vmalloc(1, 0xe0010000, [20], [ALLOC, VMALLOC, UNKNOWN], UNKNOWN)
    t.memory(28000)
    t.free(50, 0x2600, 7)
    t.exit(50)
    for addr, start, name in [
            (CACHE + 0x200, CACHE + 0x180, b"filemap_get_pages"),
            (OVERLAY, OVERLAY - 0x10, b"ovl_splice_read [overlay]"),
            (ALLOC, ALLOC - 0x10, b"__alloc_pages")]:
        t.symbol(addr, start, name)
    t.reason = b"switch-root"
