# SPDX-License-Identifier: MIT
"""Records are lost, but the kernel's own count of pages bounds what they were
about: 4096 pages at most, and a part of the fall of free memory is theirs. Of the
first loss it had been known that none was about an allocation."""


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(40000)
    t.comm(80, b"user")
    for i in range(4):
        t.alloc(80, 0x2000 + 512 * i, 9)
    t.bulk(80, 512)
    t.lost(7)
    t.handed(2560)
    t.alloc(80, 0x4000, 9)
    t.lost(9)
    t.handed(2560 + 512 + 4096)
    t.memory(40000 - 5 * 512 - 4000)
