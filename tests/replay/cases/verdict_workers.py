# SPDX-License-Identifier: MIT
"""Nobody stands out, but five workers together do: their memory would be a fifth
with one of them. Two more tasks have one name too."""
import kinds_case as k


def build(t):
    k.begin(t)
    t.comm(70, b"dd")
    t.alloc(70, 0x2000, 9, [k.ALLOC, k.CACHE, k.SYSCALL])
    t.comm(71, b"cp")
    t.alloc(71, 0x2200, 9, [k.ALLOC, k.SLAB, k.SYSCALL])
    t.comm(72, b"cp")
    t.alloc(72, 0x2400, 8, [k.ALLOC, k.SLAB, k.SYSCALL])
    for i in range(5):
        t.comm(80 + i, b"worker")
        t.alloc(80 + i, 0x3000 + 0x400 * i, 8 + (i == 2))
        t.alloc(80 + i, 0x3200 + 0x400 * i, 3, [k.ALLOC, k.TABLES, k.SYSCALL])
    t.exit(81)
    t.free(81, 0x3400, 8)
    t.symbol(k.SLAB, k.SLAB - 0x10, b"allocate_slab")
    t.memory(60000 - 1280 - 1536 - 5 * 8 + 256)
    t.reason = b"request"
