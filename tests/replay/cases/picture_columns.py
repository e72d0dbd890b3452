# SPDX-License-Identifier: MIT
"""More tasks than the history of a picture has columns: who holds least makes room
for who comes and holds more."""
MS = 1_000_000
TASKS = 65


def take(t, tid, pfn, pages):
    """In blocks, so that each task holds another number of pages."""
    for order in range(pages.bit_length()):
        if pages >> order & 1:
            t.alloc(tid, pfn, order)
            pfn += 1 << order


def build(t):
    t.memory(30000)
    for i in range(TASKS):
        t.comm(100 + i, b"task-%d" % i)
        take(t, 100 + i, 0x1000 + 128 * i, 3 if i == 5 else 16 + i)
    t.step_ns = MS
    for i in range(20):
        t.memory(27000 - 5 * i)
    t.comm(200, b"late")
    t.alloc(200, 0x4000, 9)
    for i in range(20):
        t.memory(26000 - 5 * i)
    t.free(200, 0x4000, 9)
    for i in range(20):
        t.memory(26500)
