# SPDX-License-Identifier: MIT
"""949 per mille of the fall are explained: no advice."""


def build(t):
    t.memory(20000, flags=0)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    t.memory(20000 - 539)
