# SPDX-License-Identifier: MIT
"""More was allocated than the fall, and free memory even rose: no advice."""


def build(t):
    t.memory(20000)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    t.memory(20000 - 400)
    t.memory(20100)
    t.memory(19998)
