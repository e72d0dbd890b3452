# SPDX-License-Identifier: MIT
"""Objects of slab in a trace whose header has no room for them: ignored."""


def build(t):
    t.memory(30000)
    t.slabinfo([(b"dentry", 192, 1000, 50)])
    t.kmalloc(0xd0000000, 0xc1000010, 60, 64)
    t.kfree(0xd0000000, 0xc1000020)
