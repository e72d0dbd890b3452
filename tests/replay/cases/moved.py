# SPDX-License-Identifier: MIT
"""Pages that the kernel moves stay with the task that took them. What a task
frees while it compacts was free before: no page from before tracing."""

STRUCTS = 0x3ffffa800000000		# the number of the first page struct


def build(t):
    def move(tid, pfn, to, order=0):
        t.page_moves(tid, STRUCTS + pfn, to - pfn)
        t.free(tid, pfn, order)

    t.memory(10000)
    for tid, name in ((30, b"kcompactd0"), (100, b"writer"), (101, b"mover")):
        t.task(tid, name)
    for pfn in range(0x200, 0x240, 4):
        t.alloc(100, pfn, 2)
    # To pages that compaction took without an event; it frees two it did not
    # need, and moves one from before tracing, which no account has.
    t.compacts(30)
    for i in range(16):
        move(30, 0x200 + i, 0x800 + i)
    t.free(30, 0x810)
    t.free(30, 0x811)
    move(30, 0x300, 0x812)
    t.compacted(30)
    t.free(100, 0x800, 2)
    # To pages that the mover has allocated, as a task does that wants its memory
    # on another node. A block goes as a whole.
    t.alloc(101, 0x900, 2)
    move(101, 0x210, 0x900, 2)
    # Between the two another task frees, and an interrupt.
    t.page_moves(101, STRUCTS + 0x214, 0x400)
    t.free(100, 0x23f)
    t.free(101, 0x23e, flags=1)
    t.free(101, 0x214)
    # No compaction: these are from before tracing.
    t.free(30, 0x400)
    # The free of the old place was lost: the next one is another page's.
    t.page_moves(101, STRUCTS + 0x215, 0x400)
    t.lost(1)
    t.free(101, 0x23d)
    t.compacts(30)
    t.page_moves(30, STRUCTS + 0x216, 0x400)
    t.free(30, 0x23c)
    # To where there is no memory: it is lost to the account.
    move(30, 0x217, 0x90000)
    move(30, 0x218, 0x90000)
    t.memory(9900)
