# SPDX-License-Identifier: MIT
"""Huge pages: of the kernel's command line, then more by sysctl, and one beyond
these for a mapping. Last told: 8 used or promised, 5 unused, of 1 GiB another
one."""
from kinds_case import ALLOC, FUNCTIONS, SYSCALL

FRESH, STORE, SURPLUS = 0xc1010010, 0xc1011010, 0xc1012010


def look(t, used, unused, others):
    t.figure(b"unused huge pages", unused * 2048)
    for name, count in ((b"used", used), (b"unused", unused)):
        t.kept(b"huge-" + name, count * 512)
    t.kept(b"huge-others", others << 18)


def build(t):
    t.memory(30000)
    look(t, 0, 3, 0)
    t.comm(70, b"sysctl")
    t.comm(71, b"database")
    t.functions([*FUNCTIONS, (FRESH - 0x10, 0x100, b"alloc_fresh_huge_page"),
                 (STORE - 0x10, 0x100, b"__nr_hugepages_store_common"),
                 (SURPLUS - 0x10, 0x100, b"alloc_surplus_huge_page")])
    for i in range(9):
        t.alloc(70, 0x2000 + 512 * i, 9, [ALLOC, FRESH, STORE, SYSCALL])
    look(t, 0, 12, 0)
    t.alloc(71, 0x4000, 9, [ALLOC, SURPLUS, SYSCALL])
    t.memory(24880)
    look(t, 8, 5, 1)
