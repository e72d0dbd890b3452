# SPDX-License-Identifier: MIT
"""Many short tasks of few names: each leaves files in the page cache, and all of
one name hold more than any single task. One that held much has given it back
before the most was used. A module has an image, vmalloc, and little else."""
import kinds_case as k

NAMES = [b"cc1", b"cc1", b"as", b"sh"]
LOADER, OWN = 0xc1100310, 0xd0800010


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(60000)
    k.known(t)
    t.comm(10, b"make")
    t.alloc(10, 0x1000, 5)
    for i, name in enumerate((b"init", b"sshd", b"dbus", b"cron", b"getty")):
        t.comm(11 + i, name)
        t.alloc(11 + i, 0x1100 + 0x40 * i, 4)
    t.comm(20, b"tar")
    t.alloc(20, 0x8000, 8)
    t.free(20, 0x8000, 8)
    t.alloc(20, 0x1800, 1, [k.ALLOC, k.CACHE, k.SYSCALL])
    t.comm(21, b"modprobe")
    t.load_enter(21)
    t.vmalloc(21, 0xe0000000, [7], [k.ALLOC, LOADER], LOADER)
    t.module_load(21, b"nf")
    t.module_range(b"nf", 0xd0800000, 0x8000)
    t.vmalloc(21, 0xe0010000, [40], [k.ALLOC, OWN], OWN)
    t.load_exit(21)
    for i in range(40):
        tid, pfn = 100 + i, 0x2000 + 0x40 * i
        t.fork(tid, 10)
        t.comm(tid, NAMES[i % 4])
        t.alloc(tid, pfn, 4)
        t.alloc(tid, pfn + 0x20, 3, [k.ALLOC, k.CACHE, k.SYSCALL])
        t.free(tid, pfn, 4)
        t.exit(tid)
    t.memory(60000 - 32 - 5 * 16 - 2 - 47 - 40 * 8)
    t.reason = b"request"
