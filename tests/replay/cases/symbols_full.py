# SPDX-License-Identifier: MIT
"""More addresses than the table of names has room for, which is 14 of 16 rows: the
others have none, and names of other addresses take no room."""


def build(t):
    t.layout["symbols"] = 16
    t.symbol(0xc1000800, 0xc1000700, b"not_asked_for")
    for i in range(20):
        t.alloc(1, 0x1000 + i, 0, [0xc1001010 + 0x100 * i])
        t.symbol(0xc1001010 + 0x100 * i, 0xc1001000 + 0x100 * i,
                 b"function_%d" % i)
