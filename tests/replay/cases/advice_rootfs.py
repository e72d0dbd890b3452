# SPDX-License-Identifier: MIT
"""rootfs is a tmpfs: half of the memory that is not reserved must hold the
initramfs."""


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(33700)
    t.figure(b"Cached (initramfs)", 60612)
    t.figure(b"Shmem", 60612)
    t.figure(b"reserved", 107352)
    t.figure(b"page structs", 4087)
    t.figure(b"cma-reserved", 16)
    t.figure(b"hash tables", 806)
    t.figure(b"initrd (freed)", 59732)
    t.figure(b"other (freed)", 8580)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    t.memory(33700 - 512)
