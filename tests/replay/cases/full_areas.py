# SPDX-License-Identifier: MIT
"""No room for areas and callers: areas without a row do not count as held."""


def build(t):
    t.layout["modules"] = 16			# 48 areas, 15 callers
    t.layout["tasks"] = 16			# 16 areas more
    t.memory(20000)
    t.comm(130, b"modprobe")
    for i in range(70):
        t.vmalloc(130, 0xe0000000 + i * 0x10000, [2 + i])
    t.vmallocinfo([(0xe0000000 + i * 0x10000, 2 + i,
                    b"caller_%d+0x1/0x2" % (i % 20)) for i in range(70)])
    t.area_free(130, 0xe0000000)
    t.area_free(130, 0xe0000000 + 69 * 0x10000)	# never was
    t.free(130, 0x1000, 1)
    t.vmalloc(130, 0xe1000000, [100])		# has room
    t.memory(20000 - sum(range(2, 72)) - 98)
