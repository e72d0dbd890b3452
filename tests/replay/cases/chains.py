# SPDX-License-Identifier: MIT
"""Chains of every length: the end of one is never the middle of another."""


def build(t):
    t.comm(250, b"deep")
    for n in range(65):
        t.alloc(250, 0x1000 + n, chain=[0xc1000000 + 16 * i
                                        for i in range(n)])
    t.alloc(250, 0x2000, 1, [0xc1000000])
    t.free(250, 0x1000, 4)
