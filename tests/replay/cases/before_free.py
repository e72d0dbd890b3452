# SPDX-License-Identifier: MIT
"""Frees of pages that were allocated before tracing, alone and mixed with
others."""


def build(t):
    t.alloc(70, 0x1002)
    t.free(70, 0x1000)
    t.free(70, 0x1000, 2)
    t.free(70, 0x1002)
    t.free(71, 0x2000, 9)
