# SPDX-License-Identifier: MIT
"""Nobody stands out, neither do modules of one family; all modules together
hold more than half."""
import kinds_case as k

NAMES = [b"ib_core", b"ib_cm", b"rdma_cm", b"rdma_ucm", b"iw_cm", b"nvme",
         b"nvme_core", b"target_core_mod", b"mlx4_core", b"mlx5_core"]


def build(t):
    k.begin(t)
    k.modules(t, [(name, 7 + (i == 3)) for i, name in enumerate(NAMES)])
    t.memory(60000 - 512 - 11 * 128)
    t.reason = b"request"
