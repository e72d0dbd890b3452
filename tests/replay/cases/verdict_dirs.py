# SPDX-License-Identifier: MIT
"""No module stands out, and no names that begin alike; but modules of one
directory held more than a quarter. Most of them are from a directory in it.
Modules of drivers/net-like names are not in drivers/net, nor do unknown ones
count."""
import kinds_case as k

MODULES = [
    (b"ib_core", b"drivers/infiniband/core"),
    (b"rdma_cm", b"drivers/infiniband/core"),
    (b"iw_cm", b"drivers/infiniband/core"),
    (b"siw", b"drivers/infiniband/sw"),
    (b"nvme_tcp", b"drivers/nvme/host"),
    (b"target_core_mod", b"drivers/target"),
    (b"veth", b"drivers/net"),
    (b"netlike", b"drivers/net-like/a"),
    (b"crc32", b"lib"),
    (b"unknown", b""),
]


def build(t):
    k.begin(t)
    k.modules(t, [(name, 7) for name, _ in MODULES])
    for name, directory in MODULES:
        if directory:
            t.module_dir(name, directory)
    t.module_dir(b"ib_core", b"drivers/told/again")
    t.module_dir(b"not_loaded", b"drivers/net")
    t.memory(60000 - 512 - 10 * 128)
    t.reason = b"request"
