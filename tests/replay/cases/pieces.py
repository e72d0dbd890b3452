# SPDX-License-Identifier: MIT
"""Allocations in one piece that fail: of a module while functions are not
known, of the same one again, of a task, of another module, of an interrupt for
which there is no room any more. One page, and one without a warning, are not
told. Nobody looked at free blocks after that of the task; blocks for the other
module were free when looked at."""
from gen import FAILED, IRQ, WARNS
from kinds_case import ALLOC, CACHE, SLAB, SYSCALL, TMPFS, known

FRAG, OTHER = 0xd0a00010, 0xd0b00010


def fails(t, tid, order, chain, flags=WARNS):
    t.alloc(tid, FAILED, order, [ALLOC, *chain, SYSCALL], flags=flags)


def build(t):
    t.memory(30000)
    t.comm(70, b"insmod")
    t.comm(71, b"cp")
    t.load_enter(70)
    t.module_load(70, b"frag")
    t.module_range(b"frag", FRAG - 0x10, 0x1000)
    t.module_range(b"other", OTHER - 0x10, 0x1000)
    for i in range(60):
        t.alloc(70, 0x1000 + 2 * i, 0, [ALLOC, FRAG, SYSCALL])
    t.alloc(71, 0x2000, 5, [ALLOC, TMPFS, SYSCALL])
    t.alloc(71, 0x2100, 5, [ALLOC, CACHE, OTHER, SYSCALL])
    t.alloc(71, 0x2200, 4, [ALLOC, SLAB, SYSCALL])
    t.alloc(71, 0x2300, 6)
    fails(t, 70, 10, [FRAG])
    t.blocks(1024, 128, 29000)
    fails(t, 70, 10, [FRAG])
    fails(t, 70, 10, [FRAG], 0)
    fails(t, 70, 0, [FRAG])
    t.load_exit(70)
    known(t)
    t.vmalloc(71, 0xe0000000, [9], [ALLOC, OTHER], OTHER)
    fails(t, 71, 4, [SLAB])
    fails(t, 71, 9, [OTHER])
    t.blocks(512, 0, 28000)
    fails(t, 0, 3, [], WARNS | IRQ)
    t.blocks(8, 4, 28000)
    t.memory(29700)
    t.symbol(FRAG, FRAG - 0x10, b"frag_init [frag]")
