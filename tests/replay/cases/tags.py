# SPDX-License-Identifier: MIT
"""What was in use before tracing, by code, as /proc/allocinfo had it: the
sixteen largest, whatever their names are, and what is not whole."""
import gen


def build(t):
    t.memory(20000)
    t.figure(b"Slab", 15560)
    t.tag(b"alloc_slab_page mm/slub.c:2424", 15560 << 10, 3890)
    t.tag(b"__vmalloc_node_range [xfs] mm/vmalloc.c:3812", 3 << 20, 12)
    t.tag(b"kvmalloc_node_noprof [xfs]", 2 << 20, 1, 0, gen.PART)
    t.tag(b"no_place", 1 << 20, 2)
    t.tag(b'a"\\\x1b[31m <&> \xff:1', 999, 3)
    t.tag(b"a name of fifty-five bytes, before its place: path.c:12", 998,
          4)
    t.tag(b" x", 997, 5)
    t.tag(b"most of all c:1", 2**59, 2**64 - 1)
    for i in range(9):			# the last finds no room
        t.tag(b"dup fs/%d.c:1" % i, 500 - i, i)
    t.tag(b"", 0, 1234, 1, gen.PART)
    t.memory(19000)
