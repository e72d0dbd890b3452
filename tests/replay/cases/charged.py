# SPDX-License-Identifier: MIT
"""Areas are charged to the task that took them, as pages are: to the process of
a thread, to "(other)" once its row is used again, to no task where only a
sample shows them. The caller of most of them is named.
"""
import kinds_case as k

HTAB = [0xc1000010, k.VMALLOC, 0xc2000040, k.SYSCALL]
SAMPLED = 128


def build(t):
    t.layout.update(tasks=18)
    t.memory(30000)
    t.comm(90, b"bpfload")
    t.fork(91, 90, 90)
    areas = [(0xe0000000, 4000, b"htab_map_alloc+0x1/0x2"),
             (0xe2000000, 300, b"htab_map_alloc+0x2/0x3")]
    t.vmalloc(91, 0xe0000000, [100] * 40, HTAB, 0xc2000040)
    t.vmalloc(90, 0xe2000000, [100] * 3, HTAB, 0xc2000080)	# not on it
    t.alloc(90, 0x2000, 9, HTAB)
    for i in range(16):
        base, pages = 0xe4000000 + (i << 16), 4 + i
        t.fork(100 + i, 1)
        t.comm(100 + i, b"short-%d" % i)
        t.vmalloc(100 + i, base, [pages], HTAB, 0xc2000040)
        t.exit(100 + i)
        areas.append((base, pages, b"htab_map_alloc+0x1/0x2"))
    t.area_free(1, 0xe4000000)		# its row is used again
    del areas[2]
    k.known(t)
    t.vmallocinfo([*areas, (0xe7000000, 30, b"before+0x1/0x2")], SAMPLED)
    t.vmallocinfo([*areas, (0xe8000000, 70, b"later+0x1/0x2")], SAMPLED)
    t.symbol(0xc2000040, 0xc2000000, b"htab_map_alloc")
    t.memory(24900)
    t.reason = b"request"
