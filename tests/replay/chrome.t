#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--format=chrome: trace events as their format wants them, and the figures of
the model at each point of the timeline.

The format: "Trace Event Format", Google.
"""
import collections
import glob
import json
import os
import sys

sys.dont_write_bytecode = True		# nothing is left in the source

import gen
import pictures
from harness import CASES, Tap, Workplace, native

MEMORY, LOADS, LIVES = 1, 2, 3
FIELDS = {
    "M": {"name", "ph", "pid", "tid", "ts", "args"},
    "C": {"name", "ph", "pid", "tid", "ts", "args"},
    "X": {"name", "ph", "pid", "tid", "ts", "dur", "args"},
    "i": {"name", "ph", "pid", "tid", "ts", "s"},
}
METADATA = {"process_name": str, "process_sort_index": int,
            "thread_name": str}


def number(value, least=0):
    return isinstance(value, (int, float)) and \
        not isinstance(value, bool) and value >= least


def wrong_events(events):
    """What is not as the format wants it, as texts."""
    for e in events:
        if set(e) != FIELDS.get(e.get("ph")):
            yield f"fields: {e}"
            continue
        if not isinstance(e["name"], str) or not number(e["ts"]) or \
                not all(isinstance(e[k], int) for k in ("pid", "tid")):
            yield f"name, ts, pid or tid: {e}"
        # Perfetto takes an empty name for an error.
        if not e["name"] or e.get("args", {}).get("name") == "":
            yield f"an empty name: {e}"
        if e["ph"] == "M" and not isinstance(
                e["args"].get("name", e["args"].get("sort_index")),
                METADATA.get(e["name"], ())):
            yield f"metadata: {e}"
        if e["ph"] == "C" and not (
                e["args"] and all(map(number, e["args"].values()))):
            yield f"a counter without numbers: {e}"
        if e["ph"] == "X" and not number(e["dur"]):
            yield f"a span without duration: {e}"
        if e["ph"] == "i" and e["s"] not in "gpt":
            yield f"scope of an instant: {e}"


def wrong_order(report, end_ns):
    """A counter's events go on in time; spans lie within the trace, and those
    of one track do not cross; every track has a name."""
    events = report["traceEvents"]
    last, named, spans = {}, set(), collections.defaultdict(list)
    for e in events:
        track = e["pid"], e["tid"]
        if e["ph"] == "C":
            if e["ts"] < last.get(e["name"], 0):
                yield f"back in time: {e}"
            last[e["name"]] = e["ts"]
        elif e["name"] in ("process_name", "thread_name"):
            named.add(track)
        elif e["ph"] == "X":
            spans[track].append((e["ts"], e["ts"] + e["dur"]))
            if track not in named:
                yield f"a track without a name: {e}"
            if e["ts"] + e["dur"] > end_ns / 1000 + 0.002:
                yield f"behind the end: {e}"
    for track, rows in spans.items():
        rows.sort()
        for (_, end), (begin, _) in zip(rows, rows[1:]):
            if begin < end - 0.002:
                yield f"spans of track {track} cross"


def at(report, time_ns):
    """Each counter's value after all events of that time."""
    values = {}
    for e in report["traceEvents"]:
        if e["ph"] == "C" and e["ts"] * 1000 <= time_ns + 0.5:
            values[e["name"]] = e["args"]["KiB"]
    return values


def wrong_figures(report, want):
    kib = want.page_kib
    for i, p in enumerate(want.points):
        if p.time_ns == want.peak_ns or (
                i + 1 < len(want.points) and
                want.points[i + 1].time_ns == p.time_ns):
            continue	# the peak stands behind it, at the same time
        got = at(report, p.time_ns)
        if i + 1 == len(want.points) and p.time_ns == want.model.last_ns:
            continue	# and so does the end
        for name, pages in [("free", p.free), ("traced", p.traced),
                            ("vmalloc", p.vmalloc)]:
            if got.get(name) != pages * kib:
                yield f"{name} at {p.time_ns}: {got.get(name)}, " \
                    f"must be {pages * kib}"
        if p.slab_kib is not None and got["slab objects"] != p.slab_kib:
            yield f"slab at {p.time_ns}: {got['slab objects']}"
        for kind, rows, total in [
                ("module", p.modules, p.traced + p.vmalloc),
                ("task", p.tasks, p.traced + p.vmalloc)]:
            mine = {n: v for n, v in got.items() if n.startswith(kind)}
            if sum(mine.values()) != total * kib:
                yield f"{kind}s at {p.time_ns}: {sum(mine.values())}, " \
                    f"must be {total * kib}"
            for name, value in mine.items():
                name = name.split(" ", 1)[1]
                if name[0] == "(" or name in want.twice or "another" in name:
                    continue
                if value != rows.get(name, 0) * kib:
                    yield f"{kind} {name} at {p.time_ns}: {value}, " \
                        f"must be {rows.get(name, 0) * kib}"


