# SPDX-License-Identifier: MIT
"""Figures that no kernel has: page structs of more than a quarter of memory,
and an endless unpacking."""


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(33700)
    t.figure(b"Cached (initramfs)", 1)
    t.figure(b"reserved", 1)
    t.figure(b"page structs", 65409)
    t.figure(b"initrd (freed)", 2**53)
    t.figure(b"other (freed)", 2**53)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    t.memory(33700 - 512)
