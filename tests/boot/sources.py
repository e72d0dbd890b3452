# SPDX-License-Identifier: MIT
"""Two recorded traces of the same seconds, by perf and by ftrace.

    sources.py FACTS counted|free MEMSTRACK WORK

FACTS is what tests/boot/sources.t sent. Both sources take their own time
stamps, one after the other, so the same event has two times that differ a
little, and more if the host takes the CPU away in between (page_by_page.py
tells by how much they may differ). Where both recorded, the events of each page
must be the same, in the same order. Each pair must have
the same task, context and call chain (ftrace's begins with up to three
functions of its own, and neither keeps more than 64). One in a thousand of
ftrace's may have no chain: an interrupt came between the event and its stack,
at the end of a page of the ring.

Then both traces are written again with the other pairs alone, in the order and
with the times of perf's; so are tasks, modules and areas of vmalloc, because an
area that one CPU gives back while another one takes one would make a peak in
one trace only. Their replays must have the same rows. Three things differ for a
reason, and are made equal: areas of vmalloc from before the second tracer;
kinds, counted from when a tracer has read the names of functions; and what a
kworker does, which /proc adds to its name.
"""
import collections
import json
import re
import statistics
import struct
import subprocess
import sys

import page_by_page as pages
from sent import ALLOC, FREE, PRELUDE_BYTES, events, read, records

OWN_FRAMES = 3
AREAS = range(15, 21)
# Where the chain of a record begins, which belongs to an area of vmalloc.
FIXED = {15: 24, 17: 32}
FUNCTIONS = 22, 23
TABLES = {
    "module": ("name", "state", "now_pages", "peak_pages", "image_pages",
               "vmalloc_pages"),
    "task": ("pid", "comm", "now_pages", "peak_pages"),
    "kind": ("name", "now_pages", "peak_pages"),
}


def pair(perf, ftrace, inside, apart_ns):
    """Pairs of all pages, and the events without one that must have one."""
    a, b = pages.by_page(perf), pages.by_page(ftrace)
    pairs, alone = [], []
    for page in sorted(a.keys() | b.keys()):
        one = [e for e in a[page] if inside(e)]
        # The first and the last may lie just beyond the edge.
        other = [e for e in b[page] if inside(e)]
        chain = pages.align(one, other, lambda e: False, apart_ns)
        if chain is None:
            one, other, chain = edges(a[page], b[page], inside, apart_ns)
        if chain is None:
            alone.append((page, one, other))
            continue
        matched = []
        while chain:
            e, _, chain = chain
            matched.append(e)
        pairs.extend(zip(reversed(matched), other))
    return pairs, alone


def edges(one, other, inside, apart_ns):
    """With all of the events: those at the edges may have no pair."""
    def most(wide, narrow):
        narrow = [e for e in narrow if inside(e)]
        return narrow, pages.align(wide, narrow, lambda e: not inside(e),
                                   apart_ns)

    narrow, chain = most(one, other)
    return one, narrow, chain


def same(a, b):
    """None, or what differs."""
    if a.tid != b.tid and not a.flags:
        return f"task {a.tid} or {b.tid}"
    if a.flags != b.flags:
        return "context"
    for own in range(OWN_FRAMES + 1):
        rest = b.chain[own:]
        if a.chain == rest or len(b.chain) == 64 and rest and \
                a.chain[:len(rest)] == rest:
            return None
    return f"chain {[hex(f) for f in a.chain]} or {[hex(f) for f in b.chain]}"


def others(trace, inside):
    """What is no page event, by what it says without its time and chain:
    [(place in the trace, time)] in order."""
    found = collections.defaultdict(list)
    for at, (kind, data) in enumerate(trace):
        if kind in (0, ALLOC, FREE, *FUNCTIONS) or kind >= 100:
            continue
        time, = struct.unpack_from("<Q", data, 8)
        said = data[24:FIXED.get(kind, len(data))]
        if inside(time):
            found[kind, data[4:8], said].append((at, time))
    return found


def paired_times(perf, ftrace, inside):
    """{place in ftrace's trace: time in perf's}, of what both saw."""
    one, other = others(perf, inside), others(ftrace, inside)
    return {at: time for key in one if len(one[key]) == len(other[key])
            for (_, time), (at, _) in zip(one[key], other[key])}


