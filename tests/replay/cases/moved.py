# SPDX-License-Identifier: MIT
"""Pages that the kernel moves stay with the task that took them. What a task
frees while it compacts was free before: no page from before tracing."""

STRUCTS, BYTES = 0xc0000000, 36		# of page structs, as on 32-bit ARM


def build(t):
    def moves(tid, pfn, to, wrong=0):
        t.page_moves(tid, STRUCTS + pfn * BYTES + wrong, (to - pfn) * BYTES)

    def move(tid, pfn, to, order=0):
        moves(tid, pfn, to)
        t.free(tid, pfn, order)

    t.memory(10000)
    for tid, name in ((30, b"kcompactd0"), (100, b"writer"), (101, b"mover"),
                      (102, b"neighbour")):
        t.task(tid, name)
    for pfn in range(0x200, 0x240, 4):
        t.alloc(100, pfn, 2)
    for pfn in range(0x7e0, 0x7f0, 4):
        t.alloc(102, pfn, 2)
    # The first two tell what page structs are like, if what is freed behind them
    # is what was moved. The first is not followed; nor is one of another page.
    t.compacts(30)
    moves(30, 0x300, 0x813)
    t.free(30, 0x301)
    move(30, 0x200, 0x800)
    # To pages that compaction took without an event; it frees two it did not
    # need, one of them before page structs are known, and moves one from before tracing, which no account has.
    t.free(30, 0x810)
    for i in range(1, 16):
        move(30, 0x200 + i, 0x800 + i)
    t.free(30, 0x811)
    move(30, 0x300, 0x812)
    t.compacted(30)
    t.free(100, 0x804, 2)
    # To pages that the mover has allocated, as a task does that wants its memory
    # on another node. A block goes as a whole.
    t.alloc(101, 0x900, 2)
    move(101, 0x210, 0x900, 2)
    # The place of old is taken again, and freed.
    t.alloc(101, 0x210)
    t.free(101, 0x210)
    # Between the two this task frees, another one and an interrupt; and the page
    # is freed at its new place.
    moves(101, 0x214, 0x400)
    t.free(101, 0x23c)
    t.free(100, 0x23f)
    t.free(101, 0x23e, flags=1)
    t.free(100, 0x400)
    t.free(101, 0x214)
    # No compaction: this one is from before tracing.
    t.free(30, 0x404)
    # What cannot be a page struct; what is known is no longer believed at the
    # 16th.
    moves(101, 0x215, 0x400, wrong=8)
    t.free(101, 0x215)
    # To where there is no memory: it is lost to the account.
    move(30, 0x217, 0x90000)
    for i in range(16):
        moves(101, 0x218, 0x400, wrong=8)
    move(101, 0x219, 0x400)
    move(101, 0x21a, 0x402)
    move(101, 0x21b, 0x403)
    # Its free was lost, and whose it is.
    moves(101, 0x220, 0x404)
    t.lost(1)
    t.free(101, 0x220)
    for tid in range(500, 564):
        t.compacts(tid)
    t.compacts(564)
    t.free(564, 0x408)
    t.memory(9900)
