# SPDX-License-Identifier: MIT
"""Ranges of a module's text that find no room: code there is no module's. The
others stay."""
TEXT, BELOW = 0xf1000000, 0xf0000000


def build(t):
    t.layout.update(modules=4)
    for i in range(8):			# as many as there is room for
        t.module_range(b"ext4", TEXT + 0x1000 * i, 0x100)
    t.alloc(1, 0x1000, 0, [TEXT + 8])
    for i in range(3):
        t.module_range(b"ext4", BELOW + 0x1000 * i, 0x100)
    t.alloc(1, 0x1010, 1, [BELOW + 8])
    t.alloc(1, 0x1020, 2, [TEXT + 0x7008])