def stripped(data, time, frames):
    """An event with another time, and its chain cut to the last frames."""
    chain = data[32:]
    tail = chain if frames is None else \
        chain[max(len(chain) - 8 * frames, 0):] if frames else b""
    body = data[4:8] + struct.pack("<Q", time) + data[16:32] + tail
    return struct.pack("<HH", len(body) + 4, data[2] | data[3] << 8) + body


def rewrite(trace, kept, times, first, last):
    """The trace with these page events alone: {at: (time, frames)}; in order of
    time, which is another one for some of the rest: {at: time}."""
    head, body, tail = [], [], []
    for at, (kind, data) in enumerate(trace):
        if kind in (0, 100):
            head.append(data)
        elif kind > 100:
            tail.append(data)
        elif kind in (ALLOC, FREE):
            if at in kept:
                body.append((kept[at][0], at, stripped(data, *kept[at])))
        else:
            time = times.get(at, struct.unpack_from("<Q", data, 8)[0])
            data = data[:8] + struct.pack("<Q", time) + data[16:]
            if kind in FUNCTIONS:
                body.append((0, at, data))
            elif kind not in AREAS or first < time < last:
                body.append((time, at, data))
    return b"".join(head + [data for _, _, data in sorted(body)] + tail)


def replay(program, path):
    said = subprocess.run([program, "replay", path, "--level=3",
                           "--format=json", "--lines=1000000"],
                          stdout=subprocess.PIPE, check=True).stdout
    rows = collections.defaultdict(collections.Counter)
    for line in said.decode("latin-1").splitlines():
        row = json.loads(line)
        if row["type"] in TABLES:
            if row.get("comm", "").startswith("kworker/"):
                row["comm"] = re.split("[-+]", row["comm"])[0]
            rows[row["type"]][tuple(row.get(name) for name in
                                    TABLES[row["type"]])] += 1
    return rows


def main(facts, clock, program, work):
    _, files = read(facts)
    perf, ftrace = ([(0, files[name][:PRELUDE_BYTES]), *records(files[name])]
                    for name in ("perf", "ftrace"))
    a, b = list(events(perf)), list(events(ftrace))
    first, last = pages.recorded_by_all(a, b)
    pairs, alone = pair(a, b, lambda e: first < e.time < last,
                        pages.APART_NS[clock])
    print(f"{len(a)} page events by perf, {len(b)} by ftrace; in "
          f"{(last - first) // 10**6} ms {len(pairs)} are in both, "
          f"{len(alone)} pages differ")
    for page, one, other in alone[:3]:
        print(f"page {page}: {one}\n{other}")
    differ = [(x, y, why) for x, y in pairs if (why := same(x, y))]
    apart = [abs(x.time - y.time) for x, y in pairs]
    half = statistics.median(apart)
    bare = sum(not y.chain for x, y in pairs if x.chain)
    print(f"{len(differ)} differ in task, context or chain, {bare} of them "
          f"have no stack; times differ by up to {max(apart) // 1000} us, "
          f"half of them by up to {half / 1000} us")
    for x, y, why in differ[:3]:
        print(f"pfn {x.pfn:#x} tid {x.tid}: {why}")
    told = [(x, y) for x, y in pairs if y.chain or not x.chain]
    times = paired_times(perf, ftrace, lambda time: first < time < last)
    print(f"{len(times)} other events are in both")
    for name, trace, kept, moved in (
            ("perf", perf, {x.at: (x.time, None) for x, y in told}, {}),
            ("ftrace", ftrace, {y.at: (x.time, len(x.chain))
                                for x, y in told}, times)):
        with open(f"{work}/{name}.trace", "wb") as file:
            file.write(rewrite(trace, kept, moved, first, last))
    one = replay(program, f"{work}/perf.trace")
    other = replay(program, f"{work}/ftrace.trace")
    wrong = 0
    for table in TABLES:
        only, too = one[table] - other[table], other[table] - one[table]
        wrong += len(only) + len(too)
        print(f"{table}: {sum(one[table].values())} rows, "
              f"{len(only) + len(too)} differ")
        for row in list(only)[:4]:
            print(f"  perf   {row}")
        for row in list(too)[:4]:
            print(f"  ftrace {row}")
    sys.exit(len(pairs) < 2500 or bool(alone) or wrong > 0 or
             len(differ) > bare or bare * 1000 > len(pairs) or
             half > pages.SLACK_NS)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
