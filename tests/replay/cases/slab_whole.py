# SPDX-License-Identifier: MIT
"""Objects of slab that are freed twice while some CPU is not traced, or whose
first free is older than its first event: no fault. The mark that all is traced
may stand ahead of older events."""

import gen

SITE, OTHER, OBJECT = 0xc1000010, 0xc1000020, 0xd0000000


def twice(t, base, between=None):
    t.kmalloc(base, SITE, 60, 64)
    t.kfree(base, OTHER)
    if between:
        between()
    t.kfree(base, OTHER)


def ahead(t):
    """The mark, and then events that are older."""
    now_ns = t.now_ns
    t.now_ns += 9000
    t.whole()
    t.now_ns = now_ns


def build(t):
    t.layout["slab_bytes"] = 1 << 19
    t.memory(30000)
    t.whole(gen.PART)
    twice(t, OBJECT)
    twice(t, OBJECT + 0x100, t.whole)
    twice(t, OBJECT + 0x200)
    ahead(t)
    twice(t, OBJECT + 0x300)
    t.now_ns += 9000
    twice(t, OBJECT + 0x400)
    twice(t, OBJECT + 0x500, lambda: t.whole(gen.PART))
