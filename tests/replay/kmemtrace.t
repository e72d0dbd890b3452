#!/usr/bin/python3 -B
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
from compare import compare, module_name
from harness import by_type, case, main, rows, run, sanitized

OBJECTS = (gen.OBJECT_ALLOC, gen.OBJECT_FREE)


def objects():
    """The events of objects, in order of time; kmemtrace knows no other."""
    return sorted((e for e in case("slab").events if e["type"] in OBJECTS),
                  key=lambda e: e["time_ns"])


def relay(e, number, mark="<", more=b""):
    free = e["type"] == gen.OBJECT_FREE
    body = struct.pack(mark + "iQQ", number, e["site"], e["base"])
    if not free:
        body += struct.pack(mark + "QQIi", e["size"], e["allocated_bytes"],
                            0xcc0, -1)
    return struct.pack(mark + "BBH", free, bool(e["flags"] & gen.CACHE),
                       4 + len(body) + len(more)) + body + more


def first(e, mark="<"):
    free = e["type"] == gen.OBJECT_FREE
    return struct.pack(
        mark + "BBHiQQQQQq", 2 if free else 1, bool(e["flags"] & gen.CACHE),
        56, -1, e["site"], e["base"], 0 if free else e["size"],
        0 if free else e["allocated_bytes"], 0, e["time_ns"])


def streams(events, encode=relay):
    """One for each CPU."""
    cpus = {}
    for number, e in enumerate(events, 1):
        cpus[e["cpu"]] = cpus.get(e["cpu"], b"") + encode(e, number)
    return cpus


def in_first_form(events, mark="<"):
    return streams(events, lambda e, n: first(e, mark))


def wrong(events, report, by_sequence):
    """Compares a report with the model of the same events. A sequence is no
    time."""
    t = gen.Trace()
    t.layout["slab_bytes"] = 1
    t.events = [dict(e, chain=[], cache=b"",
                     time_ns=number if by_sequence else e["time_ns"])
                for number, e in enumerate(events, 1)]
    t.now_ns = 0 if by_sequence else t.events[-1]["time_ns"]
    for what in slab.differences(model.Model(t).slab, by_type(rows(report)),
                                 module_name):
        yield from compare(*what)


class Streams:
    def __init__(self, tap, work):
        self.tap, self.work = tap, work

    def write(self, cpus, name="cpu{}.out"):
        return [self.work.write(data, name.format(cpu))
                for cpu, data in cpus.items()]

    def run(self, *arguments):
        return run("kmemtrace", *arguments, binary=sanitized())

    def check(self, what, events, files, by_sequence=True, status=0, why=""):
        """Its report is the model's of these events."""
        if isinstance(files, dict):
            files = self.write(files)
        got, out, err = self.run("--level=3", "--format=json", *files)
        bad = list(wrong(events, out, by_sequence)) if out else ["no report"]
        self.tap.ok(got == status and why in err and not bad, what, got, err,
                    *bad[:6])

    def told(self, what, text, cpus):
        status, out, err = self.run("--level=3", "--format=json",
                                    *self.write(cpus))
        self.tap.ok(status == 1 and text in err and '"type":"end"' in out,
                    what, f"{status}: {err}")

    def refused(self, what, status, text, *arguments):
        self.tap.refused(self.run(*arguments), status, text, what)


def whole(s, events):
    for order, mark in ("little", "<"), ("big", ">"):
        s.check(f"relay, {order}-endian: the model's figures", events,
                streams(events, lambda e, n: relay(e, n, mark)))
        s.check(f"first form, {order}-endian: the model's figures", events,
                in_first_form(events, mark), False)
    s.check("extensions are skipped", events, streams(
        events, lambda e, n: relay(e, n, "<", struct.pack("<HB5x", 8, 1))))
    status, out, err = s.run(*s.write(streams(events)))
    s.tap.ok(status == 0 and "slab objects by site" in out, "as text", err)
    paths = []
    for part in 0, 1:
        paths += s.write(streams(
            events, lambda e, n: relay(e, n) if n % 2 == part else b""),
            f"part{part}.cpu{{}}.out")
    # The last number in a name is the CPU: these are not twice as many.
    s.check("two files of each CPU", events, paths)


