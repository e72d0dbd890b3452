# SPDX-License-Identifier: MIT
"""The kernel's text of its page events against a recorded trace of them.

    page_by_page.py FACTS counted|free

FACTS is what tests/boot/page-by-page.t sent: both files, and the head of the
report. The parser of the text shares nothing with the code that reads formats
and rings.

The text begins earlier and ends later than the recording. The recording begins
on one CPU after the other, all within SLACK_NS. Between its begin and its end
both must be equal: for each page, the same events in the same order. Two
programs on one tracepoint take their times one after the other. Where the
guest's clock counts instructions, the times of each event differ by up to
SLACK_NS. Where it runs free, a busy host may take the CPU away between them:
there so much holds for half of the events.
"""
import collections
import json
import math
import re
import statistics
import sys

from sent import ALLOC, FREE, Event, events, read, records

SLACK_NS = 50_000_000
APART_NS = {"counted": SLACK_NS, "free": math.inf}
EVENT = re.compile(
    r" *.*-\d+ +\[\d+\] \S+ +(?P<s>\d+)\.(?P<us>\d{6}):"
    r" mm_page_(?P<type>alloc|free):"
    r" page=\S+ pfn=(?P<pfn>[0-9a-fx]+) order=(?P<order>\d+)")


def of_text(text):
    """In the order of the text, which is that of time."""
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        m = EVENT.match(line)
        if not m:
            if "mm_page_" in line:
                sys.exit(f"not understood: {line}")
            continue
        yield Event(int(m["s"]) * 10**9 + int(m["us"]) * 1000,
                    int(m["pfn"], 0), int(m["order"]),
                    ALLOC if m["type"] == "alloc" else FREE)


def by_page(found):
    """(pfn, order): the events in their order."""
    pages = collections.defaultdict(list)
    for e in found:
        pages[e.pfn, e.order].append(e)
    return pages


def recorded_by_all(*traces):
    """From when to when each of these traces had each type of event, and a
    little less. Types are switched on and off one after the other, and a busy
    host takes its time for that."""
    times = [[e.time for e in trace if e.type == kind]
             for trace in traces for kind in (ALLOC, FREE)]
    return (max(min(found) for found in times) + SLACK_NS,
            min(max(found) for found in times) - SLACK_NS)


def align(text, record, may_skip, apart_ns=SLACK_NS):
    """Of one page: which of the text's events were recorded, such that times
    differ least, each by up to apart_ns; all others must be those that may be
    skipped. A chain of (event, difference, chain before), or None."""
    spare = len(text) - len(record)
    if spare < 0:
        return None
    ways = {0: (0, ())}		# by events skipped: sum of differences, chain

    def skip(ways, at):
        for k in range(spare):
            if k in ways and may_skip(text[at + k]):
                ways[k + 1] = min(ways[k], ways.get(k + 1, ways[k]),
                                  key=lambda way: way[0])
        return ways

    ways = skip(ways, 0)
    for i, r in enumerate(record):
        paired = {}
        for k, (sum_ns, chain) in ways.items():
            e = text[i + k]
            apart = abs(e.time - r.time)
            if e.type == r.type and apart <= apart_ns:
                paired[k] = (sum_ns + apart, (e, apart, chain))
        ways = skip(paired, i + 1)
    return ways[spare][1] if spare in ways else None


def held(found):
    """Pages taken and not given back, one by one."""
    pages = set()
    for e in sorted(found, key=lambda e: e.time):
        block = range(e.pfn, e.pfn + (1 << e.order))
        if e.type == ALLOC:
            pages.update(block)
        else:
            pages.difference_update(block)
    return pages


def main(path, clock):
    facts, files = read(path)
    head = json.loads(re.search('.*"type":"head".*', facts)[0])
    record = list(events(records(files["trace"])))
    text = list(of_text(files["text"].decode("latin-1")))
    print(f"{len(text)} events in the kernel's text, {len(record)} recorded")
    first, last = recorded_by_all(record)
    texts, recorded = by_page(text), by_page(record)
    common, differences, wrong = [], [], 0
    for page in sorted(texts.keys() | recorded.keys()):
        chain = align(texts[page], recorded[page],
                      lambda e: not first < e.time < last, APART_NS[clock])
        if chain is None:
            if wrong < 3:
                print(f"differ: {page}:\n  {texts[page]}\n  {recorded[page]}")
            wrong += 1
        while chain:
            e, apart, chain = chain
            common.append(e)
            differences.append(apart)
    half = statistics.median(differences)
    ours, kernels = held(record), held(common)
    print(f"{wrong} pages differ; times differ by up to "
          f"{max(differences) // 1000} us, half of them by up to "
          f"{half / 1000} us")
    print(f"held in the end: by the kernel's text {len(kernels)} pages, "
          f"recorded {len(ours)}, reported {head['now_pages']}, "
          f"{len(ours ^ kernels)} not in both")
    if len(record) < 10000 or wrong or ours != kernels or head["lost"] or \
            head["now_pages"] != len(kernels) or half > SLACK_NS:
        sys.exit(1)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
