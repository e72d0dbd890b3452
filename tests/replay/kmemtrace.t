#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Streams of kmemtrace, in both forms and byte orders, read as a report on objects
of slab; what is wrong with a stream is told; and a recording written as such.

The streams are encoded here, from the case slab, and the figures come from the
model of it (slab.py).
"""
import os
import struct

import gen
import model
import slab
from harness import CASES, Tap, Workplace, rows, run, sanitized

OBJECTS = (gen.OBJECT_ALLOC, gen.OBJECT_FREE)


def objects(path="slab.py"):
    """The events of objects, in order of time; kmemtrace knows no other."""
    events = [e for e in gen.load(os.path.join(CASES, path)).events
              if e["type"] in OBJECTS]
    return sorted(events, key=lambda e: e["time_ns"])


def relay(e, number, mark, more=b""):
    free = e["type"] == gen.OBJECT_FREE
    kind = 1 if e["flags"] & gen.CACHE else 0
    body = struct.pack(mark + "iQQ", number, e["site"], e["base"])
    if not free:
        body += struct.pack(mark + "QQIi", e["size"], e["allocated_bytes"],
                            0xcc0, -1)
    return struct.pack(mark + "BBH", free, kind,
                       4 + len(body) + len(more)) + body + more


def first(e, mark):
    free = e["type"] == gen.OBJECT_FREE
    kind = 1 if e["flags"] & gen.CACHE else 0
    return struct.pack(
        mark + "BBHiQQQQQq", 2 if free else 1, kind, 56, -1, e["site"],
        e["base"], 0 if free else e["size"],
        0 if free else e["allocated_bytes"], 0, e["time_ns"])


def streams(events, encode):
    """One for each CPU."""
    cpus = {}
    for number, e in enumerate(events, 1):
        cpus[e["cpu"]] = cpus.get(e["cpu"], b"") + encode(e, number)
    return cpus


class Streams:
    def __init__(self, work):
        self.work, self.folder = work, work.directory.name

    def write(self, cpus):
        return [self.work.write(data, f"cpu{cpu}.out")
                for cpu, data in cpus.items()]

    def run(self, *arguments):
        return run("kmemtrace", *arguments, binary=sanitized())

    def report(self, cpus):
        return self.run("--level=3", "--format=json", *self.write(cpus))


def wrong(events, lines, by_sequence):
    """Compares a report with the model of the same events."""
    t = gen.Trace()
    t.layout["slab_bytes"] = 1
    for number, e in enumerate(events, 1):
        t.events.append(dict(
            e, chain=[], cache=b"",
            time_ns=number if by_sequence else e["time_ns"]))
    # A sequence is no time.
    t.now_ns = 0 if by_sequence else t.events[-1]["time_ns"]
    books = model.Model(t).slab
    kinds = {}
    for row in rows("\n".join(lines)):
        kinds.setdefault(row["type"], []).append(row)
    name = lambda m: m.name.decode()
    for what, got, want in slab.differences(books, kinds, name):
        yield from (f"{what} {row} must not be" for row in got
                    if row not in want)
        yield from (f"{what} {row} is missing" for row in want
                    if row not in got)


def main():
    tap, s = Tap(), Streams(Workplace())
    events = objects()
    for order, mark in ("little", "<"), ("big", ">"):
        status, out, err = s.report(streams(
            events, lambda e, n: relay(e, n, mark)))
        tap.ok(status == 0, f"relay, {order}-endian: read", err)
        bad = list(wrong(events, out.splitlines(), True))
        tap.ok(not bad, f"relay, {order}-endian: the model's figures",
               *bad[:6])
        status, out, err = s.report(streams(
            events, lambda e, n: first(e, mark)))
        tap.ok(status == 0, f"first form, {order}-endian: read", err)
        bad = list(wrong(events, out.splitlines(), False))
        tap.ok(not bad, f"first form, {order}-endian: the model's figures",
               *bad[:6])
    extended = streams(events, lambda e, n: relay(
        e, n, "<", struct.pack("<HB5x", 8, 1)))
    status, out, err = s.report(extended)
    tap.ok(status == 0 and not list(wrong(events, out.splitlines(), True)),
           "extensions are skipped", err)
    status, out, err = s.run(*s.write(streams(
        events, lambda e, n: relay(e, n, "<"))))
    tap.ok(status == 0 and "slab objects by site" in out, "as text", err)
    first_records(tap, s, events)
    two_files_each(tap, s, events)
    whole = streams(events, lambda e, n: relay(e, n, "<"))
    damages(tap, s, events, whole)
    round_trip(tap, s)
    tap.done()


def first_records(tap, s, events):
    """The first record of a stream may be as those of the other form."""
    illegal = struct.pack("<BBH", 0, 0, 56) + bytes(52)
    status, out, err = s.report({
        cpu: illegal + data for cpu, data in
        streams(events, lambda e, n: first(e, "<")).items()})
    bad = list(wrong(events, out.splitlines(), False))
    tap.ok(status == 1 and " illegal records" in err and not bad,
           "first form that begins with an illegal id", err, *bad[:6])
    status, out, err = s.report({0: first(events[0], "<")})
    bad = list(wrong(events[:1], out.splitlines(), False))
    tap.ok(status == 0 and not bad, "first form, without a free", err,
           *bad[:6])
    events = [dict(events[0], type=gen.OBJECT_FREE, name=b"")] + events
    status, out, err = s.report(streams(events, lambda e, n: relay(
        e, n, "<", bytes(32) if n == 1 else b"")))
    bad = list(wrong(events, out.splitlines(), True))
    tap.ok(status == 0 and not bad,
           "relay that begins with a free of many extensions", err, *bad[:6])


def two_files_each(tap, s, events):
    """The last number in a name is the CPU: these are not twice as many."""
    paths = []
    for part in 0, 1:
        for cpu, data in streams(events, lambda e, n: relay(e, n, "<")
                                 if n % 2 == part else b"").items():
            paths.append(s.work.write(data, f"part{part}.cpu{cpu}.out"))
    status, out, err = s.run("--level=3", "--format=json", *paths)
    bad = list(wrong(events, out.splitlines(), True))
    tap.ok(status == 0 and not bad, "two files of each CPU", err, *bad[:6])


def with_more(cpus, data):
    return {cpu: kept + (data if cpu == 0 else b"")
            for cpu, kept in cpus.items()}


def damages(tap, s, events, whole):
    def told(what, text, cpus):
        status, out, err = s.report(cpus)
        tap.ok(status == 1 and text in err and '"type":"end"' in out, what,
               f"{status}: {err}")

    told("a missing number is a lost event", "1 sequence numbers are in no "
         "file", streams(events, lambda e, n: relay(e, n + (n > 9), "<")))
    cut = dict(whole)
    cut[0] = cut[0][:-5]
    told("a record cut off", "cut off in the middle of a record", cut)
    told("illegal ids", "1 illegal records", with_more(
        whole, struct.pack("<BBHiQQ", 7, 0, 24, 999, 0, 0)))
    told("a size that none has", "1 illegal records",
         with_more(whole, bytes(48)))
    behind = f"1 illegal records, the last one at byte {len(whole[0])}"
    told("an allocation of the size of a free", behind, with_more(
        whole, struct.pack("<BBHiQQ", 0, 0, 24, 999, 1 << 32, 1 << 33)))
    told("a size in the midst of a record: what follows is unknown", behind,
         with_more(whole, struct.pack("<BBHiQQ", 1, 0, 8, 999, 1 << 32,
                                      1 << 33) + bytes(24)))
    told("an object of 8 GiB", "1 records that cannot be true", with_more(
        whole, struct.pack("<BBHiQQQQIi", 0, 0, 48, 999, 1 << 32, 1 << 34,
                           1 << 33, 1 << 33, 0, -1)))
    told("out of order", "records out of order",
         with_more(whole, relay(events[0], 1, "<")))
    status, _, err = s.run(*s.write({0: b"MEMSTRK is another one......"}))
    tap.ok(status == 1 and "not a stream of kmemtrace" in err,
           "another file", err)
    status, out, err = s.run("/nonexistent")
    tap.ok(status == 1 and "o such file" in err and not out, "no file", err)
    status, out, err = s.run(s.folder)
    tap.ok(status == 1 and ": Is a directory" in err and not out,
           "a directory", err)
    status, _, err = s.run("-w", "prefix")
    tap.ok(status == 2 and "PREFIX and FILE" in err, "-w without a file", err)
    status, _, err = s.run()
    tap.ok(status == 2 and "FILE is missing" in err, "no argument", err)
    tap.ok(s.run(*s.write({0: b""}))[0] == 0, "an empty stream")


def round_trip(tap, s):
    s.work.write(gen.encode(gen.load(os.path.join(CASES, "slab.py"))))
    prefix = os.path.join(s.folder, "written")
    status, _, err = s.run("-w", prefix, s.work.path)
    made = sorted(n for n in os.listdir(s.folder)
                  if n.startswith("written"))
    tap.ok(status == 0 and made == ["written0", "written1", "written2"],
           "a recording as streams, one for each CPU", f"{err} {made}")
    events = [e for e in gen.load(os.path.join(CASES, "slab.py")).events
              if e["type"] in OBJECTS]
    numbers, nodes = [], set()
    for name in made:
        with open(os.path.join(s.folder, name), "rb") as f:
            data = f.read()
        while data:
            free, _, size, number = struct.unpack_from("=BBHi", data)
            numbers.append(number)
            nodes |= set() if free else set(struct.unpack_from("=i", data, 44))
            data = data[size:]
    tap.ok(sorted(numbers) == list(range(1, len(events) + 1)) and
           nodes == {-1}, "each number once, from 1 on, and no node", numbers,
           nodes)
    status, out, err = s.run("--level=3", "--format=json", *(
        os.path.join(s.folder, n) for n in made))
    bad = list(wrong(events, out.splitlines(), True))
    tap.ok(status == 0 and not bad, "read again: the model's figures", err,
           *bad[:6])
    s.work.write(gen.encode(gen.load(os.path.join(CASES, "boot.py"))))
    status, _, err = s.run("-w", prefix, s.work.path)
    tap.ok(status == 1 and "no objects of slab in it" in err,
           "a recording without objects", err)


main()
