# SPDX-License-Identifier: MIT
"""Bulk pages that belong to no area, also in interrupts; contiguous memory."""
CMA, IRQ = 64, 1


def build(t):
    t.memory(20000)
    t.memory(300, flags=16)
    t.comm(140, b"nfsd")
    t.bulk(140, 32)
    t.area_enter(140)		# what was before is not the area's
    t.bulk(140, 50, IRQ)	# nor what an interrupt took
    t.bulk(140, 60)
    t.bulk(140, 1000, CMA)
    t.area_alloc(140, 0xe0000000, [0xc1000010])
    t.bulk(0, 24, CMA | IRQ)
    t.alloc(140, 0x1000, 5)
    t.free(140, 0x3000, 4)	# from before
    t.memory(100, flags=16)
    t.memory(380, flags=16)
    # 32 + 50 + 60 + 1024 + 32 - 16 + 80, and 10 not explained
    t.memory(20000 - 1272)
