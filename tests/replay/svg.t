#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""--format=svg: an XML file without scripts, whose areas are as high as the
figures of --format=chrome say, which chrome.t compares with the model. `view`
draws the same bytes of the report in JSON.

MATRIX=all: where chromium can be had, it draws the picture, light and dark:
something is to be seen, and no text lies on another one.
"""
import json
import os
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib

from harness import (MATRIX, by_type, chromium, escaped, main, page, printable,
                     tool)

SVG = "{http://www.w3.org/2000/svg}"
LEFT, WIDTH, HEIGHT, MACHINE = 72, 848, 230, 110	# pixels: of a plot
TAGS = {SVG + tag for tag in
        ("svg", "title", "style", "rect", "path", "text", "tspan")}


def numbers(path):
    """The corners of an area."""
    xy = [float(n) for n in re.findall(r"[\d.]+", path)]
    return list(zip(xy[::2], xy[1::2]))


def height_at(corners, x):
    """Of an area, between its highest and its lowest edge."""
    ys = []
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1]):
        if min(x1, x2) <= x <= max(x1, x2) and x1 != x2:
            ys.append(y1 + (y2 - y1) * (x - x1) / (x2 - x1))
    return max(ys) - min(ys) if ys else 0


def wrong_page(root):
    """What is wrong with the file as such."""
    for e in root.iter():
        if e.tag not in TAGS:
            yield f"an element {e.tag}"
        for name, value in e.attrib.items():
            if name.startswith("on") or "href" in name or "url(" in value:
                yield f"{name}={value}"
        if e.tag == SVG + "path" and e.get("class")[0] == "a" and \
                not (e.find(SVG + "title") is not None and
                     e.find(SVG + "title").text):
            yield f"an area without a title: {e.attrib}"
    style = "".join(e.text for e in root.iter(SVG + "style"))
    if "@import" in style or "url(" in style or \
            "prefers-color-scheme:dark" not in style:
        yield "the style"


def values(events, prefix, kinds):
    """time_ns: {name: KiB} of each counter with this prefix, at all points. The
    lowest free memory may have been between two of them, and the most that could
    not be given back."""
    now, points = {}, {}
    exact = {r["time_ns"] for kind in ("timeline", "peak")
             for r in kinds.get(kind, [])}
    for e in sorted((e for e in events if e["ph"] == "C"),
                    key=lambda e: e["ts"]):
        time_ns = round(e["ts"] * 1000)
        if e["name"] in ("free", "unreclaimable") and time_ns not in exact:
            continue
        if e["name"].startswith(prefix):
            now[e["name"][len(prefix):]] = e["args"]["KiB"]
        points[time_ns] = dict(now)
    return points


CHARTS = {"Held by kind": "kind ", "Held by module": "module ",
          "Held by task": "task "}


def areas(root):
    """{prefix: {title up to the colon: corners}} of the areas of each chart."""
    charts, chart = {prefix: {} for prefix in CHARTS.values()}, None
    for e in root.iter():
        title = e.find(SVG + "title")
        if e.get("class") == "h":
            chart = charts.get(CHARTS.get(e.text))
        elif e.tag == SVG + "path" and title is not None and \
                ": at most " in title.text:
            chart[title.text.rsplit(": at most ", 1)[0]] = numbers(e.get("d"))
    return charts


def wrong_need(root, kinds, until_ns):
    """The line of what could not be given back: it is the highest where the
    advice says so, at that share of all memory, and both stand in a text."""
    row = kinds.get("advice", [{"reclaimable_kib": None}])[0]
    lines = [numbers(e.get("d")) for e in root.iter(SVG + "path")
             if e.get("class") == "need"][:1]
    if bool(lines) != (row["reclaimable_kib"] is not None):
        yield f"{len(lines)} lines of what could not be given back"
    if not lines or "growth" in kinds:
        return
    before = next(e for e in root.iter(SVG + "path") if e.get("class") == "an")
    bottom = max(y for _, y in numbers(before.get("d")))
    x, y = min(lines[0], key=lambda corner: corner[1])
    start_ns = min(kinds["head"][0]["start_ns"],
                   *(r["time_ns"] for r in kinds["timeline"]))
    must = (LEFT + WIDTH * (row["unreclaimable_ns"] - start_ns) /
            (until_ns - start_ns),
            bottom - MACHINE * row["unreclaimable_kib"] / row["ram_kib"])
    if abs(y - must[1]) > 0.11 or not any(
            abs(a - must[0]) < 0.11 and abs(b - y) < 0.11
            for a, b in lines[0]):
        yield f"the line is the highest at {x}, {y}, must be at {must}"
    text = next(t for t in texts(root)
                if t.startswith("most that could not be reclaimed "))
    if not same_size(text.split()[6].rstrip(","), row["unreclaimable_kib"]):
        yield f"{text}, must be {row['unreclaimable_kib']} KiB"


def wrong_heights(got, points, kib, from_ns, until_ns):
    """The heights in the middle between two points, in pixels."""
    most = max(sum(v.values()) for v in points.values()) // kib
    top = (most + most // 20) * kib	# of the plot
    times = list(points)
    for a, b in zip(times, times[1:]):
        x = [LEFT + WIDTH * (t - from_ns) / (until_ns - from_ns)
             for t in (a, b)]
        if x[1] - x[0] < 3:
            continue
        for name, corners in got.items():
            y = [points[t].get(name, 0) * HEIGHT / top
                 for t in (a, b)]
            must = sum(y) / 2
            have = height_at(corners, sum(x) / 2)
            if abs(have - must) > 0.4 + abs(y[1] - y[0]) * 0.2 / (x[1] - x[0]):
                yield f"{name} between {a} and {b}: {have:.2f} pixels, " \
                    f"must be {must:.2f}"


def wrong_areas(root, events, kinds):
    head = kinds["head"][0]
    until = max([e["ts"] * 1000 for e in events if e["ph"] == "C"] +
                [(e["ts"] + e["dur"]) * 1000 for e in events
                 if e["ph"] == "X"] + [head["end_ns"]])
    yield from wrong_need(root, kinds, until)
    for prefix, chart in areas(root).items():
        points = values(events, prefix, kinds)
        names = {escaped(n): n for p in points.values() for n in p}
        shown = {names.get(name, name): c for name, c in chart.items()}
        missing = {n for p in points.values() for n, v in p.items() if v} - \
            set(shown)
        if missing:
            yield f"no area of {prefix}{missing}"
        if any(any(p.values()) for p in points.values()):
            yield from wrong_heights(
                shown, points, head["page_bytes"] // 1024,
                min(head["start_ns"], min(points)), until)


def same_size(shown, kib):
    """"1.5M" and 1536; a size is cut off at one decimal."""
    scale = {"K": 1, "M": 1 << 10, "G": 1 << 20}.get(shown[-1:])
    return scale and abs(float(shown[:-1]) * scale - kib) <= \
        (scale // 10 if "." in shown else 0)


def texts(root):
    return ["".join(e.itertext()) for e in root.iter(SVG + "text")]


def wrong_facts(shown, kinds):
    """What stands above and below the charts, by the report in JSON."""
    head = kinds["head"][0]
    foot = next(t for t in shown if t.startswith("memstrack "))
    word = "sampled" if head.get("source") == "sampled" else \
        "exact at" if kinds["verdict"][0]["complete"] else "INCOMPLETE"
    if f": {word}" not in foot:
        yield f"{foot}: must say {word}"
    for kind in ("module", "task") if "peak" in kinds else ():
        rows = kinds["peak"][0][kind + "s"]
        at = shown.index(f"Largest {kind} at the peak")
        name, size = shown[at + 1], shown[at + 2].split(" ")[0]
        begin = name.split("\u2026")[0]
        if kind == "task" and rows:
            begin = begin.rsplit("[", 1)[0]
        most = [escaped(r["name"]) for r in rows
                if r["held_pages"] == rows[0]["held_pages"]] or ["none"]
        if not any(n.startswith(begin) for n in most) or not (
                same_size(size, rows[0]["held_pages"] * head["page_bytes"] //
                          1024)
                if rows else (name, size) == ("none", "")):
            yield f"{kind}: {name} {size}, must be {most} of {rows[:1]}"


def test_case(tap, work, name):
    t = work.case(name)
    out = work.formatted(tap, name, "svg")
    work.drawn(tap, name, "svg", out)
    tap.ok(printable(out) and max(map(len, out.split("\n"))) < 900,
           f"{name}: lines of less than 900 printable characters")
    try:
        root = ElementTree.fromstring(out)
    except ElementTree.ParseError as e:
        tap.ok(False, f"{name}: XML", e)
        return
    tap.none(wrong_page(root), f"{name}: the file as such")
    kinds = by_type(work.rows())
    tap.none(wrong_facts(texts(root), kinds), f"{name}: the facts")
    if not t.sampled():
        events = json.loads(work.replay("--format=chrome")[1])["traceEvents"]
        tap.none(wrong_areas(root, events, kinds),
                 f"{name}: the heights of the areas")


def test_picture(tap, work):
    """Names of markup and of other bytes, a command line, loads, lives, a kill:
    all of it stands there."""
    work.case("picture")
    out = work.replay("--format=svg")[1]
    tap.golden("golden/picture.svg", out, "picture.svg")
    tap.ok(work.replay("--format=svg", "--lines=16")[1] == out,
           "--lines does not cut it")


def test_phases(tap, work):
    """Each has a line in each of six charts, and its name where there is room."""
    work.case("phases")
    root = ElementTree.fromstring(work.replay("--format=svg")[1])
    phases = by_type(work.rows())["phase"]
    shown = texts(root)
    named = [p["name"] for p in phases if escaped(p["name"]) in shown]
    tap.same(named[:5], [p["name"] for p in phases[:5]], "phases: their names")
    tap.ok(5 <= len(named) < len(phases), "phases: some have no room", named)
    lines = [e.get("d") for e in root.iter(SVG + "path")
             if e.get("class") == "b"]
    tap.ok(len(lines) == 6 * (len(phases) + 1),
           "phases: lines, and one below each chart", len(lines))


def pixels(path):
    """The bytes of a PNG of 8 bits a colour, with its filters: enough to count
    colours."""
    with open(path, "rb") as f:
        data = f.read()
    at, body = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IDAT":
            body += data[at + 8:at + 8 + size]
        at += 12 + size
    return zlib.decompress(body)


OVERLAPS = """<!DOCTYPE html><body style="margin:0">%s<pre id="out"></pre>
<script>
const boxes = [...document.querySelectorAll("text")].map(
    t => [t.getBoundingClientRect(), t.textContent]).filter(b => b[1].trim());
