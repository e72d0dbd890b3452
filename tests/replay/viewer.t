#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""--format=chrome in another program: the trace viewer of chrome://tracing
(catapult), which Debian has among the sources of Go, opens the trace events of
all cases in a headless Chromium. Only with MATRIX=all.

What its model then holds is every one of them: counters, spans and instants.
(Their figures: chrome.t.)
"""
import glob
import json
import os
import re
import shutil
import urllib.parse

from harness import HERE, MATRIX, NAMES, first_difference, main, page, tool

# The newest of a suite; bookworm's is 1.19.
PACKAGES = "golang-1.19-src", "golang-1.24-src"
PROGRAM = "trace_viewer_full.html", "webcomponents.min.js"
MODEL = re.compile(r'<script id="model"[^>]*>([^<]*);</script>')


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
    """The viewer counts milliseconds in floating point."""
    return round(ms * 100_000) * 10


def wanted(text):
    """What the trace events say: names of processes in order; counters; spans
    with the names of their tracks; instants."""
    events = json.loads(text)["traceEvents"]

    def said(kind, key="name"):
        return {(e["pid"], e["tid"]): e["args"][key] for e in events
                if e["name"] == kind}
    process, order = said("process_name"), said("process_sort_index",
                                                "sort_index")
    track = said("thread_name")		# of two the last
    of = {ph: [e for e in events if e["ph"] == ph] for ph in "CXi"}
    return ([process[key] for key in sorted(order, key=order.get)],
            [(e["name"], ns(e["ts"] / 1000), e["args"]["KiB"])
             for e in of["C"]],
            [(process[e["pid"], 0], e["tid"], track[e["pid"], e["tid"]],
              e["name"], ns(e["ts"] / 1000), ns(e["dur"] / 1000), e["args"])
             for e in of["X"]],
            [(e["name"], ns(e["ts"] / 1000)) for e in of["i"]])


def seen(told):
    """The same of the viewer's model."""
    counters, spans = [], []
    for p in told["processes"]:
        for c in p["counters"]:
            series, = c["series"]
            counters += [(c["name"], ns(t), v) for t, v in series["samples"]]
        spans += [(p["name"], t["tid"], t["name"], s["name"], ns(s["start"]),
                   ns(s["duration"]), s["args"])
                  for t in p["threads"] for s in t["slices"]
                  if not s["unfinished"]]
    processes = sorted(told["processes"], key=lambda p: p["sort"])
    return [p["name"] for p in processes], counters, spans, \
        [(i["name"], ns(i["start"])) for i in told["instants"]]


def wrong(told, text):
    if "error" in told:
        return [told["error"]]
    got, want = seen(told), wanted(text)
    return [f"warning: {w}" for w in told["warnings"]] + [
        f"{what}: " + first_difference(sorted(map(str, g)), sorted(map(str, w)))
        for what, g, w in zip(("processes", "counters", "spans", "instants"),
                              got, want)
        if sorted(map(str, g)) != sorted(map(str, w))]


def test_viewer(tap, work):
    program, why = viewer()
    texts = {}
    for name in NAMES:
        work.case(name)
        texts[name] = work.replay("--format=chrome")[1]
    told = opened(program, work, texts) if program else {}
    for name, text in texts.items():
        what = f"{name}: opened by the viewer of chrome://tracing"
        if not program:
            tap.skip(what, why)
            continue
        events = text.count('"ph":')
        tap.none(wrong(told.get(name, {"error": "the viewer never told"}),
                       text), f"{what} ({events} events)")


if MATRIX:
    main(test_viewer)
else:
    print("1..0 # SKIP MATRIX=all tries it")
