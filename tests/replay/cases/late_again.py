# SPDX-License-Identifier: MIT
"""The same pages again and again, each time as if it were the missing event: no
counter of missing events falls below nothing."""


def build(t):
    t.comm(90, b"stolen")
    t.comm(91, b"runs")
    then = t.now_ns + 500
    t.free(91, 0x1000)			# not seen allocated
    for i in range(3):
        t.late(then + i, t.alloc, 90, 0x1000)
    then = t.now_ns + 500
    for _ in range(2):			# the free between is missing
        t.alloc(91, 0x1000)
    for i in range(3):
        t.late(then + i, t.free, 90, 0x1000)
    t.memory(30000)
