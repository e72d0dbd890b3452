# SPDX-License-Identifier: MIT
"""Three records of the same seconds: the kernel's own text of its page events,
and traces recorded by perf and by ftrace.

    sources.py FACTS text counted|free                   the text and perf's
    sources.py FACTS both counted|free                   perf's and ftrace's

FACTS is what tests/boot/sources.t sent. The parser of the text shares nothing
with the code that reads formats and rings.

The text begins earlier and ends later than the recordings. A recording begins
on one CPU after the other, all within EDGE_NS. Between its begin and end all
must be equal: for each page, the same events in the same order. Programs on one
tracepoint take their times one after the other. Where the guest's clock counts
instructions, the times of each event differ by up to SLACK_NS. Where it runs
free, a busy host may take the CPU away between them: there so much holds for
half of the events.

Of perf and ftrace, each pair must have the same task, context and call chain
(ftrace's begins with up to three functions of its own, and neither keeps more
than 64). One in a thousand of ftrace's may have no chain: an interrupt came
between the event and its stack, at the end of a page of the ring.

Entries that the kernel's own reader passes over are counted as lost (see
source/ftrace/drain.c): a guest with several CPUs in one thread of QEMU has some
now and then. So many may be missing by ftrace, and no more.

All other events of which pages are charged to a row must be in both, too: what
tasks, modules and areas of vmalloc come and go. Of a fork only perf tells the
process. (From the same events follow the same reports: replay/cases.)
"""
import collections
import json
import math
import re
import statistics
import struct
import sys

from sent import ALLOC, FREE, Event, events, read, records

SLACK_NS = 50_000_000
APART_NS = {"counted": SLACK_NS, "free": math.inf}
EDGE_NS = {"counted": SLACK_NS, "free": 10 * SLACK_NS}
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


def recorded_by_all(clock, *traces):
    """From when to when each of these traces had each type of event, and a
    little less. Types are switched on and off one after the other, and a busy
    host takes its time for that."""
    times = [[e.time for e in trace if e.type == kind]
             for trace in traces for kind in (ALLOC, FREE)]
    return (max(min(found) for found in times) + EDGE_NS[clock],
            min(max(found) for found in times) - EDGE_NS[clock])


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


OWN_FRAMES = 3
# Types of TRACE-FORMAT.md, and where what both sources tell ends, if not with the
# record: of a fork before its process, of an area before a call chain.
COMM = 4
OTHERS = {3: 28, COMM: None, 5: None, 7: None, 8: None, 9: None, 10: None,
          15: 24, 16: None, 17: 32, 18: None}


def pair(perf, ftrace, inside, apart_ns):
    """Pairs of all pages, and the events without one that must have one."""
    a, b = by_page(perf), by_page(ftrace)
    pairs, alone = [], []
    for page in sorted(a.keys() | b.keys()):
        one = [e for e in a[page] if inside(e)]
        # The first and the last may lie just beyond the edge.
        other = [e for e in b[page] if inside(e)]
        chain = align(one, other, lambda e: False, apart_ns)
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
        return narrow, align(wide, narrow, lambda e: not inside(e),
                                   apart_ns)

    narrow, chain = most(one, other)
    return one, narrow, chain


def unpaired(some, others):
    """Those that have none of the same task at about their time: what to look
    at first where the order differs."""
    return [e for e in some if not any(
        o.type == e.type and o.tid == e.tid and abs(o.time - e.time) < SLACK_NS
        for o in others)]


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
    """How often there was what is no page event, by what it says. A name that an
    exec gives ftrace records twice."""
    found = collections.Counter()
    for kind, data in trace:
        if kind in OTHERS and inside(struct.unpack_from("<Q", data, 8)[0]):
            said = kind, data[4:8], data[24:OTHERS[kind]]
            found[said] = 1 if kind == COMM else found[said] + 1
    return found


def text(facts, files, clock):
    head = json.loads(re.search('.*"source":"perf".*', facts)[0])
    record = list(events(records(files["perf"])))
    printed = list(of_text(files["text"].decode("latin-1")))
    print(f"{len(printed)} events in the kernel's text, {len(record)} recorded")
    first, last = recorded_by_all(clock, record)
    texts, recorded = by_page(printed), by_page(record)
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


def both(facts, files, clock):
    perf, ftrace = (list(records(files[name])) for name in ("perf", "ftrace"))
    a, b = list(events(perf)), list(events(ftrace))
    first, last = recorded_by_all(clock, a, b)
    inside = lambda time: first < time < last
    pairs, alone = pair(a, b, lambda e: inside(e.time), APART_NS[clock])
    print(f"{len(a)} page events by perf, {len(b)} by ftrace; in "
          f"{(last - first) // 10**6} ms {len(pairs)} are in both, "
          f"{len(alone)} pages differ")
    lost = json.loads(re.search('.*"source":"ftrace".*', facts)[0])["lost"]
    missing = []
    for page, one, other in list(alone):
        lone = [e for e in unpaired(one, other) if inside(e.time)]
        for name, events_of in ("perf", lone), ("ftrace", unpaired(other, one)):
            for e in events_of[:20]:
                print(f"page {page}: by {name} only: {e.time} type {e.type} "
                      f"tid {e.tid}, number {e.at}")
        some, chain = edges([e for e in one if e not in lone], other,
                            lambda e: inside(e.time), APART_NS[clock])[1:]
        if lone and chain is not None and some:
            missing += lone
            alone.remove((page, one, other))
    print(f"{len(missing)} events of perf are missing by ftrace, which lost "
          f"{lost} records")
    differ = [(x, y, why) for x, y in pairs if (why := same(x, y))]
    apart = [abs(x.time - y.time) for x, y in pairs]
    half = statistics.median(apart)
    bare = sum(not y.chain for x, y in pairs if x.chain)
    print(f"{len(differ)} differ in task, context or chain, {bare} of them "
          f"have no stack; times differ by up to {max(apart) // 1000} us, "
          f"half of them by up to {half / 1000} us")
    for x, y, why in differ[:3]:
        print(f"pfn {x.pfn:#x} tid {x.tid}: {why}")
    one, other = others(perf, inside), others(ftrace, inside)
    missing += (one - other).elements()
    only = [*(other - one).items()]
    print(f"{sum((one & other).values())} other events are in both, of types "
          f"{sorted({key[0] for key in one & other})}; {len(only)} differ, "
          f"{sum((one - other).values())} are missing by ftrace")
    for event in [*only, *(one - other).items()][:20]:
        print(event, "by perf" if event[0] in one - other else "by ftrace")
    sys.exit(len(pairs) < 2500 or bool(alone) or bool(only) or
             len(missing) > lost or
             len(one & other) < 50 or len(differ) > bare or bare * 1000 > len(pairs) or
             half > SLACK_NS)


if __name__ == "__main__":
    {"text": text, "both": both}[sys.argv[2]](*read(sys.argv[1]), *sys.argv[3:])
