# SPDX-License-Identifier: MIT
"""Where the text of a module lies is not known in time: what its init takes is
vmalloc all the same, and its image is what the loader took before. The init
text of another module, whose load is over, lay in the same place.
"""
CLONE = [0xc1000010, 0xc1000050, 0xc1000090]
INIT = [0xc1000010, 0xd0000040, 0xc1000020]


def build(t):
    t.memory(20000)
    t.symbol(CLONE[0], 0xc1000000, b"bulk")
    t.comm(130, b"modprobe")
    t.load_enter(130)
    t.module_load(130, b"early")
    t.module_range(b"early", 0xd0100000, 0x4000)
    t.module_range(b"early", 0xd0000000, 0x4000, flags=4)
    t.load_exit(130, 0)
    t.load_enter(130)
    t.vmalloc(130, 0xe0000000, [8], CLONE, 0xc1000090)	# the file
    t.vmalloc(130, 0xe0100000, [16], CLONE, 0xc1000050)
    t.area_free(130, 0xe0000000)
    t.module_load(130, b"late")
    t.vmalloc(130, 0xe0200000, [100, 28], INIT, 0xd0000040)
    t.load_exit(130, -12)
    t.area_free(130, 0xe0100000)
    t.memory(19800)
    t.reason = b"request"
