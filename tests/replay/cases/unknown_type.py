# SPDX-License-Identifier: MIT
"""Records of types that this version does not know are skipped."""


def build(t):
    t.alloc(230, 0x1000, 1, [0xc1000010])
    t.unknown(77, b"\xff" * 60)
    t.unknown(79)
    t.unknown(0, b"zero")
    t.unknown(65535, b"x" * 65531)
    t.free(230, 0x1000)
