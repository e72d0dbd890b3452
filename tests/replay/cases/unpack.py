# SPDX-License-Identifier: MIT
"""rootfs is full: the initramfs was not unpacked to its end."""


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(33700)
    t.figure(b"Cached (initramfs)", 60612)
    t.figure(b"Shmem", 60612)
    t.figure(b"reserved", 107352)
    t.figure(b"cma-reserved", 16)
    t.figure(b"initrd (freed)", 59732)
    t.figure(b"other (freed)", 8580)
    t.unpack(b"write error", 60612 << 10, 15153)
    t.unpack_last(b"/usr/lib/firmware/\x1b[31m\"large\".bin", 5000000)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    t.memory(33700 - 512)
