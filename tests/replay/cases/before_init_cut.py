# SPDX-License-Identifier: MIT
"""A record from before init that was not read to its end: an initcall of PID 1
has begun, and no event tells that it ended. What init takes is not its own.

Two tasks run one initcall that has two rows until its function is known.
"""
CALLER, INITCALL, OTHER = 0xc1000000, 0xc2000000, 0xc3000000


def chain(at):
    return [0xc1002010, at, CALLER + 0x59]


def build(t):
    t.start_ns = 0
    t.now_ns = 0
    t.step_ns = 100_000_000
    t.before_init()
    t.initcall_function(CALLER, 0x100, 0)
    t.alloc(2, 0x0800, 2, chain(OTHER + 0x20))
    t.initcall(1, OTHER + 0x10)
    t.alloc(1, 0x0900, 1, chain(OTHER + 0x40))
    t.initcall_function(OTHER, 0x100)
    t.alloc(1, 0x0910, 1, chain(OTHER + 0x60))
    t.initcall_end(1, OTHER + 0x10)
    t.initcall(1, INITCALL)
    t.alloc(1, 0x1000, 4, chain(INITCALL + 0x20))
    t.lost(1234)
    t.before_init(9)
    t.memory(20000)
    t.comm(1, b"init")
    t.alloc(1, 0x2000, 10, [0xc1002010, 0xc1003020])
    t.alloc(1, 0x3000, 3)
    t.memory(20000 - 1024 - 8)
