# SPDX-License-Identifier: MIT
"""Nobody stands out, but forty modules of one family together do: their pages,
images and vmalloc; those of other names are not theirs, nor is one of them that is in
use a saving. More than half are from one directory, but not from one in it. Who loaded them is a group too, but it keeps nothing of its own."""
import kinds_case as k

TEXT, IMAGE = 0xd0000000, 0xd8000000


def load(t, i, name, keep):
    base, pfn = TEXT + i * 0x100000, 0x2000 + 0x80 * i
    t.comm(100 + i, b"insmod")
    t.load_enter(100 + i)
    t.vmalloc(100 + i, base, [8], [k.ALLOC, k.SYSCALL])
    t.module_load(100 + i, name)
    t.module_range(name, base, 0x4000)
    t.alloc(100 + i, pfn, keep, [k.ALLOC, base + 0x110, k.SYSCALL])
    if i < 5:
        t.vmalloc(100 + i, IMAGE + i * 0x100000, [16],
                  [base + 0x210, k.SYSCALL])
    t.load_exit(100 + i)
    t.exit(100 + i)


def build(t):
    k.begin(t)
    for i in range(40):
        load(t, i, b"plnt%02d" % i, 6)
    for i, name in enumerate([b"p1nt", b"plan", b"plnt"[::-1], b"e1000",
                              b"e100", b"x_tables"]):
        load(t, 40 + i, name, 5)
    t.in_use(b"plnt07")
    for i in range(25):
        t.module_dir(b"plnt%02d" % i, b"drivers/net/ethernet" if i < 20 else
                     b"drivers/net/wireless")
    t.symbol(TEXT + 0x110, TEXT + 0x100, b"plnt_keep [plnt00]")
    t.memory(60000 - 40 * 64 - 6 * 32 - 46 * 8 - 5 * 16)
    t.reason = b"request"
