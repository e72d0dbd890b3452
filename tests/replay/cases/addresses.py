# SPDX-License-Identifier: MIT
"""Addresses that fit only 64 bits."""
WIDE = True


def build(t):
    kernel = 0xffffffff81000000
    module = 0xffffffffc0a00000
    t.module_range(b"xfs", module, 0x100000)
    t.module_range(b"last", 0xffffffffffff0000, 0xffff)
    t.alloc(260, 0x1000, 1, [kernel + 16, module + 0x1234, kernel + 32])
    t.alloc(260, 0x1002, 1, [kernel + 16, 0xffffffffffffffff])
    t.alloc(260, 0x1004, 1, [kernel + 16, 0, 0xffffffffffff0000])
    # A module that there never was, as only a forged trace has it.
    t.alloc(260, 0x1006, 1, [kernel + 16, 0x4000ffffffffffff])
    t.symbol(module + 0x1234, module + 0x1200, b"xfs_buf_alloc_pages [xfs]")
