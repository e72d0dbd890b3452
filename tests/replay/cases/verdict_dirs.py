# SPDX-License-Identifier: MIT
"""No module stands out, and no names that begin alike; but modules of one
directory held more than a quarter. Most of them are from a directory in it.
Modules of drivers/net-like names are not in drivers/net, nor do unknown ones
count."""
import kinds_case as k

TEXT = 0xd0000000
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
    t.ram = [(0x100, 65408)]
    t.memory(60000)
    k.known(t)
    t.figure(b"page structs", 4087)
    t.comm(69, b"init")
    t.alloc(69, 0x9000, 9, [k.ALLOC, k.SLAB, k.SYSCALL])
    for i, (name, _) in enumerate(MODULES):
        base = TEXT + i * 0x100000
        t.comm(70 + i, b"modprobe-%d" % i)
        t.module_range(name, base, 0x4000)
        t.alloc(70 + i, 0x2000 + 0x200 * i, 7,
                [k.ALLOC, base + 0x110, k.SYSCALL])
    for name, directory in MODULES:
        if directory:
            t.module_dir(name, directory)
    t.module_dir(b"ib_core", b"drivers/told/again")
    t.module_dir(b"not_loaded", b"drivers/net")
    t.memory(60000 - 512 - 10 * 128)
    t.reason = b"request"
