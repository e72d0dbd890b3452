# SPDX-License-Identifier: MIT
"""Initcalls by the kernel's events: kept and passing pages, with and without a
call chain, in blocks, one in another, in an interrupt, in two tasks at a time.

Lost ends, and ends of no start; and a module, which has one row.
"""
CALLER, INIT = 0xc1000000, 0xc1000400
KEPT, PASSING, OUTER, INNER, IDLE, LOST = (
    0xc2000000 + i * 0x100 for i in range(6))
DRIVER = 0xd0000000


def chain(function, at=0x20):
    return [0xc1002010, function + at, CALLER + 0x59, INIT + 0x80]


def build(t):
    t.task(1, b"swapper")
    t.task(2, b"kworker")
    t.alloc(1, 0x1000, 0, [0xc1002010, INIT + 0x10])
    t.initcall(1, KEPT)
    t.alloc(1, 0x1100, 4, chain(KEPT))
    t.alloc(1, 0x1110, 0)			# no chain
    t.alloc(1, 0x1120, 0, chain(KEPT, 0x40))
    t.alloc(2, 0x1130, 2, [0xc1002010, 0xc1003020])
    t.alloc(1, 0x1140, 3, chain(KEPT), flags=1)	# in an interrupt
    t.initcall_end(1, KEPT)
    t.memory(20000)
    t.initcall(1, PASSING)
    t.alloc(1, 0x1200, 6, chain(PASSING))
    t.free(1, 0x1200, 6)
    t.free(1, 0x1104, 2)			# of the one before
    t.initcall_end(1, PASSING, -19)
    t.initcall(1, OUTER)
    t.alloc(1, 0x1300, 1, chain(OUTER))
    t.initcall(2, LOST)
    t.alloc(2, 0x1400, 1, chain(LOST))
    t.initcall(1, INNER)
    t.alloc(1, 0x1310, 2, chain(INNER))
    t.initcall_end(1, INNER)
    t.alloc(1, 0x1320, 0, chain(OUTER))
    t.initcall_end(1, OUTER)
    t.initcall(1, LOST)
    t.alloc(1, 0x1410, 0, chain(LOST))
    t.initcall(1, IDLE)				# its end is lost
    t.initcall_end(1, LOST)
    t.initcall_end(1, IDLE)
    t.alloc(1, 0x1420, 0, [0xc1002010, INIT + 0x10])
    t.initcall_end(2, LOST)
    t.load_enter(2)
    t.module_load(2, b"driver")
    t.module_range(b"driver", DRIVER, 0x1000, flags=4)
    t.initcall(2, DRIVER + 0x100)
    t.alloc(2, 0x1500, 5, [0xc1002010, DRIVER + 0x130, CALLER + 0x59])
    t.alloc(2, 0x1520, 0, [0xc1002010, 0xc1003020])
    t.initcall_end(2, DRIVER + 0x100)
    t.load_exit(2)
    t.memory(19000)
