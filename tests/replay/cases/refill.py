# SPDX-License-Identifier: MIT
"""A server fills its array of pages for each call, as sunrpc does: the kernel
tells how many pages are in it then, not how many were allocated."""


def build(t):
    t.memory(20000)
    t.comm(150, b"nfsd")
    t.free(150, 0x7000, 5)		# from before, not of the array
    t.bulk(150, 259)			# all of them
    t.vmalloc(150, 0xe0000000, [100, 28], [0xc1000010], 0xc1000010)
    for i in range(200):
        t.free(150, 0x3000 + i)		# one goes with each answer
        t.bulk(150, 259)		# and is taken again
    t.area_free(150, 0xe0000000)
    t.free(150, 0x4000, 7)		# of the area, not of the array
    t.memory(20000 + 32 - 259)
