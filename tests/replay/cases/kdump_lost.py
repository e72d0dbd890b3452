# SPDX-License-Identifier: MIT
"""The same with a lost record: no advice."""


def build(t):
    t.ram = [(0x100, 40960)]
    t.memory(30000, flags=32)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    t.lost(1)
    t.memory(30000 - 512)
