# SPDX-License-Identifier: MIT
"""Room for one module. The next one in its row takes the same way through the
kernel: the peaks of the first one's stack are not its own."""


def build(t):
    t.layout.update(modules=3)
    for order, name in (3, b"ext4"), (1, b""):
        t.load_enter(1)
        t.alloc(1, 0x1000, order, [0xc1000001, 0xc1000002])
        if name:
            t.module_load(1, name)
            t.load_exit(1)
            t.free(1, 0x1000, order)
            t.module_free(1, name)
