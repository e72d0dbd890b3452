# SPDX-License-Identifier: MIT
"""No room for modules: they share one row; those that left nothing are dropped.
"""


def build(t):
    t.layout["modules"] = 16
    t.comm(210, b"modprobe")
    for i in range(14):
        t.load_enter(210)
        if i == 7:			# an image, at the peak
            t.vmalloc(210, 0xe0000000, [40], [0xc1000010])
        t.module_load(210, b"module_%d" % i)
        t.module_range(b"module_%d" % i, 0xd0000000 + i * 0x1000, 0x1000)
        t.alloc(210, 0x1000 + 4 * i, 1, [0xc1000010])
        t.load_exit(210)
    t.load_enter(210)
    t.alloc(210, 0x2000, 2, [0xc1000010])
    t.module_load(210, b"no room")
    t.module_range(b"no room", 0xd0020000, 0x1000)
    t.load_exit(210)
    t.alloc(210, 0x2004, 0, [0xd0020010])
    t.module_free(210, b"module_4")	# holds pages: stays
    t.module_free(210, b"module_7")
    t.free(210, 0x101c, 1)		# holds nothing: goes
    t.area_free(210, 0xe0000000)
    t.free(210, 0x8000, 5)
    t.free(210, 0x8020, 3)
    t.load_enter(210)
    t.alloc(210, 0x2008, 3, [0xc1000010])
    t.module_load(210, b"has room")
    t.load_exit(210)
    t.alloc(210, 0x2010, 0, [0xc1000010, 0xd0007010])
