# SPDX-License-Identifier: MIT
"""Threads charge their process, even if its leader has exited first."""


def build(t):
    t.fork(200, 1)
    t.comm(200, b"server")
    for tid in (201, 202, 203):
        t.fork(tid, 200, tgid=200)
        t.alloc(tid, 0x1000 + tid, chain=[0xc1000010])
        t.alloc(tid, 0x2000 + tid)
    t.exit(201)
    t.exit(200)
    t.alloc(202, 0x3000, 2)
    t.fork(210, 202)
    t.alloc(210, 0x4000)
    t.exit(202)
    t.free(203, 0x3000, 1)
    t.exit(203)
    t.alloc(300, 0x5000, tgid=0)	# the source could not tell
    t.alloc(301, 0x5001, tgid=300)
