# SPDX-License-Identifier: MIT
"""A module's own areas: kept, temporary, failed, nested, and longer than
itself."""
INIT = [0xc1000010, 0xd0000040, 0xc1000020]


def build(t):
    t.memory(20000)
    t.comm(130, b"modprobe")
    t.load_enter(130)
    t.module_load(130, b"planted")
    t.module_range(b"planted", 0xd0000000, 0x4000)
    t.vmalloc(130, 0xe0000000, [100, 100, 56], INIT)	# kept
    t.vmalloc(130, 0xe0200000, [100, 28], INIT)		# temporary
    t.area_free(130, 0xe0200000)
    t.free(130, 0x3000, 7)			# its pages, never seen
    t.vmalloc(130, 0, [100, 12], INIT)			# failed,
    t.free(130, 0x3080, 6)				# its pages are freed
    t.free(130, 0x30c0, 5)
    t.free(130, 0x30e0, 4)
    t.area_enter(130)
    t.vmalloc(130, 0xe0400000, [2], INIT)	# the array of the next one's
    t.bulk(130, 100)
    t.bulk(130, 100)
    t.area_alloc(130, 0xe0500000, INIT)
    t.vmalloc(130, 0xe0600000, [], INIT)	# page events show all of it
    t.alloc(130, 0x2000, 1, INIT)
    t.load_exit(130)
    t.vmalloc(130, 0xe0700000, [30], INIT)	# after its load
    t.vmalloc(131, 0xe0800000, [20], INIT[2:])	# nobody's
    t.vmallocinfo([(0xe0000000, 256, b"planted_init+0x40/0x90 [planted]"),
                   (0xe0400000, 2, b"vm_area_alloc_pages+0x10/0x20"),
                   (0xe0500000, 200, b"planted_init+0x40/0x90 [planted]"),
                   (0xe0800000, 20, b"kernel_clone+0xbf/0x430"),
                   (0xe0900000, 99, b"of_before+0x1/0x2")])
    t.module_free(130, b"planted")
    t.area_free(130, 0xe0500000)		# later than it
    t.free(130, 0x3100, 7)
    t.free(130, 0x3180, 6)
    t.free(130, 0x31c0, 3)
    t.area_free(130, 0xe0400000)
    t.free(130, 0x31c8, 1)
    t.area_free(130, 0xeeee0000)		# ioremap's
    t.vmalloc(131, 0xe0800000, [10], INIT[2:])	# the free was lost
    t.free(131, 0x31d0, 4)
    t.free(131, 0x31e0, 2)
    t.memory(20000 - 298)
