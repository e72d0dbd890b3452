# SPDX-License-Identifier: MIT
"""No room for pairs of task and stack: pages are charged to the task alone."""


def build(t):
    t.layout.update(tasks=16, owners=20)
    for i in range(4):
        t.comm(180 + i, b"task-%d" % i)
        for j in range(3):
            t.alloc(180 + i, 0x1000 + 16 * i + j, 0, [0xc1000010 + j])
    t.free(180, 0x1000, 1)		# two that hold nothing: used again
    t.alloc(183, 0x2000, 1, [0xc1000050])
    t.alloc(183, 0x2002, 2, [0xc1000060])
    t.free(182, 0x1020, 2)
