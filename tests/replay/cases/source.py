# SPDX-License-Identifier: MIT
"""The source of the events is known; the last name that was told counts."""


def build(t):
    t.source(b"perf")
    t.memory(30000)
    t.task(1, b"init", rss_pages=120)
    t.source(b"ftrace")
    t.alloc(1, 0x200, chain=[0xc1000010])
    t.free(1, 0x200)
