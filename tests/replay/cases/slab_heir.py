# SPDX-License-Identifier: MIT
"""A module's row is used again: all that it counted of objects of slab goes to
(other), and what was held at the peak stays that. Addresses in its text keep
its name as long as only its text is another's, then have that of (other)."""
import gen

SITE, TEXT, KEPT, OBJECT = 0xc1000010, 0xf1000000, 0xf2000000, 0xd0000000


def load(t, name, text=TEXT):
    t.module_load(7, name)
    t.module_range(name, text, 0x4000)


def build(t):
    t.layout.update(slab_bytes=1 << 19, modules=16)
    t.memory(30000)
    load(t, b"first")
    t.kmalloc(OBJECT, TEXT + 0x100, 60, 64)
    t.kmalloc(OBJECT, TEXT + 0x100, 50, 64)		# settles it
    t.kmalloc(OBJECT + 0x1000, TEXT + 0x100, 20, 32)
    t.kfree(OBJECT + 0x1000, SITE, cpu=3)
    t.kfree(OBJECT + 0x1000, TEXT + 0x200)		# a second time
    t.kmalloc(OBJECT + 0x2000, SITE, 8, 8)
    t.kfree(OBJECT + 0x2000, TEXT + 1, gen.CACHE)	# as another's
    load(t, b"kept", KEPT)
    t.kmalloc(OBJECT + 0x3000, KEPT + 0x100, 60, 64)
    t.kmalloc(OBJECT + 0x4000, SITE, 8, 8)
    t.kfree(OBJECT + 0x4000, KEPT + 0x200, gen.CACHE)
    t.alloc(1, 0x1000)					# a new peak
    t.module_free(7, b"first")
    t.module_free(7, b"kept")
    load(t, b"over", KEPT)				# the row of none
    for i in range(12):			# the last: in the row of "first"
        load(t, b"n%d" % i)
