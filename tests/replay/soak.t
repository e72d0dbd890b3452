#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""A stream of events, SOAK_SECONDS long: new pids, modules, stacks and callers,
and names of any bytes, into tables so small that all of them are full. The
replay takes no more memory than at the start, and in the end it reports exactly
the pages that are held. In `make check` the stream is BATCHES long.
"""
import itertools
import json
import os
import random
import struct
import subprocess
import time

import gen
from harness import BINARY, ENVIRONMENT, main, native
import report

SECONDS = float(os.environ.get("SOAK_SECONDS", "0"))
LAYOUT = dict(nodes=300, owners=40, tasks=16, modules=16, symbols=64,
              pages_bytes=4096, ring_bytes=4096)
CAPACITY = 448		# pages of such a table: 7/8 of 512 slots
FIRST, PAGES = 0x100, 1 << 20
BATCH = 2000
BATCHES = 30		# at least
WARM = 10		# of them until all tables are full


class Stream:
    """Events without end, and what must be held after them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.trace = gen.Trace()
        self.trace.layout = LAYOUT
        self.trace.ram = [(FIRST, PAGES)]
        self.encoder = gen.Encoder("little", 8)
        self.blocks, self.kept = [], set()
        self.count = dict.fromkeys(("allocs", "frees", "before_frees",
                                    "seen", "untracked_pages",
                                    "missed_frees", "lost"), 0)
        self.next, self.live = 1, []

    def name(self):
        """55 bytes at most, any but 0, and never one like it before."""
        self.next += 1
        return bytes(1 + b % 255 for b in struct.pack("<Q", self.next)) + \
            bytes(self.random.choices(range(1, 256),
                                      k=self.random.randrange(48)))

    def chain(self):
        r = self.random
        return [r.getrandbits(64) for _ in
                range(r.choice((0, 1, 1, 2, 3, 11)))]

    def alloc(self, tid):
        order = self.random.choice((0, 0, 0, 0, 1, 2, 5))
        pfn = FIRST + self.random.randrange(PAGES // 64) * 64
        if self.random.random() < 0.1 and self.blocks:	# its end was lost
            pfn = self.random.choice(self.blocks)[0]
        self.blocks.append((pfn, order))
        stored = 0
        for page in range(pfn, pfn + (1 << order)):
            if page in self.kept:
                self.count["missed_frees"] += 1
            elif len(self.kept) == CAPACITY:
                self.count["untracked_pages"] += 1
                continue
            self.kept.add(page)
            stored += 1
        self.count["allocs"] += stored != 0
        self.trace.alloc(tid, pfn, order, self.chain(),
                         flags=self.random.random() < 0.05)

    def free(self, tid):
        i = self.random.randrange(len(self.blocks))
        self.blocks[i], self.blocks[-1] = self.blocks[-1], self.blocks[i]
        pfn, order = self.blocks.pop()
        pages = set(range(pfn, pfn + (1 << order)))
        self.count["frees"] += 1
        self.count["before_frees"] += len(pages - self.kept)
        self.kept -= pages
        self.trace.free(tid, pfn, order)

    def process(self):
        t, r = self.trace, self.random
        self.next += 1
        tid = self.next * 7919 % (1 << 32) or 1
        t.fork(tid, 1, r.choice(self.live) if self.live and
               r.random() < 0.2 else None)
        t.comm(tid, self.name()[:15])
        self.live.append(tid)
        if len(self.live) > 30 or r.random() < 0.3:
            t.exit(self.live.pop(r.randrange(len(self.live))))

    def module(self, tid):
        t, r, name = self.trace, self.random, self.name()
        base = r.getrandbits(64) & ~4095
        t.load_enter(tid)
        t.module_load(tid, name)
        t.module_range(name, base, r.randrange(1 << 20))
        t.vmalloc(tid, r.getrandbits(63) | 4096, [r.randrange(100)],
                  [base + 16])
        t.load_exit(tid, -r.randrange(2))
        if r.random() < 0.8:
            t.module_free(tid, name)

    def rest(self, tid):
        t, r = self.trace, self.random
        t.memory(r.randrange(PAGES), flags=r.choice((0, gen.PCP)))
        t.figure(self.name(), r.getrandbits(40))
        t.vmallocinfo([(r.getrandbits(64), r.randrange(1, 1000), self.name())
                       for _ in range(r.choice((3, 100)))],
                      flags=gen.SAMPLED)
        t.area_free(tid, r.getrandbits(64))
        t.lost(1)
        self.count["lost"] += 1
        t.rejected()

    def batch(self):
        """So many events, encoded."""
        t, r = self.trace, self.random
        t.events = []
        while len(t.events) < BATCH:
            tid = r.choice(self.live) if self.live else 1
            what = r.random()
            if what < 0.10:
                self.process()
            elif what < 0.12:
                self.module(tid)
            elif what < 0.125:
                self.rest(tid)
            elif what < 0.55 or not self.blocks:
                self.alloc(tid)
            else:
                self.free(tid)
        self.count["seen"] += len(t.events)
        return b"".join(map(self.encoder.event, t.events))

    def head(self):
        return self.encoder.prelude() + self.encoder.header(self.trace)

    def feed(self, path, seconds, replay):
        """What the replay's memory is, each time that a batch is fed."""
        end, seen = time.monotonic() + seconds, []
        with open(path, "wb") as fifo:
            fifo.write(self.head())
            for i in itertools.count():
                if i >= BATCHES and time.monotonic() >= end:
                    break
                fifo.write(self.batch())
                fifo.flush()
                if i >= WARM and replay.poll() is None:
                    memory = memory_of(replay.pid)
                    seen += [memory] * (memory not in seen)
            fifo.write(self.encoder.end(self.trace))
        return seen


def memory_of(pid):
    """KiB by kind, and page faults."""
    with open(f"/proc/{pid}/status", encoding="ascii",
              errors="replace") as f:
        kinds = dict(line.split(":", 1) for line in f if line[:2] == "Vm")
    with open(f"/proc/{pid}/stat", encoding="latin-1") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return {k: kinds[k].split()[0] for k in ("VmRSS", "VmSize", "VmData",
            "VmStk", "VmHWM")} | {"faults": fields[7], "major": fields[9]}


def soak(tap, work, name, binary, seconds, environment):
    """All that its memory was since the tables are full."""
    stream, seen = Stream(int(seconds)), []
    out = work.at("report")
    os.mkfifo(work.path)
    with open(out, "wb") as sink:
        replay = subprocess.Popen(
            [binary, "replay", work.path, "--level=3", "--format=json"],
            stdout=sink, stderr=subprocess.PIPE,
            env=dict(ENVIRONMENT, **environment))
    try:
        seen = stream.feed(work.path, seconds, replay)
    except BrokenPipeError:		# it ended: it says why
        pass
    _, errors = replay.communicate()
    os.unlink(work.path)
    tap.ok(replay.returncode == 0 and not errors,
           f"{name}: {stream.count['seen']} events are replayed",
           replay.returncode, errors[-500:].decode("latin-1"))
    if replay.returncode == 0:
        judge(tap, name, stream, out)
    return seen


def judge(tap, name, stream, out):
    reports = report.read(out)
    wrong = [w for r in reports for w in report.unbalanced(r)]
    tap.ok(len(reports) == 1 and not wrong, f"{name}: the books balance",
           *wrong[:5])
    r = reports[0]
    want = dict(stream.count, now_pages=len(stream.kept))
    got = {k: (r.counters | r.head)[k] for k in want}
    tap.ok(got == want, f"{name}: {len(stream.kept)} pages are held, and all "
           "else is as it must be", got, want)
    full = [k for k in ("tasks_recycled", "modules_recycled", "stacks_full",
                        "areas_full", "untracked_pages")
            if not r.counters[k]]
    full += [k for k in ("owners_full", "owners_recycled")
             if not r.counters["owners_full"] +
             r.counters["owners_recycled"]]
    tap.ok(not full, f"{name}: all tables were full", full, r.counters)


def test_all(tap, work):
    seen = soak(tap, work, "soak", BINARY, SECONDS * 3 / 4, {})
    tap.ok(len(seen) == 1, "soak: memory and page faults stay what they were",
           *seen)
    print("#", json.dumps(seen[-1:]))
    if native():
        soak(tap, work, "sums taken twice", native(), SECONDS / 4,
             dict(CHECK_EVENTS="1000"))
    else:
        tap.skip("sums taken twice", "no sanitized binary")


main(test_all)
