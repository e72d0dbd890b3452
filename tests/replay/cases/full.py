# SPDX-License-Identifier: MIT
"""Mounts that are full: who wrote most of one is sure, of the others it is not;
one has room again; one was full before too; and there are more than rows.

dd holds 512 pages of files, cp 128. Of /newroot at least 384 are dd's, or 284
where 100 were moved. What the initramfs had is on "/".
"""
from kinds_case import ALLOC, SYSCALL, TMPFS, WRITE, known

PAGE = 4096


def build(t):
    t.memory(30000)
    t.figure(b"Cached (initramfs)", 3000)
    t.figure(b"Shmem", 2800)
    t.task(1, b"init")
    for tid, name in (50, b"dd"), (51, b"cp"):
        t.fork(tid, 1)
        t.comm(tid, name)
    chain = [ALLOC, TMPFS, WRITE, SYSCALL]
    t.alloc(50, 0x2000, 9, chain)
    t.full([(b"/newroot", 512 * PAGE, 512, 0, 0),
            (b"/few", 200 * PAGE, 0, 50, 0)])
    t.alloc(51, 0x2400, 7, chain)
    known(t)
    t.full([(b"/few", 200 * PAGE, 0, 50, 0),
            (b"/", 1212 * PAGE, 1212, 0, 0)])
    t.memory(29000)
    t.full([(b"/newroot", 512 * PAGE, 512, 0, 100),
            (b"/few", 200 * PAGE, 0, 50, 0),
            (b"/bo\x1bth", 512 * PAGE, 512, 9, 200),
            (b"/more", 512 * PAGE, 512, 0, 0)])
    t.reason = b"switch-root"
