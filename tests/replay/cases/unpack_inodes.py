# SPDX-License-Identifier: MIT
"""rootfs has no inode left: the files behind the last one are missing. That it is
full is said once."""


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(33700)
    t.figure(b"Cached (initramfs)", 6012)
    t.figure(b"Shmem", 6012)
    t.figure(b"rootfs inodes", 13000 * 4)
    t.figure(b"reserved", 107352)
    t.figure(b"initrd (freed)", 5932)
    t.figure(b"other (freed)", 8580)
    t.unpack(b"no inode was left, so files are missing", 6012 << 10, 13000)
    t.unpack_last(b"/many/f\x1b[31m9", 0, 13000)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    t.full([(b"/", 13000 * 4096, 1503, 13000, 0)])
    t.memory(33700 - 512)
