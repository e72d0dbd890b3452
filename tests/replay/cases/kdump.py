# SPDX-License-Identifier: MIT
"""A crash kernel whose balance holds to 95 %: how much to reserve for it."""


def build(t):
    t.ram = [(0x100, 40960)]			# 160 MiB
    t.memory(200, flags=16)
    t.memory(30000, flags=32)
    t.comm(200, b"makedumpfile")
    for i in range(18):
        t.alloc(200, 0x1000 + 512 * i, 9, [0xc1000010])
    t.memory(20000)		# the least of all
    for i in range(4):
        t.free(200, 0x1000 + 512 * i, 9)
    t.figure(b"Slab", 15560)
    t.memory(30000 - 7544, flags=32)	# 7168 of it: 950 per mille
