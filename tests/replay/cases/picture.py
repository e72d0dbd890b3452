# SPDX-License-Identifier: MIT
"""A boot for a picture: names of all bytes, a load that fails, rows that come and
go, a kill, more modules and tasks than a picture names."""
MS = 1_000_000
NAMES = [b'<script>&"', b"caf\xc3\xa9 \x1b[31m", b"a]]>b--'", b"back\\slash"]


def load(t, tid, name, pages_log2, pfn, held_ms, result=0):
    t.load_enter(tid)
    t.now_ns += held_ms * MS
    if name:
        t.module_load(tid, name)
    t.alloc(tid, pfn, pages_log2)
    t.now_ns += held_ms * MS
    t.load_exit(tid, result)


def build(t):
    t.step_ns = MS // 10
    t.cmdline = b'console=ttyS0 quiet note="<b>&amp;\xff" ' + b"word=1 " * 40
    t.memory(30000)
    pfn = 0x1000
    for i in range(12):
        tid = 400 + i
        t.fork(tid, 1)
        t.comm(tid, NAMES[i] if i < len(NAMES) else b"task-%d" % i)
        for _ in range(1 + i % 4):
            t.alloc(tid, pfn, 4 + i % 3)
            pfn += 128
        load(t, tid, b"module_%d" % i if i != 5 else b'm<>&"\xe9', 3 + i % 4,
             pfn, 1 + i)
        pfn += 128
        if i == 3:
            load(t, tid, b"", 1, pfn, 2, -2)
            pfn += 128
        t.vmalloc(tid, 0xe0000000 + i * 0x100000, [7 + i])
        t.now_ns += 9 * MS
        t.memory(30000 - (pfn - 0x1000) // 2)
        if i % 3 == 2:
            t.exit(tid)
    t.alloc(411, 0x6000, 10)
    t.free(411, 0x6000, 10)
    t.kill(411)
    t.exit(411)
    t.now_ns += 15 * MS
    t.memory(28000)
    t.area_free(411, 0xe0000000)
    t.now_ns += 15 * MS
    t.memory(28007)
    t.alloc(401, 0x7000, 3)
