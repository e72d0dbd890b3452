# SPDX-License-Identifier: MIT
"""Much was taken, and nobody stands out: ten tasks have a tenth each."""
import kinds_case as k


def build(t):
    t.memory(30000)
    k.known(t)
    for i in range(10):
        t.comm(80 + i, b"worker-%d" % i)
        t.alloc(80 + i, 0x2000 + 0x100 * i, 8, [k.ALLOC, k.SLAB, k.SYSCALL])
    t.symbol(k.SLAB, k.SLAB - 0x10, b"allocate_slab")
    t.memory(27400)
    t.reason = b"reboot"
