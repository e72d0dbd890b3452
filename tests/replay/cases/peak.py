# SPDX-License-Identifier: MIT
"""Peaks stand at different times: each row has its own, and its value at the
top."""


def build(t):
    t.comm(110, b"early")
    t.comm(111, b"late")
    t.comm(112, b"flat")
    t.alloc(112, 0x1000, 4, [0xc1000010])
    t.alloc(110, 0x2000, 6, [0xc1000020])
    t.free(110, 0x2000, 5)
    t.alloc(111, 0x3000, 6, [0xc1000020])
    t.free(111, 0x3000, 6)
    t.alloc(110, 0x4000, 5, [0xc1000010])
    t.alloc(111, 0x5000, 4, [0xc1000010])
    t.alloc(111, 0x5010, 4)		# level with the top: no new high
    t.free(112, 0x1000, 4)
