# SPDX-License-Identifier: MIT
"""A process id that is used again is another task, with its exit seen or not.
"""


def build(t):
    t.fork(100, 1)
    t.comm(100, b"before")
    t.alloc(100, 0x1000, 2)
    t.exit(100)
    t.fork(100, 1)
    t.comm(100, b"after")
    t.alloc(100, 0x2000, 1)
    t.fork(100, 1)			# the exit was lost
    t.comm(100, b"third")
    t.alloc(100, 0x3000)
    t.free(100, 0x1000, 1)
    t.fork(101, 100, tgid=100)		# now a thread's number comes back
    t.alloc(101, 0x3100)
    t.tgid[101] = 101
    t.alloc(101, 0x3200)
    t.comm(101, b"was a thread")
