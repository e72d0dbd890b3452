# SPDX-License-Identifier: MIT
"""A module's row is used again, when it holds nothing any more: its callers of
vmalloc keep their peaks, and no name of another."""
TEXT = 0xf1000000


def build(t):
    t.layout.update(modules=16)
    t.memory(30000)
    t.module_range(b"planted", TEXT, 0x1000)
    t.vmalloc(7, 0xe0000000, [10], [TEXT + 8], TEXT + 8)
    t.area_free(7, 0xe0000000)
    t.module_free(7, b"planted")
    for i in range(16):
        t.module_load(7, b"next%d" % i)
