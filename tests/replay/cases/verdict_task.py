# SPDX-License-Identifier: MIT
"""A task stands out, no module does: it reads files and runs large programs."""
import kinds_case as k


def build(t):
    t.memory(30000)
    k.known(t)
    t.comm(70, b"makedumpfile")
    t.alloc(70, 0x2000, 10)
    t.alloc(70, 0x2400, 8, [k.ALLOC, k.CACHE, k.SYSCALL])
    t.alloc(71, 0x2600, 8, [k.ALLOC, k.SLAB, k.SYSCALL])
    t.symbol(k.SLAB, k.SLAB - 0x10, b"allocate_slab")
    t.symbol(k.CACHE, k.CACHE - 0x10, b"filemap_add_folio")
    t.memory(28400)
    t.reason = b"request"
