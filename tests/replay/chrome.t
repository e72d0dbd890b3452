#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""--format=chrome: trace events as their format wants them, with the figures of
the model and of the report in JSON at each point of the timeline.

The format: "Trace Event Format", Google.
"""
import collections
import json

import gen
import model
from compare import module_name
from gen import text
from harness import by_type, main, printable

LIVES = 3		# the process of them
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


def wrong_event(e):
    """What is not as the format wants it."""
    if set(e) != FIELDS.get(e.get("ph")):
        return "fields"
    args = e.get("args", {})
    good = {
        "name, ts, pid or tid": isinstance(e["name"], str) and
        number(e["ts"]) and all(isinstance(e[k], int) for k in ("pid", "tid")),
        # Perfetto takes an empty name for an error.
        "an empty name": e["name"] and args.get("name") != "",
        "metadata": e["ph"] != "M" or isinstance(
            args.get("name", args.get("sort_index")),
            METADATA.get(e["name"], ())),
        "a counter without numbers": e["ph"] != "C" or (
            args and all(map(number, args.values()))),
        "a span without duration": e["ph"] != "X" or number(e["dur"]),
        "scope of an instant": e["ph"] != "i" or e["s"] in "gpt",
    }
    return ", ".join(what for what, holds in good.items() if not holds)


def wrong_order(events, end_ns):
    """A counter's events go on in time; spans lie within the trace, and those
    of one track do not cross; every track has a name."""
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


def at(events, time_ns=float("inf")):
    """Each counter's value after all events of that time."""
    return {e["name"]: e["args"]["KiB"] for e in events
            if e["ph"] == "C" and e["ts"] * 1000 <= time_ns + 0.5}


def of_several(names):
    """Those that rows share."""
    return {name for name, rows in collections.Counter(names).items()
            if rows > 1}


def task_name(k):
    return text(k.comm) + (f"[{k.tid}]" if k.tid else "")


def wrong_figures(events, t):
    """Against the model of the same trace. The peak stands behind a point of
    its time, and so does the end, or another point."""
    m, kib = model.Model(t), t.page_size // 1024
    points = [p.figures for p in m.timeline.points]
    tables = [("module", "modules", module_name), ("task", "tasks", task_name),
              ("kind", "kinds", str)]
    shared = {"kind": set(),
              **{kind: of_several(map(name_of, getattr(m, table)))
                 for kind, table, name_of in tables[:2]}}
    for i, (p, moment) in enumerate(zip(points, m.timeline.points)):
        time_ns = p["time_ns"]
        behind = points[i + 1]["time_ns"] if points[i + 1:] else m.last_ns
        if time_ns in (m.used_peak_ns, behind):
            continue
        got = at(events, time_ns)
        total = (p["traced_pages"] + p["areas_pages"]) * kib
        must = {}
        if "live_bytes" in p:
            must["slab objects"] = p["live_bytes"] // 1024
        if m.need.known:
            must["unreclaimable"] = m.need.at(moment.need)
        for kind, table, name_of in tables:
            rows = {name_of(k): pages for k, pages in getattr(moment, table)}
            mine = {n.split(" ", 1)[1]: v for n, v in got.items()
                    if n.startswith(kind)}
            if sum(mine.values()) != total:
                yield f"{kind}s at {time_ns}: {mine}, must be {total}"
            must |= {f"{kind} {name}": rows.get(name, 0) * kib
                     for name in mine if name[0] != "(" and
                     name not in shared[kind] and "another" not in name}
        for name, value in must.items():
            if got.get(name) != value:
                yield f"{name} at {time_ns}: {got.get(name)}, must be {value}"


def wrong_points(events, kinds, kib):
    """The timeline of the report. The peak and the end may stand at the time of
    a point."""
    points = kinds.get("timeline", [])
    times = [p["time_ns"] for p in points + kinds.get("peak", [])] + \
        [kinds["head"][0]["end_ns"]]
    for p in points:
        got = at(events, p["time_ns"])
        must = {name: p[name + "_pages"] and p[name + "_pages"] * kib
                for name in ("traced", "areas")} | {"free": p["free_kib"]}
        for name, value in must.items():
            if times.count(p["time_ns"]) == 1 and value is not None and \
                    got.get(name) != value:
                yield f"{name} at {p['time_ns']}: {got}, must be {value}"
    yield from wrong_need(events, kinds)


def wrong_need(events, kinds):
    """The most that could not be given back is what the advice is made of."""
    values = [e["args"]["KiB"] for e in events
              if e["ph"] == "C" and e["name"] == "unreclaimable"]
    for row in kinds.get("advice", []):
        if row["reclaimable_kib"] is None:
            if values:
                yield "nobody knows what could be given back"
        elif max(values) != row["unreclaimable_kib"] or \
                row["unreclaimable_kib"] not in [
                    e["args"]["KiB"] for e in events
                    if e["name"] == "unreclaimable" and
                    abs(e["ts"] * 1000 - row["unreclaimable_ns"]) < 1]:
            yield f"unreclaimable: {max(values)}, must be as in {row}"


