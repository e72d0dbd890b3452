# SPDX-License-Identifier: MIT
"""More tasks than the history of a picture has columns: who holds least makes room
for who holds more, and what he held before is not known."""
MS = 1_000_000
TASKS = 66


def build(t):
    t.step_ns = MS
    t.memory(30000)
    for i in range(TASKS):
        t.comm(100 + i, b"task-%d" % i)
        t.alloc(100 + i, 0x1000 + 32 * i, 3 if i == 5 else 4)
    for i in range(20):
        t.memory(29000 - 5 * i)
    t.alloc(100 + TASKS - 1, 0x4000, 9)
    for i in range(20):
        t.memory(28000 - 5 * i)
    t.free(100 + TASKS - 1, 0x4000, 9)
    for i in range(20):
        t.memory(28500)
