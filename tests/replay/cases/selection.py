# SPDX-License-Identifier: MIT
"""15 modules and 15 tasks, of which the nth has n stacks of a page each: 120
pages, more rows and stacks than levels 1 and 2 show. Their pids go down while
names go up, and three tasks of one page show what orders equal rows."""


def build(t):
    pfn = 0x1000
    for i in range(1, 16):
        base = 0xd0000000 + i * 0x10000
        t.comm(200 - i, b"name%02d" % i)
        t.module_range(b"name%02d" % i, base, 0x4000)
        for n in range(i):
            t.alloc(200 - i, pfn, 0, [base + 0x10 + n])
            pfn += 1
    for pid, name in (30, b"same"), (20, b"same"), (40, b"equal"):
        t.comm(pid, name)
        t.alloc(pid, pfn)
        pfn += 1
    t.comm(50, b"holds nothing")
