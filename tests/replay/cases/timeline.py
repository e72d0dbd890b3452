# SPDX-License-Identifier: MIT
"""700 samples, 5 ms apart: points 40 ms apart; who held most, and when."""
MS = 1_000_000


def build(t):
    t.step_ns = 5 * MS
    t.comm(300, b"early")
    t.comm(301, b"middle")
    t.comm(302, b"late")
    t.comm(303, b"small")
    t.alloc(303, 0x7000)
    for i in range(700):
        t.memory(20000 - (i if i < 500 else 1000 - i))
        if i % 100 == 50:
            t.load_enter(303)
            t.module_load(303, b"module_%d" % (i // 100))
            t.vmalloc(303, 0xe0000000 + i * 0x10000, [10 + i])
            t.load_exit(303)
        if i in (100, 300, 500):
            tid = 299 + i // 100 - i // 200
            t.alloc(tid, 0x1000 + i * 8, 6 + i // 300, [0xc1000010])
        if i == 600:
            t.free(300, 0x1000 + 800, 6)
