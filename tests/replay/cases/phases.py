# SPDX-License-Identifier: MIT
"""Hooks say what the boot does: the first sixteen phases, one of which is said
again and again. The report says in which one least was free and most was used."""


def build(t):
    t.history = 1
    t.step_ns = 1_000_000
    t.memory(20000)
    t.task(400, b"init")
    t.alloc(400, 0x1000, 4)
    for i, name in enumerate((b"cmdline", b"pre-udev", b"initqueue")):
        t.phase(name)
        t.now_ns += 40_000_000
        t.alloc(400, 0x2000 + i * 0x800, 6 + i)
        t.memory(19900 - 600 * i)
        t.phase(name)
    t.now_ns += 20_000_000
    t.free(400, 0x3000, 8)
    t.memory(19500)
    t.phase(b"mount")
    t.now_ns += 30_000_000
    t.phase(b'"<&>\\')
    t.now_ns += 30_000_000
    t.memory(19400)
    for i in range(14):
        t.phase(b"later-%d" % i)
    t.memory(19450)
