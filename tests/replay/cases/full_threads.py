# SPDX-License-Identifier: MIT
"""Room for one task: the row of the process that a new thread belongs to is
not taken for the thread, though its first thread has gone."""


def build(t):
    t.layout.update(tasks=3, owners=64)
    t.comm(10, b"gone")
    t.exit(10)
    t.fork(11, 10, tgid=10)		# rejected
    t.alloc(10, 0x1000)
