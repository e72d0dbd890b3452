# SPDX-License-Identifier: MIT
"""Objects of slab with call chains: each chain is a site, of the innermost module
on it. Without slab in the header the same events are ignored (slab_off.py)."""

CHAINS = [[0xc1000010, 0xc2000010], [0xc1000010, 0xf1000010, 0xc2000010], []]


def build(t):
    t.layout["slab_bytes"] = 1 << 19
    t.memory(30000)
    t.comm(90, b"load")
    t.load_enter(90)
    t.module_load(90, b"driver")
    t.module_range(b"driver", 0xf1000000, 0x4000)
    t.load_exit(90)
    for i in range(30):
        t.kmalloc(0xd0000000 + i * 64, 0xc1000010, 50 + i % 3, 64, tid=90,
                  chain=CHAINS[i % 3])
    t.alloc(90, 0x1000, 0, CHAINS[0])
    t.kfree(0xd0000000, 0xc3000010)
    t.kfree(0xd0000040, 0xc3000010)
