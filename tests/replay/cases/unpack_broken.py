# SPDX-License-Identifier: MIT
"""The image was broken, and rootfs, a ramfs, has no limit."""


def build(t):
    t.memory(33700)
    t.figure(b"Cached (initramfs)", 612)
    t.figure(b"reserved", 107352)
    t.unpack(b"XZ-compressed data is corrupt", 2**64 - 1, 0)
