#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""report.py FILE CHECK [ARG...]: checks that the live tests do on JSON reports.

With any check, every report in FILE must be whole and its books must balance.
Prints what is wrong; the exit status is 0 if nothing is.
"""
import json
import sys

# Types of lines: one in a report; many; tables, whose rows have stacks.
ONE = ("head", "own", "counters", "end", "reconcile", "peak", "advice",
       "verdict", "slab_balance", "before_init", "unpack", "growth",
       "huge_pages", "before_tags")
SLAB = ("slab", "slab_module", "slab_cache")
MANY = ("note", "baseline", "limit", "timeline", "ram", "save", "initramfs", "full",
        "failed_alloc", "slab_fault", "picture", "picture_text", "largest",
        "kill", "phase", "band", "point", "span", "before_tag", *SLAB)
TABLES = ("module", "task", "kind", "initcall", "areas")


class Report:
    """One report: its rows, with the stacks that follow a row inside it."""

    def __init__(self):
        self.lines, self.rest = 0, {}
        for kind in ONE:
            setattr(self, kind, None)
        self.many = {kind: [] for kind in MANY}
        self.rows = {kind: [] for kind in TABLES}

    def add(self, line):
        kind = line["type"]
        if kind in ONE:
            if getattr(self, kind):
                raise ValueError(f"a second {kind}")
            setattr(self, kind, line)
        elif kind in MANY:
            self.many[kind].append(line)
        elif kind == "slab_stack":
            self.last = dict(stacks=[line])
        elif kind in TABLES:
            self.last = dict(line, stacks=[], rest=None)
            self.rows[kind].append(self.last)
        elif kind == "stack":
            self.last["stacks"].append(line)
        elif kind == "frames":
            self.last["stacks"][-1]["frames"] += line["frames"]
        elif kind == "rest" and line["of"] == "stack":
            self.last["rest"] = line
        elif kind == "rest":
            self.rest[line["of"]] = line
        else:
            raise ValueError(f"a line of type {kind}")
        self.lines += kind != "end"

    def total(self, table, key):
        rest = self.rest.get(table, {}).get(key) or 0
        return sum(r[key] or 0 for r in self.rows[table]) + rest


def decimal(value, unit, part):
    """Rounded half up."""
    parts = (value * part + unit // 2) // unit
    return f"{parts // part}.{parts % part:0{len(str(part)) - 1}}"


def size(kib):
    """As a report prints it."""
    if kib is None:
        return "-"
    if kib >= 1024:
        return decimal(kib, 1024, 10) + "M"
    return f"{kib}K" if kib else "0"


PARTS = ("traced", "areas", "bulk", "cma", "before", "no_room", "pcp",
         "rest")


def ram_unbalanced(rows):
    installed = [row["size_kib"] for row in rows if row["group"] == "all" and
                 row["name"] == "installed"]
    parts = sum(row["size_kib"] for row in rows if row["group"] != "all" and
                "part_of" not in row)
    if rows and installed != [parts]:
        yield f"ram: {parts} KiB in parts, installed {installed}"


def slab_unbalanced(r):
    """Each object is in a site, a module and a cache, if all are shown."""
    tables = [r.many[kind] for kind in SLAB if kind not in r.rest]
    for key in ("allocs", "frees", "requested_bytes", "allocated_bytes",
                "live_objects", "live_bytes", "settled", "cross_cpu_frees"):
        sums = {sum(row[key] for row in rows) for rows in tables}
        if len(sums) > 1:
            yield f"{key} of slab's tables: {sums}"


def table_unbalanced(r, table):
    h = r.head
    now, at_peak = (r.total(table, k) for k in ("now_pages", "at_peak_pages"))
    if now != h["now_pages"]:
        yield f"{table}s hold {now}, the head says {h['now_pages']}"
    if not r.counters[table + "s_recycled"] and \
            at_peak != r.peak["traced_pages"]:
        yield f"{table}s: {at_peak} at the peak, not {r.peak['traced_pages']}"
    for row in r.rows[table]:
        if "rows" in row:	# several in one, without a peak
            continue
        if row["now_pages"] > row["peak_pages"]:
            yield f"more now than ever: {row}"
        rest = row["rest"]["now_pages"] if row["rest"] else 0
        held = sum(s["now_pages"] for s in row["stacks"]) + rest
        if h["level"] > 1 and held != row["now_pages"]:
            yield f"stacks hold {held}: {row}"


def unbalanced(r):
    """What does not add up."""
    h, timeline = r.head, r.many["timeline"]
    if sum(r.reconcile[p + "_pages"] for p in PARTS) != \
            r.reconcile["fall_pages"]:
        yield f"parts of the fall: {r.reconcile}"
    areas = [sum(c["now_pages"] for c in r.rows["areas"]) +
             r.rest.get("areas", {}).get("now_pages", 0),
             r.total("module", "image_pages") +
             r.total("module", "vmalloc_pages")]
    if areas != [r.reconcile["areas_pages"]] * 2:
        yield f"areas: {areas}, not {r.reconcile['areas_pages']}"
    if len(timeline) > 128 or timeline != sorted(
            timeline, key=lambda point: point["time_ns"]):
        yield f"{len(timeline)} points of the timeline, or out of order"
    yield from ram_unbalanced(r.many["ram"])
    yield from slab_unbalanced(r)
    if r.end["records"] != r.lines:
        yield f"{r.lines} lines, end says {r.end['records']}"
    if h["seen"] != h["applied"] + h["ignored"] + h["rejected"]:
        yield "seen is not applied + ignored + rejected"
    if h["now_pages"] > h["peak_pages"]:
        yield "more now than at the peak"
    yield from table_unbalanced(r, "module")
    yield from table_unbalanced(r, "task")


def read(path):
    """The reports of a file."""
    reports, report = [], None
    with open(path, encoding="ascii") as f:
        for number, text in enumerate(f, 1):
            if len(text.rstrip("\n")) >= 900:
                raise ValueError(f"line {number} has {len(text)} bytes")
            try:
                line = json.loads(text)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}: {text}") from None
            if bool(report) == (line["type"] == "head"):
                raise ValueError(f"line {number}: a report has a head, an end")
            report = report or Report()
            report.add(line)
            if report.end:
                reports.append(report)
                report = None
    if report:
        raise ValueError("the last report has no end")
    return reports


# --- checks: each gives what is wrong.

def check_whole(_):
    """Nothing more than is checked of every report."""
    return ()


def check_reasons(reports, *wanted):
    got = [r.head["reason"] for r in reports]
    if got != list(wanted):
        yield f"{got} instead of {list(wanted)}"


def check_count(reports, wanted):
    if len(reports) != int(wanted):
        yield f"{len(reports)} reports instead of {wanted}"


def check_note(reports, *words):
    notes = [line["text"] for line in reports[-1].many["note"]]
    if not any(all(w in n for w in words) for n in notes):
        yield f"no note says {words}: {notes}"


def check_counted(reports, *names):
    c = reports[-1].counters
    yield from (f"{n} is 0: {c}" for n in names if not c[n])


def check_is(reports, part, *wanted):
    """KEY=VALUE of one line of the last report."""
    line = getattr(reports[-1], part)
    for key, value in (w.split("=") for w in wanted):
        if str(line[key]) != value:
            yield f"{key} is {line[key]} instead of {value}"


def check_print(reports, part, key):
    print(getattr(reports[-1], part)[key])
    return ()


def check_within(reports, pages):
    """No figure is less than nothing or more than the machine has."""
    r = reports[-1]
    rows = [row for table in r.rows.values() for row in table]
    for line in [r.head, r.peak or {}, *rows,
                 *(s for row in rows for s in row["stacks"])]:
        yield from (f"{key} is {value}: {line}" for key, value in line.items()
                    if key.endswith("_pages") and isinstance(value, int) and
                    not 0 <= value <= int(pages))


def check_grows(reports, key):
    got = [r.head[key] for r in reports]
    if any(b <= a for a, b in zip(got, got[1:])):
        yield f"{key}: {got}"


def main():
    path, check, *args = sys.argv[1:]
    try:
        reports = read(path)
    except (OSError, ValueError) as error:
        print(f"{path}: {error}")
        return True
    wrong = [f"report {i + 1}: {w}" for i, r in enumerate(reports)
             for w in unbalanced(r)]
    wrong += globals()["check_" + check](reports, *args) if reports else \
        ["no report"]
    print("".join(f"{w}\n" for w in wrong), end="")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
