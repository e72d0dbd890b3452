# SPDX-License-Identifier: MIT
"""Names from a trace: of an address, whose neighbour has none; of one that is
nowhere; of a function that would start behind the address; and none."""


def build(t):
    t.alloc(1, 0x1000, 0, [0xc1001010, 0xc1001020, 0xc1004010])
    t.symbol(0xc1001010, 0xc1001000, b"known_name")
    t.symbol(0xc1003010, 0xc1003000, b"other")
    t.symbol(0xc1004010, 0xc1004010, b"not_below")
    t.symbol(0, 0, b"nothing")
