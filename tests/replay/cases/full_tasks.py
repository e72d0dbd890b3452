# SPDX-License-Identifier: MIT
"""No room for tasks: they share one row; exited tasks that hold nothing go."""


def build(t):
    t.layout.update(tasks=18, owners=64)
    for i in range(16):
        t.fork(200 + i, 1)
        t.comm(200 + i, b"task-%d" % i)
        t.alloc(200 + i, 0x1000 + 16 * i, 1 + i % 3, [0xc1000010])
    t.fork(300, 1)
    t.comm(300, b"no room")
    t.alloc(300, 0x3000, 2, [0xc1000010])
    t.alloc(301, 0x3010, 2)
    t.load_enter(300)
    t.alloc(206, 0x3100)
    t.exit(206)				# has pages without a stack: stays
    t.exit(205)				# has pages with one: goes, if need be
    t.free(1, 0x1030, 1)
    t.exit(203)				# holds nothing: goes
    t.fork(302, 1)
    t.comm(302, b"has room")
    t.alloc(302, 0x4000, 0, [0xc1000010])
    t.free(302, 0x3000, 1)
    t.fork(303, 1)
    t.comm(303, b"has room too")
    t.free(303, 0x1050, 2)
    t.fork(304, 1)			# now there is none
    t.alloc(304, 0x5000)
