# SPDX-License-Identifier: MIT
"""A module's image is the loader's memory: core, freed init text, the file."""
LOADER = [0xc1000010, 0xc1000020, 0xc1000030]
INIT = [0xc1000010, 0xd0100040, 0xc1000030]


def build(t):
    t.comm(130, b"modprobe")
    t.comm(131, b"modprobe")
    t.load_enter(130)
    t.vmalloc(130, 0xe0000000, [100, 20], LOADER)	# the file
    t.vmalloc(130, 0xd0000000, [16], LOADER)
    t.vmalloc(130, 0xd0100000, [4], LOADER)
    t.load_enter(131)				# another, at the same time
    t.area_enter(131)
    t.bulk(131, 5)
    t.area_enter(130)
    t.bulk(130, 3)
    t.bulk(131, 6)
    t.area_alloc(130, 0xd0200000, LOADER)
    t.area_alloc(131, 0xd0300000, LOADER)
    t.module_load(130, b"first")
    t.module_range(b"first", 0xd0000000, 0x4000)
    t.module_range(b"first", 0xd0100000, 0x4000, flags=4)
    t.area_free(130, 0xe0000000)
    t.vmalloc(130, 0xe0000000, [40], INIT)	# by its init text: its own
    t.load_exit(130)
    t.area_free(2, 0xd0100000)			# a worker frees init
    t.module_load(131, b"second")
    t.load_exit(131)
    t.vmalloc(131, 0xe0100000, [9], LOADER)	# no load is on
    t.vmallocinfo([(0xd0000000, 16, b"module_alloc+0x5/0x50"),
                   (0xd0200000, 3, b"module_alloc+0x5/0x50"),
                   (0xd0300000, 11, b"module_alloc+0x5/0x50"),
                   (0xe0000000, 40, b"first_init+0x40/0x50 [first]"),
                   (0xe0100000, 9, b"n_tty_open+0x19/0xa0")])
