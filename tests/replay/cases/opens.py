# SPDX-License-Identifier: MIT
"""No entry of a load is seen: the event that names the module opens the window.
"""
OPENS = 8
KMALLOC = [0xc1000010, 0xc1000020]


def build(t):
    t.comm(130, b"modprobe")
    t.alloc(130, 0x1000, 3, KMALLOC)		# before it has a name
    t.module_load(130, b"ext4", OPENS)
    t.alloc(130, 0x1010, 2, KMALLOC)
    t.vmalloc(130, 0xe0000000, [7], KMALLOC)
    t.alloc(131, 0x1014, 0, KMALLOC)		# another task's
    t.load_exit(130)
    t.alloc(130, 0x1020, 1, KMALLOC)		# after init
    t.module_load(130, b"floppy", OPENS)	# fails in init
    t.alloc(130, 0x1030, 0, KMALLOC)
    t.load_exit(130, -19)
    t.module_load(130, b"first", OPENS)		# its end is lost
    t.alloc(130, 0x1040, 0, KMALLOC)
    t.module_load(130, b"second", OPENS)
    t.alloc(130, 0x1050, 1, KMALLOC)
    t.load_exit(130, -1)
    t.load_exit(130)				# of built-in code
    t.load_enter(130)				# an entry after all
    t.alloc(130, 0x1060, 3, KMALLOC)
    t.module_load(130, b"third", OPENS)
    t.alloc(130, 0x1070, 0, KMALLOC)
    t.load_exit(130)
