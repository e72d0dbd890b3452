# SPDX-License-Identifier: MIT
"""rootfs has an inode for each two pages of memory that is not reserved: the
files of the initramfs are many, but small."""


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(33700)
    t.figure(b"Cached (initramfs)", 6012)
    t.figure(b"Shmem", 6012)
    t.figure(b"rootfs inodes", 15012 * 4)
    t.figure(b"reserved", 107352)
    t.figure(b"page structs", 4087)
    t.figure(b"cma-reserved", 16)
    t.figure(b"hash tables", 806)
    t.figure(b"initrd (freed)", 5932)
    t.figure(b"other (freed)", 8580)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    t.memory(33700 - 512)