def wrong_peak(report, rows):
    """Against the JSON report of the same trace."""
    peak = [r for r in rows if r["type"] == "peak"]
    head = next(r for r in rows if r["type"] == "head")
    kib = head["page_size"] // 1024
    end = {}
    for e in report["traceEvents"]:
        if e["ph"] == "C":
            end[e["name"]] = e["args"]["KiB"]
    if not peak:
        if end:
            yield "counters without a sample of free memory"
        return
    if end["free"] != head["free_now_kib"]:
        yield f"free at the end: {end['free']}"
    if head["now_pages"] is not None and \
            end["traced"] != head["now_pages"] * kib:
        yield f"traced at the end: {end['traced']}"
    marks = {e["name"]: e["ts"] for e in report["traceEvents"]
             if e["ph"] == "i"}
    if abs(marks["most used"] * 1000 - peak[0]["time_ns"]) > 1 or \
            abs(marks["lowest free"] * 1000 - head["free_lowest_ns"]) > 1:
        yield f"the marks: {marks}"
    values = [e["args"]["KiB"] for e in report["traceEvents"]
              if e["ph"] == "C" and e["name"] == "traced"]
    if values and max(values) < peak[0]["traced_pages"] * kib:
        yield "the peak is missing"


def test_case(tap, work, name):
    t = gen.load(os.path.join(CASES, name + ".py"))
    work.write(gen.encode(t))
    status, out, errors = work.replay("--format=chrome")
    wrong = [] if all(" " <= c <= "~" or c == "\n" for c in out) else \
        ["bytes that are not printable"]
    try:
        report = json.loads(out)
        wrong += wrong_events(report["traceEvents"])
        wrong += wrong_order(report, max(
            [t.now_ns] + [e.get("time_ns", 0) for e in t.events]))
    except ValueError as e:
        report, wrong = None, [str(e)]
    tap.ok(not status and not wrong, f"{name}: trace events", errors,
           *wrong[:10])
    if not report or wrong:
        return
    tap.ok("".join(report["otherData"]["command_line"]) ==
           t.cmdline.decode("latin-1"), f"{name}: the command line")
    rows = work.rows("--level=3")
    wrong = list(wrong_peak(report, rows))
    if report["otherData"]["complete"] != next(
            r["complete"] for r in rows if r["type"] == "verdict"):
        wrong.append("is it complete?")
    want = pictures.Expected(t) if not t.sampled() else None
    if want:
        wrong += wrong_figures(report, want)
    tap.ok(not wrong, f"{name}: the figures", *wrong[:10])
    if native():
        tap.ok(work.replay("--format=chrome", binary=native())[1] == out,
               f"{name}: the same with sanitizers")


def test_spans(tap, work):
    """Of the case that is made for it."""
    work.write(gen.encode(gen.load(os.path.join(CASES, "picture.py"))))
    events = json.loads(work.replay("--format=chrome")[1])["traceEvents"]
    spans = {(e["pid"], e["name"]): e for e in events if e["ph"] == "X"}
    load = spans[LOADS, "module_3"]
    tap.ok(8000 <= load["dur"] < 9000, "a load takes as long as it did", load)
    failed = spans[LOADS, "(failed load)"]
    tap.ok(failed["args"]["state"] == "failed", "a load that failed", failed)
    life = spans[LIVES, '<script>&"']
    tap.ok(life["args"]["state"] == "live" and life["tid"] == 400,
           "a life that goes on, a name of any bytes", life)
    life = spans[LIVES, "task-5"]
    tap.ok(life["args"]["state"] == "exited" and life["dur"] < 30000,
           "a life that ended", life)
    tap.ok(any(e["name"] == "OOM kill" and e["ph"] == "i" for e in events),
           "an OOM kill")


def main():
    tap, work = Tap(), Workplace()
    for path in sorted(glob.glob(os.path.join(CASES, "*.py"))):
        test_case(tap, work, os.path.basename(path)[:-3])
    test_spans(tap, work)
    tap.done()


main()
