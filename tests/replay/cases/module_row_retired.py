# SPDX-License-Identifier: MIT
"""A frame of a module that is gone keeps the name of what was there, or none:
never that of the module that has its row by now."""
import gen

EXT4, LOOP, INIT = 0xf1000000, 0xf2000000, 0xf3000000


def build(t):
    t.layout.update(modules=5)
    t.module_range(b"loop", LOOP, 0x10000)
    t.module_range(b"ext4", INIT, 0x10000, flags=gen.INIT_TEXT)
    t.alloc(1, 0x1000, 0, [LOOP + 8, INIT + 8, 0xc1000002])
    t.module_range(b"squashfs", INIT, 0x10000)
    t.module_free(1, b"ext4")
    t.module_range(b"overlay", EXT4, 0x10000)	# in the row of ext4
