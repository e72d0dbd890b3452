#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What memstrack top sent over a serial line, replayed on a terminal of pyte.

top.py RAW TERM [FACTS]: the section of RAW that begins at "=== TERM". Prints
facts: NAME=VALUE lines, then the last picture, each line behind "| ". With
FACTS, rows of initcalls, ten at least, have the pages that the report there has,
as the table rounds.
"""
import json
import re
import statistics
import sys

import pyte

PARK = b"\033[24;1H"    # each picture ends with the cursor there


UNIT = {"K": 1, "M": 1024, "": 0}


def agree(facts, shown):
    with open(facts, errors="replace", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file
                if line.startswith('{"type":"initcall"')]
    rows = {row["function"]: row for row in rows}
    good = bad = 0
    for line in shown:
        found = re.match(r".(\S+) .*?([0-9.]+)([KM]?) +([0-9.]+)([KM]?) +\S+",
                         line)
        row = found and rows.get(found[1])
        if not row:
            continue
        near = all(abs(float(found[i]) * UNIT[found[i + 1]] - 4 * row[key]) <=
                   0.06 * UNIT[found[i + 1]]
                   for i, key in [(2, "now_pages"), (4, "peak_pages")])
        print("as" if near else "not as", "the report:", line)
        good, bad = good + near, bad + (not near)
    return good >= 10 and not bad


def main():
    raw = open(sys.argv[1], "rb").read()
    begin = raw.index(b"=== " + sys.argv[2].encode() + b"\n")
    data = raw[raw.index(b"\n", begin) + 1:]
    data = data[:data.index(b"=== end")]
    size = data.count(b"\033[999;999H\033[6n")
    data = data.replace(b"\033[999;999H\033[6n", b"")
    used = sorted(set(re.findall(rb"\033(?:\[[0-9;?]*.|[^\[])", data)))
    kinds = sorted({u[-1:].decode() for u in used})
    # Without sequences each picture begins with its title.
    parts = [p for p in data.split(PARK if used else b"memstrack top +") if p]
    sizes = [len(p) + len(PARK) for p in parts]
    plain = data.count(b"memstrack top +")
    print(f"asked_size={size}")
    print(f"sequences={''.join(kinds)}")
    print(f"reverse={int(any(u == b'%c[7m' % 27 for u in used))}")
    print(f"first_bytes={sizes[0]}")
    print(f"pictures={plain if not used else len(sizes) - 1}")
    later = sizes[2:] or sizes
    print(f"most_bytes={max(later)}")
    print(f"median_bytes={int(statistics.median(later))}")
    screen = pyte.Screen(80, 24)
    stream = pyte.ByteStream(screen)
    # The last part may be what leaves the terminal; the picture is before it.
    at = data.rindex(b"memstrack top +") if not used else None
    if at is not None:
        stream.feed(data[at:].replace(b"\r", b"").replace(b"\n", b"\r\n"))
    else:
        stream.feed(PARK.join(parts[:-1]))
    for line in screen.display:
        print("| " + line.rstrip())
    return len(sys.argv) > 3 and not agree(sys.argv[3], screen.display)


sys.exit(main())
