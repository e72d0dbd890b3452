# SPDX-License-Identifier: MIT
"""No room for more objects of slab: rows are used again in the order in which
their objects were first freed, and one that lived again meanwhile is in the
queue only once."""
SITE, OBJECT = 0xc1000010, 0xd0000000


def build(t):
    def take(n):
        t.kmalloc(OBJECT + n * 4096, SITE, 8, 8)

    def give(n):
        t.kfree(OBJECT + n * 4096, SITE)
    t.layout["slab_bytes"] = 140 << 10
    t.memory(30000)
    for n in range(1500):
        take(n)
    give(0)
    take(0)
    give(1)
    give(0)
    give(2)
    take(1500)		# in the row of 0
    give(2)		# for the second time: its row is still there
    take(1501)
    take(1502)
    take(1503)		# without room
