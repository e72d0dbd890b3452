# SPDX-License-Identifier: MIT
"""Samples: more modules and tasks than a picture shows, and no pages of no
module."""
KINDS = dict(AnonPages=9400, Cached=2100, Shmem=1400, Buffers=20, Slab=4100,
             KernelStack=220, PageTables=80, VmallocUsed=1600, Percpu=64)


def build(t):
    t.source(b"sampled")
    t.memory(100, flags=16)
    t.memory(30000)
    for k in range(4):
        t.step_ns = 20_000_000 if k else 1000
        for i in range(12):
            t.sample_task(80 + i, b"task%d" % i, 1000 + 100 * i, 9500,
                          parent=1)
        for i, name in enumerate([b"big", b"mid", b"small"]):
            t.sample_module(name, 900 - 400 * i)
        t.sample_kinds(KINDS, 22000)
        t.memory(17000 - k)
