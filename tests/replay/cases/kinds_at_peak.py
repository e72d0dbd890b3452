# SPDX-License-Identifier: MIT
"""The functions are told when another kind has just made the most that was
used: what was held then moves to its kind too."""
from kinds_case import ALLOC, SYSCALL, TMPFS, known


def build(t):
    t.memory(30000)
    t.alloc(1, 0x1000, 3, [ALLOC, TMPFS, SYSCALL])
    t.alloc(1, 0x2000, 1)
    known(t)
    t.free(1, 0x1000, 2)
