# SPDX-License-Identifier: MIT
"""Room for one module. Its init fails, and the image is freed; before the
system call has returned another task starts a load, which finds no room."""


def build(t):
    t.layout.update(modules=3)
    t.load_enter(1)
    t.module_load(1, b"bad")
    t.module_free(1, b"bad")
    t.load_enter(2)
    t.alloc(1, 0x1000)			# of "bad"
    t.alloc(2, 0x1010, 1)		# of (other)
    t.load_exit(1, -19)