def wrong_spans(events, kinds, kib):
    """Lives begin and loads hold what the report says. What never held a page
    has no row. A number that is used again is one track."""
    start_ns = kinds["head"][0]["start_ns"]
    lives = sorted((r["pid"], max(r["start_ns"], start_ns) / 1000,
                    r["comm"] or f"[{r['pid']}]", r["state"],
                    r["peak_pages"] * kib)
                   for r in kinds.get("task", [])
                   if r["pid"] and r["pid"] == r["tgid"] and r["peak_pages"])
    loads = [(r["name"], r["state"], r["peak_pages"] * kib)
             for r in kinds.get("module", [])]
    got, names = [], collections.defaultdict(set)
    for e in events:
        if e["ph"] != "X":
            continue
        held = e["args"]["state"], e["args"]["peak_kib"]
        names[e["pid"], e["tid"]].add(e["name"])
        if e["pid"] == LIVES and held[1]:
            got.append((e["tid"], e["ts"], e["name"], *held))
        elif held[1] and (e["name"], *held) not in loads:
            yield f"load {e}, must be of {loads}"
    if sorted(got) != lives:
        yield f"lives {sorted(got)}, must be {lives}"
    for e in events:
        mine = names[e["pid"], e["tid"]]
        if e["name"] == "thread_name" and e["args"]["name"] not in mine:
            yield f"{e} has {mine}"


def wrong_peak(events, kinds):
    """Against the JSON report of the same trace."""
    head, end = kinds["head"][0], at(events)
    kib = head["page_bytes"] // 1024
    if "peak" not in kinds:
        if end:
            yield "counters without a sample of free memory"
        return
    if end["free"] != head["free_now_kib"]:
        yield f"free at the end: {end['free']}"
    if head["now_pages"] is not None and \
            end["traced"] != head["now_pages"] * kib:
        yield f"traced at the end: {end['traced']}"
    marks = {e["name"]: e["ts"] * 1000 for e in events if e["ph"] == "i"}
    peak = kinds["peak"][0]
    if abs(marks["most used"] - peak["time_ns"]) > 1 or \
            abs(marks["lowest free"] - head["free_lowest_ns"]) > 1:
        yield f"the marks: {marks}"
    values = [e["args"]["KiB"] for e in events
              if e["ph"] == "C" and e["name"] == "traced"]
    if values and max(values) < peak["traced_pages"] * kib:
        yield "the peak is missing"


def test_case(tap, work, name):
    t = work.case(name)
    out = work.formatted(tap, name, "chrome")
    work.drawn(tap, name, "chrome", out)
    wrong = [] if printable(out) else ["bytes that are not printable"]
    try:
        report = json.loads(out)
        events = report["traceEvents"]
        wrong += [f"{why}: {e}" for e in events if (why := wrong_event(e))] or \
            wrong_order(events, max([t.now_ns] + [e.get("time_ns", 0)
                                                  for e in t.events]))
    except ValueError as e:
        wrong += [str(e)]
    tap.none(wrong, f"{name}: trace events")
    if wrong:
        return
    tap.ok("".join(report["otherData"]["command_line"]) ==
           t.cmdline.decode("latin-1"), f"{name}: the command line")
    kinds, kib = by_type(work.rows("--top=10000")), t.page_size // 1024
    wrong = [*wrong_peak(events, kinds), *wrong_points(events, kinds, kib),
             *wrong_spans(events, kinds, kib)]
    if [e["ts"] * 1000 for e in events if e["name"] == "OOM kill"] != \
            [e["time_ns"] for e in t.events if e["type"] == gen.KILL]:
        wrong.append("the OOM kills")
    phases = [(r["name"], r["time_ns"] // 1000) for r in kinds.get("phase", [])]
    if [(e["name"], int(e["ts"])) for e in events
            if e["ph"] == "i"][-len(phases):] != phases and phases:
        wrong.append(f"the phases: {phases}")
    if report["otherData"]["complete"] != kinds["verdict"][0]["complete"]:
        wrong.append("is it complete?")
    if not t.sampled():
        wrong += wrong_figures(events, t)
    tap.none(wrong, f"{name}: the figures")


def test_picture(tap, work):
    """Loads and lives that end, fail and go on, names of any bytes, a kill."""
    work.case("picture")
    tap.golden("golden/picture.chrome", work.replay("--format=chrome")[1],
               "picture.chrome")


main(test_picture, each=test_case)
