# SPDX-License-Identifier: MIT
"""Savings by parameters of the kernel: huge pages that nobody uses, the larger
rootfs, a table of memory cgroups, the pool of kfence, nodes. Huge pages told
again count once, as far as both have them."""
from kinds_case import ALLOC, SYSCALL, known

DRIVER = 0xd0a00010


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(40000)
    known(t)
    t.figure(b"Cached (initramfs)", 9012)
    t.figure(b"inodes (initramfs)", 1500)
    t.figure(b"initrd (freed)", 4000)
    t.figure(b"other (freed)", 8580)
    t.figure(b"reserved", 57352)
    t.figure(b"page structs", 4087)
    t.figure(b"Hugetlb", 40960)
    t.figure(b"unused huge pages", 40960)
    t.figure(b"unused huge pages", 20480)
    t.figure(b"unused huge pages", 40960)
    for group, name, kib in [
            ("reserved", b"kfence", 2048),
            ("reserved", b"node data", 8 * 172), ("all", b"a node's data", 172),
            ("all", b"per-CPU cgroup table", 4096)]:
        t.part(group, name, kib)
    t.module_range(b"virtio_blk", DRIVER - 0x10, 0x1000)
    t.in_use(b"virtio_blk")
    t.comm(80, b"user")
    for i in range(30):
        t.alloc(80, 0x2000 + 0x100 * i, 8, [ALLOC, DRIVER, SYSCALL])
    t.memory(40000 - 30 * 256)
