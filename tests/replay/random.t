#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Long streams of random events: the figures are the model's if the tables have
room; otherwise the sums agree and the totals stay true. They are longer with
MATRIX=all, and fewer in `make quick`. And short boots of any figures: the advice,
and what would save some, are the model's.
"""
import areas
import compare
import gen
import random_case
from harness import BINARY, MATRIX, QUICK, main, sanitized
import report as live

EVENTS = 28000 if MATRIX else 10000
SAMPLED_HAS_NO = {gen.AREA_ENTER, gen.AREA_ALLOC, gen.AREA_FREE}
OPENED_HAS_NO = {gen.LOAD_ENTER}
TIGHT = dict(nodes=200, owners=150, tasks=40, modules=18,
             slab_bytes=1 << 17)
PAGES = dict(pages_bytes=8192)		# at most 896 of them


def made(seed, **layout):
    t = gen.Trace()
    random_case.build(t, seed, EVENTS, **layout)
    return t


def test_room(tap, work, seed):
    trace = made(seed)
    status, report, errors = work.json(
        data=gen.encode(trace, ["little", "big"][seed % 2]),
        binary=sanitized(), check=1000)
    tap.ok(status == 0, f"seed {seed}: the sums agree", errors)
    compare.test(tap, work, f"seed {seed}", trace, report)
    silent = set(range(gen.ALLOC, gen.FUNCTIONS_END + 1)) - \
        {e["type"] for e in trace.events} - \
        (SAMPLED_HAS_NO if random_case.sampled(seed) else set()) - \
        (OPENED_HAS_NO if random_case.opens(seed) else set())
    tap.none(silent, f"seed {seed}: every type of event was among them")


def test_tight(tap, work, seed):
    """Which row a page is charged to changes, not how many there are."""
    what = f"seed {seed}, small tables"
    status, report, errors = work.json(
        data=gen.encode(made(seed, **TIGHT, **PAGES)), binary=sanitized(),
        check=1 if MATRIX else 10)
    tap.ok(status == 0, f"{what}: the sums agree", errors)
    if not report:
        return
    got = compare.Reported(report.splitlines())
    want = compare.Expected(made(seed, **PAGES))
    counters = got.counters | got.kinds["slab_balance"][0]
    full = [k for k in ("tasks_full", "tasks_recycled", "modules_full",
                        "modules_recycled", "stacks_full", "owners_recycled",
                        "untracked_pages", "untracked") if not counters[k]]
    tap.none(full, f"{what}: they did fill")
    balance = areas.balance(want.model)
    for have, wanted, keys in [
            (got.head, want.head, ("now_pages", "peak_pages", "peak_ns",
                                   "allocs", "frees", "before_freed_pages",
                                   "seen")),
            (got.counters, want.counters, ("untracked_pages",
                                           "missed_free_pages")),
            (got.reconcile, balance, ("fall_pages", "traced_pages",
                                      "cma_pages", "pcp_pages"))]:
        for key in keys:
            tap.ok(have[key] == wanted[key], f"{what}: {key}", have[key],
                   wanted[key])
    work.write(report, "report")
    tap.none(live.unbalanced(live.read(work.at("report"))[0]),
             f"{what}: all sums agree")


def test_advice(tap, work, seed):
    """One in ten with sanitizers."""
    trace = gen.Trace()
    random_case.advised(trace, seed)
    _, report, errors = work.json(
        data=gen.encode(trace, ["little", "big"][seed % 2]),
        binary=BINARY if seed % 10 else sanitized())
    tap.ok(not errors, f"boot {seed}: read", errors)
    compare.test(tap, work, f"boot {seed}", trace, report)


def test_random(tap, work):
    for seed in range(40 if QUICK else 200):
        test_advice(tap, work, seed)
    for seed in range(1, 4 if QUICK else 7):
        test_room(tap, work, seed)
    for seed in range(11, 13 if QUICK else 15):
        test_tight(tap, work, seed)


main(test_random)
