# SPDX-License-Identifier: MIT
"""Functions of the kernel whose addresses are hidden tell nothing. Then there
are more of them than find room."""
import gen

KERNEL = 0xc1000000


def build(t):
    t.memory(30000)
    t.functions([(0, 0, b"allocate_slab"), (KERNEL, 16, b"no_such_function")])
    t.functions([(KERNEL + i * 7919 % 1000 * 32, 16, b"shmem_fault")
                 for i in range(329)])
    for i in 0, 319, 328:
        t.alloc(1, 0x1000 + i, i % 2, [KERNEL + i * 7919 % 1000 * 32 + 8])
