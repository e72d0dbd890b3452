# SPDX-License-Identifier: MIT
"""More memory is free than at the start: there is no fall to explain."""


def build(t):
    t.memory(20000)
    t.memory(100, flags=16)
    t.alloc(200, 0x1000, 0, [0xc1000010])
    t.free(200, 0x2000, 5)
    t.memory(90, flags=16)
    t.memory(20041)
