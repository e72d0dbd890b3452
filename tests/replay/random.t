#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Long streams of random events: the figures are the model's if the tables have
room; otherwise the sums agree and the totals stay true.
"""

import sys

sys.dont_write_bytecode = True		# nothing is left in the source

import areas
import compare
import gen
import random_case
from harness import BINARY, Tap, Workplace, native

SAMPLED_HAS_NO = {gen.AREA_ENTER, gen.AREA_ALLOC, gen.AREA_FREE}
OPENED_HAS_NO = {gen.LOAD_ENTER}
TIGHT = dict(nodes=200, owners=150, tasks=40, modules=18)


def test_room(tap, work, seed):
    trace = gen.Trace()
    random_case.build(trace, seed)
    status, report, errors = work.replay(
        "--level=3", "--format=json", check=1000,
        data=gen.encode(trace, ["little", "big"][seed % 2]),
        binary=native() or BINARY)
    tap.ok(status == 0, f"seed {seed}: the sums agree", errors)
    wrong = list(compare.differences(trace, report.splitlines())) \
        if report else ["no report"]
    tap.ok(not wrong, f"seed {seed}: the model's figures", *wrong[:10])
    _, report, _ = work.replay("--level=1", "--format=json")
    wrong = list(compare.differences_level1(trace, report.splitlines())) \
        if report else ["no report"]
    tap.ok(not wrong, f"seed {seed}: the rows of level 1", *wrong[:10])
    seen = {e["type"] for e in trace.events}
    silent = set(range(gen.ALLOC, gen.FUNCTIONS_END + 1)) - seen - \
        (SAMPLED_HAS_NO if random_case.sampled(seed) else set()) - \
        (OPENED_HAS_NO if random_case.opens(seed) else set())
    tap.ok(not silent, f"seed {seed}: every type of event was among them",
           silent)


def test_tight(tap, work, seed):
    """Which row a page is charged to changes, not how many there are."""
    trace, roomy = gen.Trace(), gen.Trace()
    random_case.build(roomy, seed, 8000)
    random_case.build(trace, seed, 8000, **TIGHT)
    status, report, errors = work.replay(
        "--level=3", "--format=json",
        data=gen.encode(trace), binary=native() or BINARY)
    tap.ok(status == 0, f"seed {seed}, small tables: the sums agree", errors)
    if not report:
        return
    got, want = compare.Reported(report.splitlines()), compare.Expected(roomy)
    full = [k for k in ("tasks_full", "modules_full", "stacks_full",
                        "owners_recycled")
            if not got.counters[k]]
    tap.ok(not full, f"seed {seed}, small tables: they did fill", full)
    for key in ("now_pages", "peak_pages", "peak_ns", "allocs", "frees",
                "before_frees", "seen"):
        tap.ok(got.head[key] == want.head[key],
               f"seed {seed}, small tables: {key}",
               got.head[key], want.head[key])
    for kind in ("module", "task"):
        tap.ok(got.sum(kind, "now_pages") == want.head["now_pages"],
               f"seed {seed}, small tables: {kind}s add up")
    held = got.reconcile["vmalloc_pages"]
    tap.ok(held == got.sum("module", "image_pages") +
           got.sum("module", "vmalloc_pages") == got.sum("vmalloc", "pages"),
           f"seed {seed}, small tables: areas add up", held)
    for key in ("fall_pages", "traced_pages", "cma_pages", "pcp_pages"):
        tap.ok(got.reconcile[key] == areas.balance(want.model)[key],
               f"seed {seed}, small tables: {key}")


def main():
    tap, work = Tap(), Workplace()
    for seed in range(1, 7):
        test_room(tap, work, seed)
    for seed in range(11, 15):
        test_tight(tap, work, seed)
    tap.done()


main()
