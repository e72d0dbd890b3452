# SPDX-License-Identifier: MIT
"""A module that is gone and left few pages is shown beside ten larger ones."""


def build(t):
    t.comm(130, b"modprobe")
    for i in range(12):
        base = 0xd0000000 + i * 0x10000
        t.module_range(b"large_%d" % i, base, 0x4000)
        t.alloc(130, 0x1000 + 32 * i, 5, [0xc1000010, base + 0x40])
    for name, base, pfn in [(b"leaks", 0xd1000000, 0x2000),
                            (b"leaks_area", 0xd1010000, 0x2010),
                            (b"clean", 0xd1020000, 0x2020)]:
        t.load_enter(130)
        t.module_load(130, name)
        t.module_range(name, base, 0x4000)
        t.load_exit(130)
        t.alloc(130, pfn, 2, [0xc1000010, base + 0x40])
        t.free(130, pfn + 1)
        t.free(130, pfn + 2, 1)
        if name != b"leaks":
            t.free(130, pfn)
        if name == b"leaks_area":
            t.vmalloc(130, 0xe0000000, [3], [0xc1000010, base + 0x40])
        t.module_free(130, name)
