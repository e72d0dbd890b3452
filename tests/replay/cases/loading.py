# SPDX-License-Identifier: MIT
"""The window of a load: without a name, failed, within another one's, repeated.
"""
KMALLOC = [0xc1000010, 0xc1000020]


def build(t):
    t.comm(130, b"modprobe")
    t.comm(131, b"modprobe-2")
    t.load_enter(130)
    t.alloc(130, 0x1000, 4, KMALLOC)
    t.alloc(130, 0x1010)
    t.load_enter(131)			# it asked for another first
    t.alloc(131, 0x1020, 2, KMALLOC)
    t.module_load(131, b"libcrc32c")
    t.alloc(131, 0x1024, 0, KMALLOC)
    t.load_exit(131)
    t.alloc(131, 0x1025, 0, KMALLOC)
    t.module_load(130, b"ext4")
    t.alloc(130, 0x1030, 1, KMALLOC)
    t.load_exit(130)
    t.alloc(130, 0x1040, 0, KMALLOC)
    t.load_enter(130)			# fails without a name
    t.alloc(130, 0x1050, 3, KMALLOC)
    t.free(130, 0x1050, 2)
    t.load_exit(130, -8)
    t.load_enter(130)			# fails in its init function
    t.module_load(130, b"floppy")
    t.alloc(130, 0x1060, 3, KMALLOC)
    t.module_free(130, b"floppy")
    t.load_exit(130, -19)
    t.load_enter(130)			# the task dies within
    t.alloc(130, 0x1070, 0, KMALLOC)
    t.exit(130)
    t.load_exit(999)			# a window never entered
