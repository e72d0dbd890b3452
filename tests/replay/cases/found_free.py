# SPDX-License-Identifier: MIT
"""Records were lost. Some of the held pages are found free, and one of them is
not counted twice when its free comes late."""
import gen


def build(t):
    t.comm(80, b"holder")
    t.comm(81, b"other")
    for i in range(8):
        t.alloc(80, 0x1000 + i, chain=[0xc1000010])
    t.alloc(81, 0x1008, 3, [0xc1000020])
    t.lost(9)
    missing = t.now_ns
    for pfn in (0x1000, 0x1001, 0x1005, 0x100a):
        t.free(0, pfn, flags=gen.FOUND)
    t.free(0, 0x1001, flags=gen.FOUND)	# nobody holds it any more
    t.free(0, 0x9000, flags=gen.FOUND)	# outside RAM
    t.free(0, 0x1000, 30, flags=gen.FOUND)
    t.alloc(81, 0x1000, 1, [0xc1000020])
    t.free(80, 0x1005)
    t.events[-1]["time_ns"] = missing
    t.free(80, 0x1002)
    t.free(81, 0x1008, 3)
