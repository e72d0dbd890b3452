# SPDX-License-Identifier: MIT
"""No room for chains in the trie: they go to their module, and are counted."""


def build(t):
    t.layout.update(nodes=24, modules=16)
    t.module_range(b"holder", 0xd0000000, 0x1000)
    t.comm(170, b"caller")
    for i in range(6):
        t.alloc(170, 0x1000 + i, 0, [0xc1000010 + i, 0xc1000100, 0xc1000200])
    t.alloc(170, 0x2000, 1, [0xc1000010, 0xc1000100, 0xc1000200])
    t.alloc(170, 0x2002, 1, [0xd0000010, 0xc1000100, 0xc1000200])
    t.free(170, 0x1005)
    t.free(170, 0x2003)
