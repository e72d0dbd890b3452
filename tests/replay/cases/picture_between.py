# SPDX-License-Identifier: MIT
"""A task that takes the most between two points of the timeline, an hour after
the start: the picture names it all the same."""


def build(t):
    t.memory(100, flags=16)
    t.memory(40000)
    t.task(1, b"init", rss_pages=10)
    t.fork(50, 1)
    t.comm(50, b"small")
    for i in range(4):
        t.alloc(50, 0x1000 + i, 0, [0x1000])
    for k in range(700):
        t.step_ns = 5_000_000_000
        t.memory(39000 - k % 7)
        t.step_ns = 1000
        if k != 650:
            continue
        t.step_ns = 10_000_000
        t.fork(200, 1)
        t.comm(200, b"hog")
        for i in range(8):
            t.alloc(200, 0x2000 + i * 1024, 10, [0x2000])
        t.memory(30000)
        for i in range(8):
            t.free(200, 0x2000 + i * 1024, 10)
        t.exit(200)
