# SPDX-License-Identifier: MIT
"""Dozens of loads that fail before they have a name, as udev causes them. A
copy of the file came and went, some leave a page, and two hold more than the
others."""
KMALLOC = [0xc1000010, 0xc1000020]


def fail(t, number, pages):
    area = 0xd0000000 + number * 0x100000
    t.load_enter(130)
    t.vmalloc(130, area, [40 + number], KMALLOC)
    t.area_free(130, area)
    for i in range(pages):
        t.alloc(130, 0x4000 + 32 * number + i, 0, [0xc1000010 + 64 * number])
    t.load_exit(130, -17)


def build(t):
    t.comm(130, b"(udev-worker)")
    for i in range(8):
        t.alloc(130, 0x1000 + 512 * i, 9, [0xc1000010])	# 1 % are 40 pages
    for number in range(24):
        fail(t, number, number % 3 == 0)
    fail(t, 24, 16)				# 64K, and one page more
    fail(t, 25, 17)
    t.load_enter(130)				# and one that got a name
    t.module_load(130, b"fails")
    t.alloc(130, 0x6000, 0, [0xc1000010])
    t.load_exit(130, -19)
    for i in range(8):
        t.free(130, 0x1000 + 512 * i, 9)
