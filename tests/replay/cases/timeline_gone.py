# SPDX-License-Identifier: MIT
"""A point names a module and a task whose rows belong to others in the end."""
MS = 1_000_000


def build(t):
    t.layout.update(modules=16, tasks=18, owners=64)
    t.step_ns = MS
    for i in range(13):
        t.module_range(b"stays_%d" % i, 0xd0000000 + i * 0x1000, 0x1000)
    t.fork(400, 1)
    t.comm(400, b"goes")
    t.load_enter(400)
    t.module_load(400, b"goes_too")
    t.alloc(400, 0x1000, 4)
    t.vmalloc(400, 0xe0000000, [12])
    t.load_exit(400)
    t.now_ns += 20 * MS
    t.memory(20000)
    t.free(400, 0x1000, 4)
    t.area_free(400, 0xe0000000)
    t.module_free(400, b"goes_too")
    t.exit(400)
    for i in range(16):
        t.fork(500 + i, 1)
        t.comm(500 + i, b"comes-%d" % i)
    t.load_enter(515)
    t.module_load(515, b"comes")
    t.alloc(515, 0x1000, 2)
    t.load_exit(515)
    t.now_ns += 20 * MS
    t.memory(20012)
