# SPDX-License-Identifier: MIT
"""Memory used before tracing, in the kernel's words; at most 32 figures."""


def build(t):
    t.memory(20000)
    t.figure(b"Cached", 4096)
    t.figure(b"Slab", 15560)
    t.figure(b"Cached", 5000)		# again: the least counts
    t.figure(b"kernel code\n\"\x1b[31m", 14343)
    t.figure(b"a name of more than 23 bytes is cut", 7)
    t.figure(b"most there can be", (2**64 - 1) // 1024)
    for i in range(28):			# the last finds no room
        t.figure(b"Figure %d" % i, i)
    t.figure(b"Slab", 1)
    t.memory(19000)
