# SPDX-License-Identifier: MIT
"""What can be given back is sampled: between two samples the smaller one counts,
for the worst moment and for each point of the timeline; pages read from files
are known as such only when the functions are."""
import kinds_case as k


def build(t):
    t.mem_total_kib = 131072
    t.ram = [(0x100, 0x7f00)]
    t.memory(30000)
    t.available(900, 0, 0, 0)
    t.task(1, b"init")
    for i in range(20):
        t.alloc(1, 0x1000 + 64 * i, 6, [k.CACHE, k.SYSCALL])
        t.alloc(1, 0x3000 + 32 * i, 5, [k.TMPFS, k.SYSCALL])
        t.now_ns += 3_000_000
        t.memory(30000 - 96 * (i + 1))
        if i == 7:
            t.available(600, 0, 0, 0)	# of files from before 512 were freed
        if i == 11:
            k.known(t)
        if i == 15:
            t.available(1900, 20, 480, 60)
    t.free(1, 0x3000, 5)
    t.now_ns += 20_000_000
    t.memory(28112)
    t.available(2000, 20, 450, 60)
    t.now_ns += 20_000_000
    t.memory(28112)
