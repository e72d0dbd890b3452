# SPDX-License-Identifier: MIT
"""Savings of every kind, of which three are told: bounce buffers, as small as
16 CPUs permit; a module, without the files that went through it, and only so far
as the unpacking does not need more; per-CPU memory."""
from kinds_case import ALLOC, SYSCALL, known

DRIVER = 0xd0a00010


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(40000)
    known(t)
    t.figure(b"Cached (initramfs)", 1012)
    t.figure(b"initrd (freed)", 800)
    t.figure(b"other (freed)", 8580)
    t.figure(b"reserved", 107352)
    t.figure(b"page structs", 4087)
    t.figure(b"Percpu", 16 * 244 + 1136)
    for group, name, kib in [
            ("all", b"per-CPU area", 244),
            ("reserved", b"per-CPU areas", 16 * 244),
            ("before", b"per-CPU areas", 1136),
            ("reserved", b"swiotlb", 65536),
            ("reserved", b"crashkernel", 2048)]:
        t.part(group, name, kib)
    t.module_range(b"leaky", DRIVER - 0x10, 0x1000)
    t.comm(80, b"user")
    for i in range(30):
        t.alloc(80, 0x2000 + 0x100 * i, 8, [ALLOC, DRIVER, SYSCALL])
    t.memory(40000 - 30 * 256)
