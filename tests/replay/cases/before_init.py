# SPDX-License-Identifier: MIT
"""A record from before init comes first: what it holds at its end is in the
tables, but not in the fall of free memory. The most was used within it.
"""
KEPT, GONE = [0xc1000010, 0xc1000050], [0xc1000010, 0xc1000090]


def build(t):
    t.start_ns = 0
    t.now_ns = 0
    t.step_ns = 100_000_000
    t.before_init()
    t.initcall_function(0xc1000080, 0x20, 0)
    t.alloc(0, 0x1000, 9, KEPT)
    t.alloc(1, 0x1200, 10, GONE)
    t.free(0, 0x5000, 8)		# the kernel's own, from before it
    t.free(0, 0x6000, 10)		# a part of RAM that is ready now
    t.alloc(9, 0x1800, 7, KEPT)
    t.free(1, 0x1200, 10)
    t.comm(0, b"swapper", 0)
    t.comm(9, b"kworker/u2:0", 0)
    t.exit(9)
    t.before_init(5, 17)
    t.memory(25, 16)
    t.memory(20000)
    t.task(1, b"memstrack", 100)
    t.free(1, 0x5100, 3)
    t.free(1, 0x1800, 5)
    t.alloc(1, 0x2000, 6, KEPT)
    t.memory(20000 - 64 + 32 + 8)
    t.memory(30, 16)
    t.before_init()			# it cannot come again
