# SPDX-License-Identifier: MIT
"""Callers of vmalloc, by address: the kernel, a module, a module that is gone.
"""
CLONE = [0xc1000010, 0xc1000050, 0xc1000090]
INIT = [0xc1000010, 0xd0000040, 0xc1000020]
TEXT = [0xc1000010, 0xd0004040, 0xc1000020]


def build(t):
    t.memory(20000)
    t.comm(130, b"modprobe")
    t.vmalloc(130, 0xe0000000, [4], CLONE, 0xc1000050)
    t.vmalloc(130, 0xe0100000, [4], CLONE, 0xc1000050)
    t.vmalloc(130, 0xe0200000, [16], CLONE, 0xc1000090)
    t.vmalloc(130, 0xe0300000, [30], CLONE)		# not known
    t.vmalloc(130, 0xe0400000, [40], CLONE, 0xc1000060)	# not on the chain
    t.load_enter(130)
    t.vmalloc(130, 0xe0500000, [8], CLONE, 0xc1000090)	# its image
    t.module_load(130, b"planted")
    t.module_range(b"planted", 0xd0000000, 0x1000, flags=4)
    t.module_range(b"planted", 0xd0004000, 0x4000)
    t.vmalloc(130, 0xe0600000, [100, 28], INIT, 0xd0000040)
    t.area_enter(130, 0xd0004040)
    t.vmalloc(130, 0xe0700000, [2], TEXT, 0xd0004040)	# the array of
    t.bulk(130, 100)					# this one's pages
    t.bulk(130, 99)
    t.area_alloc(130, 0xe0800000, TEXT)
    t.load_exit(130)
    t.area_free(130, 0xe0100000)
    t.free(130, 0x3000, 2)
    t.load_enter(131)
    t.module_load(131, b"next")
    t.module_range(b"next", 0xd0000000, 0x1000)		# where init was
    t.vmalloc(131, 0xe0900000, [50], INIT, 0xd0000040)
    t.load_exit(131)
    t.vmallocinfo([(0xe0600000, 128, b"old+0x1/0x2 [planted]")])
    t.memory(20000 - 4 - 16 - 30 - 40 - 8 - 128 - 201 - 50)
    t.symbol(0xc1000050, 0xc1000040, b"kernel_clone")
    t.symbol(0xc1000090, 0xc1000080, b"kernel_read_file")
    t.symbol(0xd0004040, 0xd0004020, b"planted_vm [planted]")
