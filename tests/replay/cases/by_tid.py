# SPDX-License-Identifier: MIT
"""A source that knows threads and no processes: a fork tells of which process a
thread is, by its parent, which may be a thread itself."""
import gen


def build(t):
    t.task(1, b"init")
    t.fork_by_tid(200, 1)
    t.comm(200, b"server")
    t.fork_by_tid(201, 200, gen.THREAD)
    t.fork_by_tid(202, 201, gen.THREAD)
    for tid in (200, 201, 202):
        t.alloc(tid, 0x1000 + tid, chain=[0xc1000010], tgid=0)
    t.fork_by_tid(300, 202)
    t.alloc(300, 0x2000, tgid=0)
    t.fork_by_tid(401, 400, gen.THREAD)	# the parent's fork was lost
    t.alloc(401, 0x3000, tgid=0)
    t.exit(201)
    t.alloc(202, 0x4000, 2, tgid=0)
