# SPDX-License-Identifier: MIT
"""Text that was freed after a load belongs to the next module: the newer wins.
"""


def build(t):
    t.comm(150, b"modprobe")
    t.module_range(b"one", 0xd0000000, 0x4000)
    t.module_range(b"one", 0xd0010000, 0x2000, flags=4)
    t.alloc(150, 0x1000, 0, [0xc1000010, 0xd0010100])
    t.alloc(150, 0x1001, 0, [0xd0003fff])
    t.alloc(150, 0x1002, 0, [0xd0004000])
    t.module_range(b"two", 0xd0010000, 0x8000)
    t.alloc(150, 0x1003, 0, [0xc1000010, 0xd0010100])
    t.alloc(150, 0x1004, 0, [0xd0010100, 0xd0000000])
    t.module_range(b"three", 0xd000f000, 0x800, flags=4)
    t.module_range(b"empty", 0xd0020000, 0)
    t.alloc(150, 0x1005, 0, [0xd000f7ff, 0xd0000000])
    t.alloc(150, 0x1006, 0, [0xd0020000])
    t.free(150, 0x1000)
