#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""--format=chrome in another program: the trace viewer of chrome://tracing
(catapult), which Debian has among the sources of Go, opens the trace events of
all cases in a headless Chromium. Only with MATRIX=all.

What its model then holds is compared with the report in JSON: each point of the
timeline, the peak, all tasks and modules; and with the recording: OOM kills.
"""
import glob
import json
import os
import re
import shutil
import urllib.parse

import gen
from harness import (HERE, MATRIX, NAMES, Tap, Workplace, by_type, page, tool)

# The newest of a suite; bookworm's is 1.19.
PACKAGES = "golang-1.19-src", "golang-1.24-src"
PROGRAM = "trace_viewer_full.html", "webcomponents.min.js"
MODEL = re.compile(r'<script id="model"[^>]*>([^<]*);</script>')
# The viewer counts milliseconds in floating point.
NEAR_NS = 2


def viewer():
    """The directory of the program, or None and why there is none."""
    _, why = tool("need", "chromium")
    for package in () if why else PACKAGES:
        tree, why = tool("images/tool", package)
        for path in glob.glob(f"{tree}/usr/share/go-*/src/**/static/" +
                              PROGRAM[0], recursive=True):
            return os.path.dirname(path), None
    return None, why


def opened(program, work, reports):
    """What the viewer made of each report."""
    os.mkdir(work.at("viewer"))
    for name in PROGRAM:
        shutil.copy(os.path.join(program, name), work.at("viewer"))
    shutil.copy(os.path.join(HERE, "viewer.html"), work.directory.name)
    work.write(f"const reports = {json.dumps(reports)};\n", "reports.js")
    found = page(work, MODEL.search, f"file://{work.at('viewer.html')}")
    return json.loads(urllib.parse.unquote(found[1])) if found else {}


def ns(ms):
    return round(ms * 1_000_000)


def near(a_ns, b_ns):
    return abs(a_ns - b_ns) <= NEAR_NS


class Seen:
    """The viewer's model of one report."""

    def __init__(self, told):
        self.told = told
        self.process = {p["name"]: p for p in told["processes"]}
        self.counter = {}
        for c in self.process["memory"]["counters"]:
            series, = c["series"]
            self.counter[c["name"]] = [(ns(t), v)
                                       for t, v in series["samples"]]

    def spans(self, process):
        """(tid, name of the thread, span): one a thread."""
        for t in self.process[process]["threads"]:
            for s in t["slices"]:
                yield t["tid"], t["name"], s

    def at(self, name, time_ns):
        value = None
        for t, v in self.counter.get(name, []):
            if t <= time_ns + NEAR_NS:
                value = v
        return value

    def instants(self, name):
        return [ns(i["start"]) for i in self.told["instants"]
                if i["name"] == name]


def wrong_points(seen, kinds, head):
    """The timeline. The peak and the end may stand at the time of a point."""
    kib = head["page_size"] // 1024
    points, peaks = (kinds.get(kind, []) for kind in ("timeline", "peak"))
    times = [p["time_ns"] for p in points + peaks] + [head["end_ns"]]
    wanted = [(name, p["time_ns"], p[key] * kib)
              for p in points if times.count(p["time_ns"]) == 1
              for name, key in [("free", "free_pages"),
                                ("traced", "traced_pages"),
                                ("vmalloc", "vmalloc_pages")]
              if p.get(key) is not None]
    for peak in peaks:
        lowest_ns = head["free_lowest_ns"]
        for name, time_ns in [("most used", peak["time_ns"]),
                              ("lowest free", lowest_ns)]:
            if not near(seen.instants(name)[0], time_ns):
                yield f"{name} at {seen.instants(name)}"
        wanted.append(("free", lowest_ns, head["free_lowest_kib"]))
    for name, time_ns, value in wanted:
        got = seen.at(name, time_ns)
        if got != value:
            yield f"{name} at {time_ns}: {got}, must be {value}"


def wrong_tasks(seen, kinds, head):
    """A life begins when the report says so, and has the same peak. A task
    that never held a page has no row. A number used again is one thread."""
    kib = head["page_size"] // 1024
    want = sorted((r["pid"], r["start_ns"],
                   r["comm"] or f"[{r['pid']}]", r["state"],
                   r["peak_pages"] * kib)
                  for r in kinds.get("task", [])
                  if r["pid"] and r["pid"] == r["tgid"])
    got, names = [], {}
    for tid, name, s in seen.spans("processes"):
        names.setdefault((tid, name), []).append(s["name"])
        if s["args"]["peak_kib"]:
            got.append((tid, ns(s["start"]), s["name"], s["args"]["state"],
                        s["args"]["peak_kib"]))
    if len(got) != len(want):
        yield f"{len(got)} lives, must be {len(want)}"
    for g, w in zip(sorted(got), want):
        began = near(g[1], max(w[1], head["start_ns"]))
        if (g[0], *g[2:]) != (w[0], *w[2:]) or not began:
            yield f"life {g}, must be {w}"
    for (tid, name), lives in names.items():
        if name not in lives:
            yield f"thread {tid} is {name}, its lives are {lives}"


def wrong_modules(seen, kinds, head):
    """A module that never held a page has no row."""
    kib = head["page_size"] // 1024
    want = {}
    for r in kinds.get("module", []):
        want.setdefault(r["name"], []).append(
            (r["state"], r["peak_pages"] * kib))
    for _, name, s in seen.spans("module loads"):
        got = s["args"]["state"], s["args"]["peak_kib"]
        if name != s["name"] or (got[1] and got not in want.get(name, [])):
            yield f"load {name} {s}, must be {want.get(name)}"


def wrong(told, trace, text, report):
    if "error" in told:
        return [told["error"]]
    seen, kinds = Seen(told), by_type(report)
    events = json.loads(text)["traceEvents"]
    spans = [s for p in ("module loads", "processes") for s in seen.spans(p)]
    found = [f"warning: {w}" for w in told["warnings"]]
    if [p["name"] for p in sorted(told["processes"],
                                  key=lambda p: p["sort"])] != \
            ["memory", "module loads", "processes"]:
        found.append(f"processes: {list(seen.process)}")
    if sum(map(len, seen.counter.values())) != \
            sum(e["ph"] == "C" for e in events) or \
            len(spans) != sum(e["ph"] == "X" for e in events):
        found.append("not every event is there")
    found += [f"unfinished: {s}" for s in spans if s[2]["unfinished"]]
    kills = [e["time_ns"] for e in trace.events if e["type"] == gen.KILL]
    if len(seen.instants("OOM kill")) != len(kills) or not all(
            map(near, seen.instants("OOM kill"), kills)):
        found.append(f"kills at {seen.instants('OOM kill')}, not {kills}")
    for check in wrong_points, wrong_tasks, wrong_modules:
        found += check(seen, kinds, kinds["head"][0])
    return found


def main():
    if not MATRIX:
        print("1..0 # SKIP MATRIX=all tries it")
        return
    tap, work = Tap(), Workplace()
    program, why = viewer()
    traces, texts, reports = {}, {}, {}
    for name in NAMES:
        traces[name] = work.case(name)
        texts[name] = work.replay("--format=chrome")[1]
        reports[name] = work.rows("--top=10000")
    told = opened(program, work, texts) if program else {}
    for name, text in texts.items():
        what = f"{name}: opened by the viewer of chrome://tracing"
        if not program:
            tap.skip(what, why)
            continue
        events = text.count('"ph":')
        tap.none(wrong(told.get(name, {"error": "the viewer never told"}),
                       traces[name], text, reports[name]),
                 f"{what} ({events} events)")
    tap.done()


main()