const page = document.querySelector("svg").getBoundingClientRect();
const found = [];
for (let i = 0; i < boxes.length; i++) {
    const a = boxes[i][0];
    if (a.left < page.left || a.right > page.right || a.bottom > page.bottom)
        found.push("outside: " + boxes[i][1]);
    for (let k = 0; k < i; k++) {
        const b = boxes[k][0];
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
            found.push(boxes[i][1] + " | " + boxes[k][1]);
    }
}
document.getElementById("out").textContent =
    "texts " + boxes.length + "\\n" + found.join("\\n") + "\\nend";
</script>"""


def test_browser(tap, work, name):
    work.case(name)
    out = work.replay("--format=svg")[1]
    svg = work.write(out, "shown.svg")
    seen = []
    for colours, option in [("light", "1"), ("dark", "0")]:
        png = work.at(f"{name}.{colours}.png")
        chromium(work, "--window-size=1200,1700", "--screenshot=" + png,
                 "--blink-settings=preferredColorScheme=" + option,
                 "file://" + svg)
        seen.append(pixels(png) if os.path.exists(png) else b"")
        tap.ok(len(set(seen[-1])) > 64, f"{name}: drawn, {colours}")
    tap.ok(seen[0] != seen[1], f"{name}: light is not dark")
    html = work.write(OVERLAPS % out.split("?>", 1)[1], "page.html")
    found = page(work, re.compile(
        r'<pre id="out">texts (\d+)\n(.*)\nend', re.S).search,
        "--window-size=1200,1700", "file://" + html)
    tap.ok(found and int(found[1]) > 5 and not found[2].strip(),
           f"{name}: no text lies on another or outside",
           found and found[2])


def test_browsers(tap, work):
    why = MATRIX and tool("need", "chromium")[1]
    for name in ("picture", "boot", "sampled", "full_tasks",
                 "empty", "phases") if MATRIX else ():
        if why:
            tap.skip(f"{name}: in a browser", why)
        else:
            test_browser(tap, work, name)


main(test_picture, test_phases, test_browsers, each=test_case)
