# SPDX-License-Identifier: MIT
"""The fullest tmpfs and rootfs, whose limits are a part of memory, when they held
most: what they hold later is less. One was full, so more may be needed. Of what
is reserved a tmpfs has nothing, so it is saved; CMA is a part of its memory."""


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(33700)
    t.figure(b"reserved", 7352)
    t.figure(b"cma-reserved", 4096)
    t.part("reserved", b"crashkernel", 6000)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    for tmpfs, rootfs in (120000, 40000), (180000, 70000), (90000, 30000):
        t.figure(b"tmpfs limit", tmpfs)
        t.figure(b"rootfs files", rootfs)
    t.full([(b"/run", 180000 * 512, 22500, 0, 0)])
    t.memory(33700 - 512)
