# SPDX-License-Identifier: MIT
"""Fewer tags in use than a report has room for; one function has two."""


def build(t):
    t.memory(20000)
    t.tag(b"alloc_slab_page mm/slub.c:2400", 12 << 20, 3000)
    t.tag(b"__vmalloc_node_range_noprof [xfs] mm/vmalloc.c:3800", 2 << 20, 12)
    t.tag(b"__vmalloc_node_range [xfs] mm/vmalloc.c:3799", 2 << 20, 12)
    t.tag(b"alloc_slab_page mm/slub.c:2500", 4096, 1)
    t.tag(b"", 0, 4)
    t.memory(19000)
