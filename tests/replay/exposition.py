# SPDX-License-Identifier: MIT
"""What the report for Prometheus must say, by the one in JSON at level 3.

The text format is parsed as its specification says (exposition_formats.md,
0.0.4): escapes of labels, HELP and TYPE before the samples of a name, no sample
twice.
"""
import collections
import json
import math
import re

SAMPLE = re.compile(r'^([a-z_]+)(?:\{(.*)\})? ([0-9.]+|\+Inf)$')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"(?:,|$)')
SHOWN = 20
MORE = 1 << 64		# and all beyond: they are written as infinite
TABLES = {"module": ("name",), "task": ("comm",),
          "initcall": ("function", "module")}
HEAD = {"memory_total_bytes": ("mem_total_kib", 1024),
        "memory_free_start_bytes": ("free_start_kib", 1024),
        "memory_free_bytes": ("free_now_kib", 1024),
        "memory_free_lowest_bytes": ("free_lowest_kib", 1024),
        "memory_free_lowest_uptime_seconds": ("free_lowest_ns", 1),
        "start_uptime_seconds": ("start_ns", 1),
        "report_uptime_seconds": ("end_ns", 1),
        "traced_bytes": ("now_pages", "page"),
        "traced_peak_bytes": ("peak_pages", "page"),
        "traced_peak_uptime_seconds": ("peak_ns", 1),
        "allocations_total": ("allocs", 1), "frees_total": ("frees", 1),
        "lost_events_total": ("lost", 1), "own_bytes": ("own_bytes", 1),
        "own_cpu_seconds_total": ("cpu_ns", 1)}
COLUMNS = {"bytes": "now_pages", "peak_bytes": "peak_pages",
           "at_peak_bytes": "at_peak_pages", "image_bytes": "image_pages",
           "vmalloc_bytes": "vmalloc_pages", "run_seconds": "run_ns"}


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), text)


def number(text):
    """Seconds become ns, so that all are integers."""
    if text == "+Inf":
        return MORE
    whole, _, part = text.partition(".")
    if part and len(part) != 9:
        raise ValueError(f"not in nanoseconds: {text}")
    return int(whole + part)


def parse(text):
    """(name, labels) -> value, names without memstrack_; and types."""
    samples, types, helps = {}, {}, set()
    for line in text.splitlines():
        if line.startswith("# HELP memstrack_"):
            helps.add(line.split(" ", 3)[2][10:])
            continue
        if line.startswith("# TYPE memstrack_"):
            _, _, last, kind = line.split(" ")
            if last[10:] in types:
                raise ValueError(f"a second time: {line}")
            types[last[10:]] = kind
            continue
        match = SAMPLE.match(line)
        if not match or not match[1].startswith("memstrack_"):
            raise ValueError(f"not a sample: {line}")
        name = match[1][10:]
        labels = tuple((k, unescape(v))
                       for k, v in LABEL.findall(match[2] or ""))
        if name != list(types)[-1] or name not in helps:
            raise ValueError(f"not behind its TYPE and HELP: {line}")
        if (types[name] == "counter") != name.endswith("_total"):
            raise ValueError(f"the type of {line}")
        if (name, labels) in samples:
            raise ValueError(f"a sample twice: {line}")
        samples[name, labels] = number(match[3])
    return samples


def escaped(raw):
    return "".join(c if " " <= c <= "~" and c not in '\\"' else
                   f"\\x{ord(c):02x}" for c in raw)


def no_address(function):
    return "(no name)" if function.startswith("0x") else function


def groups(rows, keys):
    """The rows of one name as one: sums, and the highest peak. A time that is not
    known makes its sum one that is not."""
    found = collections.OrderedDict()
    for row in rows:
        label = tuple(escaped(no_address(row[k]) if k == "function" else
                              row[k]) for k in keys)
        into = found.setdefault(label, collections.Counter())
        for key in COLUMNS.values():
            if row.get(key) is None and key == "run_ns":
                into[key] = math.nan
            if row.get(key) is None:
                continue
            into[key] = max(into[key], row[key]) if key == "peak_pages" \
                else into[key] + row[key]
    return found


def wanted_rows(lines, table, page):
    rows = [line for line in lines if line["type"] == table]
    found = groups(rows, TABLES[table])
    order = sorted(found, key=lambda label: -max(
        found[label][k] for k in ("now_pages", "peak_pages",
                                  "at_peak_pages")))
    rest = collections.Counter()
    for label in order[SHOWN:]:
        for key, value in found.pop(label).items():
            rest[key] = max(rest[key], value) if key == "peak_pages" \
                else rest[key] + value
    if order[SHOWN:]:
        found[("(rest)", "")[:len(TABLES[table])]] = rest
    names = (table, "module")[:len(TABLES[table])]
    for suffix, key in COLUMNS.items():
        if key == "run_ns":
            if table != "initcall":
                continue
        elif not any(row.get(key) is not None for row in rows):
            continue
        for label, sums in found.items():
            if math.isnan(sums[key]):
                continue
            yield (f"{table}_{suffix}", tuple(zip(names, label))), \
                sums[key] * (1 if key == "run_ns" else page)


def wanted(report):
    lines = [json.loads(line) for line in report.splitlines()]
    head = lines[0]
    page = head["page_size"]
    first = {line["type"]: line for line in reversed(lines)}
    yield ("info", (("version", head["version"]),
                    ("kernel", escaped(head["kernel"])),
                    ("source", escaped(head.get("source", ""))),
                    ("reason", escaped(head["reason"])))), 1
    yield ("complete", ()), first["verdict"]["complete"]
    for name, (key, unit) in HEAD.items():
        if head[key] is not None:
            yield (name, ()), head[key] * (page if unit == "page" else unit)
    for name, key in (("memory_advised_bytes", "advice_kib"),
                      ("memory_needed_bytes", "need_kib")):
        if first.get("advice", {}).get(key) is not None:
            yield (name, ()), first["advice"][key] * 1024
    if first["reconcile"]["vmalloc_pages"] is not None:
        yield ("vmalloc_bytes", ()), first["reconcile"]["vmalloc_pages"] * page
    for table in TABLES:
        yield from wanted_rows(lines, table, page)


def differences(text, report):
    got = parse(text)
    want = {key: min(value, MORE) for key, value in wanted(report)}
    for key in sorted(set(got) | set(want)):
        if got.get(key) != want.get(key):
            yield f"{key}: {got.get(key)} instead of {want.get(key)}"
