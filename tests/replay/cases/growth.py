# SPDX-License-Identifier: MIT
"""Memory comes while tracing: what was offline, then a device. A module takes
more than there was at the start; some memory goes offline again. The page table
is an array that becomes a hash."""

ONLINE = 8192		# pages of a block


def online(t, first, early=False):
    """A block: its frees come behind the event, but for the first one."""
    if early:
        t.free(50, first, 10)
    t.grows(ONLINE, 0x8000 + 2 * ONLINE if first < 0x100000 else
            0x8000 + 4 * ONLINE)
    for pfn in range(first + 1024 * early, first + ONLINE, 1024):
        t.free(50, pfn, 10)


def build(t):
    t.ram = [(0x100, 0x8000), (0x10000, 2 * ONLINE)]
    t.layout["pages_bytes"] = 4 * (0x8000 + 2 * ONLINE)
    for group, name, kib in [
            ("all", b"present", 131072), ("all", b"installed", 196608 + 64),
            ("firmware", b"reserved", 64), ("offline", b"offline", 65536),
            ("before", b"page structs of offline RAM", 1024),
            ("kernel", b"code", 14336), ("reserved", b"page structs", 2048)]:
        t.part(group, name, kib)
    t.mem_total_kib = 98304
    t.figure(b"page structs", 2048)
    t.figure(b"hash tables", 128)
    t.figure(b"reserved", 32768)
    t.memory(20000)
    t.comm(50, b"online")
    t.comm(60, b"insmod")
    t.alloc(60, 0x200, 8, [0xc1000010])
    t.free(60, 0x3000, 3)		# from before tracing
    online(t, 0x10000, early=True)
    online(t, 0x10000 + ONLINE)
    t.memory(20000 + 2 * ONLINE - 248)
    t.alloc(50, 0x400, 8, [0xc1000020])	# page structs
    t.ram_comes(0x100000, 2 * ONLINE, 1 << 20)
    t.ram_comes(0x100000 + ONLINE, 1, 0)	# that is RAM already
    online(t, 0x100000)
    t.load_enter(60)
    t.module_load(60, b"large")
    t.module_range(b"large", 0xd0000000, 0x1000, 60)
    for pfn in [*range(0x10000, 0x10000 + ONLINE, 1024),
                *range(0x100000, 0x100000 + ONLINE // 2, 1024)]:
        t.alloc(60, pfn, 10, [0xd0000010, 0xc1000010])
    t.load_exit(60)
    free = 20000 + 3 * ONLINE - 248 - 256 - ONLINE * 3 // 2
    t.memory(free)
    t.free(60, 0x100000, 10)
    t.memory(free)			# the block of it is offline before
    t.grows(-1024, 0x8000 + 4 * ONLINE)	# that is known
    t.memory(free)
    t.grows(2**45, 0)			# no machine has that
