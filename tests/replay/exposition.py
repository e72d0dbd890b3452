# SPDX-License-Identifier: MIT
"""What the report for Prometheus must say, by the one in JSON at level 3.

The text format is parsed as its specification says (exposition_formats.md,
0.0.4): escapes of labels, HELP and TYPE before the samples of a name, no sample
twice.
"""
import collections
import math
import re

from harness import by_type, escaped

SAMPLE = re.compile(r'^memstrack_([a-z_]+)(?:\{(.*)\})? ([0-9.]+|\+Inf)$')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"(?:,|$)')
SHOWN = 20
MORE = 1 << 64		# and all beyond: they are written as infinite
TABLES = {"module": ("name",), "task": ("comm",),
          "initcall": ("function", "module")}
HEAD = {"ram_bytes": ("ram_kib", 1024),
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
    """(name, labels) -> value, names without memstrack_."""
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
        if not match:
            raise ValueError(f"not a sample: {line}")
        name = match[1]
        key = name, tuple((k, unescape(v))
                          for k, v in LABEL.findall(match[2] or ""))
        if name != list(types)[-1] or name not in helps:
            raise ValueError(f"not behind its TYPE and HELP: {line}")
        if (types[name] == "counter") != name.endswith("_total"):
            raise ValueError(f"the type of {line}")
        if key in samples:
            raise ValueError(f"a sample twice: {line}")
        samples[key] = number(match[3])
    return samples


def label_of(name):
    return escaped("(no name)" if name.startswith("0x") else name, '"')


def merge(into, row):
    """Sums, and the highest peak. A time that is not known makes its sum one
    that is not."""
    for key in COLUMNS.values():
        value = row.get(key)
        if value is None and key == "run_ns":
            value = math.nan
        if value is not None:
            into[key] = max(into[key], value) if key == "peak_pages" else \
                into[key] + value


def wanted_rows(rows, table, page):
    """Rows of one name are one; those that are not shown are the rest."""
    keys = TABLES[table]
    names, found = (table, "module")[:len(keys)], {}
    for row in rows:
        label = tuple(label_of(row[k]) if k == "function" else
                      escaped(row[k], '"') for k in keys)
        merge(found.setdefault(label, collections.Counter()), row)
    order = sorted(found, key=lambda label: -max(
        found[label][k] for k in ("now_pages", "peak_pages",
                                  "at_peak_pages")))
    rest = collections.Counter()
    for label in order[SHOWN:]:
        merge(rest, found.pop(label))
    if rest:
        found[("(rest)", "")[:len(keys)]] = rest
    for suffix, key in COLUMNS.items():
        if any(row.get(key) is not None for row in rows):
            for label, sums in found.items():
                if not math.isnan(sums[key]):
                    yield (f"{table}_{suffix}", tuple(zip(names, label))), \
                        sums[key] * (1 if key == "run_ns" else page)


def wanted(rows):
    kinds = by_type(rows)
    head, page = rows[0], rows[0]["page_bytes"]
    yield ("info", tuple((k, escaped(head.get(k, ""), '"')) for k in (
        "version", "kernel", "source", "reason"))), 1
    yield ("complete", ()), kinds["verdict"][0]["complete"]
    figures = [(name, head[key], page if unit == "page" else unit)
               for name, (key, unit) in HEAD.items()]
    for row in kinds.get("advice", []):
        figures += [("memory_advised_bytes", row["advice_kib"], 1024),
                    ("memory_needed_bytes", row["need_kib"], 1024)]
    figures.append(("areas_bytes",
                    kinds["reconcile"][0]["areas_pages"], page))
    for name, value, unit in figures:
        if value is not None:
            yield (name, ()), value * unit
    for table in TABLES:
        yield from wanted_rows(kinds.get(table, []), table, page)


def differences(text, rows):
    got = parse(text)
    want = {key: min(value, MORE) for key, value in wanted(rows)}
    for key in sorted(set(got) | set(want)):
        if got.get(key) != want.get(key):
            yield f"{key}: {got.get(key)} instead of {want.get(key)}"
