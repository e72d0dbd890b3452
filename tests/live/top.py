#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""top.py REPORTS TEXT TABLE...: what `top --once` printed between the last two
reports. Rows that hold the same in both must stand there with the same figures,
some of each TABLE.
"""
import collections
import re
import sys

import report

HEADING = re.compile(r" (task|module|initcall|site) ")
ROW = re.compile(r" (.*?) +([0-9.]+[BKMG]?) +([0-9.]+[BKMG]?) ")


def size(count):
    """Of objects also as bytes."""
    if count % 1024 and count < 10240:
        return f"{count}B"
    return report.size((count + 512) // 1024)


def figures(r):
    """(table, name) -> (now, peak) in bytes; None: the name stands twice."""
    rows = [("slab", s["site"], s["live_bytes"], s["peak_bytes"])
            for s in r.many["slab"]]
    for table, key in ("task", "comm"), ("module", "name"), \
            ("initcall", "function"):
        for row in r.rows[table]:
            is_process = table == "task" and row["state"] != "fixed"
            name = row[key] + (f"[{row['pid']}]" if is_process else "")
            held = ("now_pages", "peak_pages") if table == "initcall" else \
                ("held_pages", "held_peak_pages")
            rows.append((table, name, *(row[k] * 4096 for k in held)))
    times = collections.Counter(row[:2] for row in rows)
    return {row[:2]: row[2:] if times[row[:2]] == 1 else None for row in rows}


def shown(text):
    """(table, name) -> [now, peak] as they are printed."""
    table, rows = "", {}
    for line in open(text, encoding="ascii"):
        if HEADING.match(line):
            table = {"site": "slab"}.get(line.split()[0], line.split()[0])
        elif table and not line.startswith(" ...") and (row := ROW.match(line)):
            rows[table, row[1]] = [row[2], row[3]]
    return rows


def main():
    before, after = map(figures, report.read(sys.argv[1])[-2:])
    rows = shown(sys.argv[2])
    same = {k: v for k, v in before.items() if v and after.get(k) == v}
    seen = {k: v for k, v in same.items() if k in rows and len(k[1]) <= 40}
    # What asks for a report has objects of slab too: their peak stays.
    wrong = [f"{k} has {rows[k]} instead of {v}" for k, v in seen.items()
             if rows[k][k[0] == "slab":] !=
             list(map(size, v))[k[0] == "slab":]]
    tables = {table for table, _ in seen}
    print("\n".join(wrong))
    print(f"{len(seen)} rows of {len(same)} that stood still, in", *tables)
    return bool(wrong) or len(seen) < 10 or not tables >= set(sys.argv[3:])


sys.exit(main())
