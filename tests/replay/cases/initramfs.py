# SPDX-License-Identifier: MIT
"""A smaller initramfs would save most: which directories hold most of it. A
fourth one finds no room; one name is as long as it can be; one has what a
terminal would take as a command."""


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(40000)
    t.figure(b"Cached (initramfs)", 62000)
    t.figure(b"initrd (freed)", 30000)
    t.figure(b"other (freed)", 8580)
    t.figure(b"reserved", 50472)
    t.figure(b"page structs", 4087)
    t.initramfs(b"/usr/lib/modules", 35 << 20)
    t.initramfs(b"/usr/lib/\x1b[2Jfirmware\n", 12345678)
    t.initramfs(b"/usr/lib/" + b"x" * 46, 7 << 20)
    t.initramfs(b"/usr/bin", 6 << 20)
    t.alloc(7, 0x2000, 9)
    t.memory(40000 - 512)
