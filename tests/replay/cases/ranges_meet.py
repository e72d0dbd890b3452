# SPDX-License-Identifier: MIT
"""Where ranges of text end: where the text of a live module begins, because
sizes may be too large; where a newer one begins, of which text was freed; and
nowhere behind all addresses. A range of no bytes is none, nor is one that
wraps."""
import gen

WIDE = True
TEXT = 0xffffffffc0000000
PLACES = (TEXT + 0xfff, TEXT + 0x1000, TEXT + 0x5fff, TEXT + 0x6000,
          TEXT + 0x67ff, TEXT + 0x6800, TEXT + 0x8000, 2**64 - 11, 2**64 - 2)


def build(t):
    t.module_range(b"b", TEXT + 0x4000, 0x1000)
    t.module_range(b"a", TEXT + 0x1000, 0x1000)
    t.module_range(b"b", TEXT + 0x800, 0x1800, flags=gen.INIT_TEXT)
    t.module_range(b"a", TEXT + 0x6000, 0x1000, flags=gen.INIT_TEXT)
    t.module_range(b"b", TEXT + 0x6000, 0x800, flags=gen.INIT_TEXT)
    t.module_range(b"a", TEXT + 0x5800, 0x800, flags=gen.INIT_TEXT)
    t.module_range(b"a", TEXT + 0x8000, 0)
    t.module_range(b"a", 2**64 - 2, 9)
    t.module_range(b"a", 2**64 - 11, 10)
    for i, at in enumerate(PLACES):
        t.alloc(1, 0x1000 + 16 * i, i % 4, [at + 1])