def first_records(s, events):
    """The first record of a stream may be as those of the other form."""
    illegal = struct.pack("<BBH", 0, 0, 56) + bytes(52)
    s.check("first form that begins with an illegal id", events, {
        cpu: illegal + data for cpu, data in in_first_form(events).items()},
        False, 1, " illegal records")
    s.check("first form, without a free", events[:1], {0: first(events[0])},
            False)
    events = [dict(events[0], type=gen.OBJECT_FREE, name=b"")] + events
    s.check("relay that begins with a free of many extensions", events,
            streams(events, lambda e, n: relay(
                e, n, "<", bytes(32) if n == 1 else b"")))


def damages(s, events):
    cpus = streams(events)

    s.told("a missing number is a lost event", "1 sequence numbers are in no "
           "file", streams(events, lambda e, n: relay(e, n + (n > 9))))
    s.told("a record cut off", "cut off in the middle of a record",
           cpus | {0: cpus[0][:-5]})
    behind = f"1 illegal records, the last one at byte {len(cpus[0])}"
    for what, text, data in [
            ("illegal ids", "1 illegal records",
             struct.pack("<BBHiQQ", 7, 0, 24, 999, 0, 0)),
            ("a size that none has", "1 illegal records", bytes(48)),
            ("an allocation of the size of a free", behind,
             struct.pack("<BBHiQQ", 0, 0, 24, 999, 1 << 32, 1 << 33)),
            ("a size in the midst of a record: what follows is unknown",
             behind, struct.pack("<BBHiQQ", 1, 0, 8, 999, 1 << 32, 1 << 33) +
             bytes(24)),
            ("an object of 8 GiB", "1 records that cannot be true",
             struct.pack("<BBHiQQQQIi", 0, 0, 48, 999, 1 << 32, 1 << 34,
                         1 << 33, 1 << 33, 0, -1)),
            ("out of order", "records out of order", relay(events[0], 1))]:
        s.told(what, text, cpus | {0: cpus[0] + data})
    s.refused("another file", 1, "not a stream of kmemtrace",
              *s.write({0: b"MEMSTRK is another one......"}))
    s.refused("no file", 1, "o such file", "/nonexistent")
    s.refused("a directory", 1, ": Is a directory", s.work.directory.name)
    s.refused("-w without a file", 2, "PREFIX and FILE", "-w", "prefix")
    s.refused("no argument", 2, "FILE is missing")
    s.tap.ok(s.run(*s.write({0: b""}))[0] == 0, "an empty stream")


def round_trip(s):
    events = [e for e in s.work.case("slab").events if e["type"] in OBJECTS]
    prefix = s.work.at("written")
    status, _, err = s.run("-w", prefix, s.work.path)
    made = sorted(n for n in os.listdir(s.work.directory.name)
                  if n.startswith("written"))
    s.tap.ok(status == 0 and made == ["written0", "written1", "written2"],
             "a recording as streams, one for each CPU", f"{err} {made}")
    numbers, nodes = [], set()
    for name in made:
        with open(s.work.at(name), "rb") as f:
            data = f.read()
        while data:
            free, _, size, number = struct.unpack_from("=BBHi", data)
            numbers.append(number)
            nodes |= set() if free else set(struct.unpack_from("=i", data, 44))
            data = data[size:]
    s.tap.ok(sorted(numbers) == list(range(1, len(events) + 1)) and
             nodes == {-1}, "each number once, from 1 on, and no node",
             numbers, nodes)
    s.check("read again: the model's figures", events, map(s.work.at, made))
    os.chmod(s.work.at("written1"), 0o644)
    status, _, err = s.run("-w", prefix, s.work.path)
    modes = [os.stat(s.work.at(n)).st_mode & 0o777 for n in made]
    s.tap.ok(status == 0 and modes == [0o600] * 3, "only root reads them", err,
             modes)
    with open(s.work.path, "rb") as f:
        status, out, err = run("kmemtrace", "-w", prefix, "-", stdin=f)
    s.tap.ok(status == 0, "from standard input", err)
    for name in "input0", "link0", "new0.new":
        os.link(s.work.path, s.work.at(name))
        s.refused(f"its own file, as {name}, is refused", 1,
                  "0 would replace it", "-w", s.work.at(name.split("0")[0]),
                  s.work.at(name))
        s.tap.ok(not [n for n in os.listdir(s.work.directory.name)
                      if n.startswith(name.split("0")[0]) and n != name],
                 "and nothing is left")
    s.work.case("boot")
    s.refused("a recording without objects", 1, "no objects of slab",
              "-w", prefix, s.work.path)


def test_streams(tap, work):
    s, events = Streams(tap, work), objects()
    whole(s, events)
    first_records(s, events)
    damages(s, events)
    round_trip(s)


main(test_streams)
