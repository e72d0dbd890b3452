# SPDX-License-Identifier: MIT
"""No room in the page table: pages that are not kept are counted one by one."""


def build(t):
    t.layout["pages_bytes"] = 4096	# 448 of 512 slots
    t.comm(160, b"first")
    t.comm(161, b"second")
    t.alloc(160, 0x1000, 8, [0xc1000010])
    t.alloc(161, 0x2000, 7)
    t.alloc(161, 0x3000, 7, [0xc1000010])
    t.alloc(161, 0x4000)
    t.free(160, 0x1000, 4)
    t.alloc(161, 0x3040, 4)
    t.free(161, 0x3000, 7)
    t.alloc(161, 0x5000, 6)
