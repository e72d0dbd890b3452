# SPDX-License-Identifier: MIT
"""The fullest tmpfs and rootfs, whose limits are a part of memory, when they held
most: what they hold later is less."""


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(33700)
    t.figure(b"reserved", 7352)
    t.figure(b"cma-reserved", 16)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    for tmpfs, rootfs in (120000, 40000), (180000, 70000), (90000, 30000):
        t.figure(b"tmpfs limit", tmpfs)
        t.figure(b"rootfs files", rootfs)
    t.memory(33700 - 512)
