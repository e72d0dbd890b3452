#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of memstrack top against the JSON reports around them.

top.py REPORTS TEXT: what `top --once` printed between the last two reports.
Rows that hold the same in both must stand there with the same figures.
"""
import json
import re
import sys


def size(count):
    """Bytes as a report prints them: K, then M with one decimal, rounded half
    up. Of objects also as bytes."""
    if count % 1024 and count < 10240:
        return f"{count}B"
    kib = (count + 512) // 1024
    if not kib:
        return "0"
    if kib < 1024:
        return f"{kib}K"
    tenths = (kib % 1024 * 10 + 512) // 1024
    return f"{kib // 1024 + tenths // 10}.{tenths % 10}M"


def rows_of(reports):
    """Of each report: name -> (now, peak); names that stand twice are left
    out."""
    found = []
    for line in open(reports, encoding="ascii"):
        r = json.loads(line)
        if r["type"] == "head":
            found.append({})
        if r["type"] == "task":
            name = r["comm"]
            if r["state"] != "fixed":
                name += f"[{r['pid']}]"
        elif r["type"] == "module":
            name = r["name"]
        elif r["type"] == "initcall":
            name = r["function"]
        elif r["type"] == "slab":
            name = r["site"]
            r["now_pages"] = r["live_bytes"]
            r["peak_pages"] = r["peak_bytes"]
        else:
            continue
        key = (r["type"], name)
        value = None if key in found[-1] else (r["now_pages"], r["peak_pages"])
        found[-1][key] = value
    return found


def shown(text):
    """(table, name) -> [now, peak] as they are printed."""
    table, rows = "", {}
    for line in open(text, encoding="ascii"):
        words = line.split()
        if line.startswith((" task ", " module ", " initcall ", " site ")):
            table = {"site": "slab"}.get(words[0], words[0])
        elif table and not line.startswith(" ..."):
            found = re.match(r" (.*?) +([0-9.]+[BKMG]?) +([0-9.]+[BKMG]?) ", line)
            if found:
                rows[table, found.group(1)] = found.groups()[1:]
    return rows


def main():
    before, after = rows_of(sys.argv[1])[-2:]
    rows = shown(sys.argv[2])
    same = {k: v for k, v in before.items() if v and after.get(k) == v}
    wrong, seen, tables = 0, 0, set()
    for key, (now, peak) in same.items():
        if key not in rows or len(key[1]) > 40:
            continue
        seen += 1
        tables.add(key[0])
        if key[0] == "slab":    # what asks for a report has objects too
            good = rows[key][1] == size(peak)
        else:
            good = list(rows[key]) == [size(now * 4096), size(peak * 4096)]
        if not good:
            wrong += 1
            print(key, "has", rows[key], "instead of", now, peak)
    print(f"{seen} rows of {len(same)} that stood still, in", *sorted(tables))
    need = set(sys.argv[3:])
    sys.exit(wrong > 0 or seen < 10 or not need <= tables)


main()
