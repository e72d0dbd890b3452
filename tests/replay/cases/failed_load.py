# SPDX-License-Identifier: MIT
"""Loads that fail, in init or before, and the pages and areas that they leave.
"""
KMALLOC = [0xc1000010, 0xc1000020]


def build(t):
    t.comm(130, b"modprobe")
    t.load_enter(130)				# in init, -ENOMEM
    t.vmalloc(130, 0xd0000000, [12], KMALLOC)
    t.module_load(130, b"fails")
    t.module_range(b"fails", 0xd0000000, 0x4000)
    t.alloc(130, 0x1000, 3, [0xc1000010, 0xd0000040])
    t.vmalloc(130, 0xe0000000, [20], [0xc1000010, 0xd0000040])
    t.free(130, 0x1000, 2)
    t.module_free(130, b"fails")
    t.area_free(130, 0xd0000000)
    t.load_exit(130, -12)
    t.load_enter(130)				# it has no name yet
    t.vmalloc(130, 0xd0100000, [8], KMALLOC)
    t.load_exit(130, -8)
    t.area_free(130, 0xd0100000)
    t.load_enter(130)				# and its file stays
    t.vmalloc(130, 0xd0200000, [6], KMALLOC)
    t.load_exit(130, -8)
