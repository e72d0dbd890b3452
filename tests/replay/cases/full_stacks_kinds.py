# SPDX-License-Identifier: MIT
"""No room for call chains: each keeps the one frame that tells its kind, so that
no page of a file is called anonymous. What comes without a chain is."""
import kinds_case as k


def build(t):
    t.layout.update(nodes=64, modules=16)
    t.memory(60000)
    t.module_range(b"filesystem", 0xd0000000, 0x1000)
    t.module_range(b"squashfs", 0xd0100000, 0x1000)
    t.comm(170, b"reader")
    t.functions(k.FUNCTIONS)
    for i in range(43):
        t.alloc(170, 0x1000 + i, 0, [0xc1000010 + i, 0xc1000100, 0xc1000200])
    t.alloc(170, 0x3000, 2, [])
    for pfn in range(0x4000, 0x4100, 16):
        t.alloc(170, pfn, 4, [k.ALLOC, k.CACHE, 0xd0000010, k.SYSCALL])
    t.alloc(170, 0x5000, 6, [k.ALLOC, k.CACHE, 0xd0100010, k.SYSCALL])
    # A sixteenth of 48 nodes is kept for that.
    t.alloc(170, 0x6000, 4, [k.ALLOC, k.TABLES, 0xc1100010])
    t.free(170, 0x4000, 4)
