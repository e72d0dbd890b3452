# SPDX-License-Identifier: MIT
"""More memory is free than is known to exist: no figure is below zero."""


def build(t):
    t.memory(40000)
    t.alloc(1, 0x200, chain=[0xc1000010])
    t.memory(39999)
