# SPDX-License-Identifier: MIT
"""Nobody stands out, neither do modules of one family; all modules together
hold more than half."""
import kinds_case as k

TEXT = 0xd0000000
NAMES = [b"ib_core", b"ib_cm", b"rdma_cm", b"rdma_ucm", b"iw_cm", b"nvme",
         b"nvme_core", b"target_core_mod", b"mlx4_core", b"mlx5_core"]


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(60000)
    k.known(t)
    t.figure(b"page structs", 4087)
    t.comm(69, b"init")
    t.alloc(69, 0x9000, 9, [k.ALLOC, k.SLAB, k.SYSCALL])
    for i, name in enumerate(NAMES):
        base = TEXT + i * 0x100000
        t.comm(70 + i, b"modprobe-%d" % i)
        t.module_range(name, base, 0x4000)
        t.alloc(70 + i, 0x2000 + 0x200 * i, 7 + (i == 3),
                [k.ALLOC, base + 0x110, k.SYSCALL])
    t.memory(60000 - 512 - 11 * 128)
    t.reason = b"request"
