# SPDX-License-Identifier: MIT
"""Rows of modules that are used again: of those that are gone or failed and
hold nothing, the one with the smallest peak, then the next one. What is live,
or holds a page, keeps its row, and so does the largest."""


def build(t):
    t.layout.update(modules=7)
    for name, pages, kept in ((b"live", 1, 0), (b"large", 9, 0),
                              (b"small", 5, 0), (b"held", 2, 1)):
        t.load_enter(1)
        t.module_load(1, name)
        for i in range(pages):
            t.alloc(1, 0x1000 + i)
        for i in range(kept, pages):
            t.free(1, 0x1000 + i)
        t.load_exit(1)
        if name != b"live":
            t.module_free(1, name)
    t.load_enter(1)
    t.alloc(1, 0x2000, 1)
    t.free(1, 0x2000, 1)
    t.load_exit(1, -19)
    for name in b"first", b"second":
        t.load_enter(1)
        t.module_load(1, name)
        t.load_exit(1)
