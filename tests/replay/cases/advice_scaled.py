# SPDX-License-Identifier: MIT
"""16 GiB, of which little is used: page structs and hash tables are counted for
the advised size."""


def build(t):
    t.ram = [(0x100, 4 << 20)]
    t.memory(4050000)
    t.figure(b"Cached", 2996)		# tracing began long after the boot
    t.figure(b"reserved", 398276)
    t.figure(b"page structs", 262135)
    t.figure(b"hash tables", 32240)
    t.figure(b"initrd (freed)", 59732)
    t.figure(b"other (freed)", 8580)
    t.alloc(200, 0x1000, 9, [0xc1000010])
    t.memory(4050000 - 512)
