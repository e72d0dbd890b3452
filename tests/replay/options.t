#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The options of replay, and output that cannot be written."""
import os

import gen
from harness import Tap, Workplace, case

USAGE = 2


def test_usage(tap, work):
    for name, options in [
            ("an unknown option", ["--no-such"]),
            ("two files", [work.path]),
            ("a value that is none", ["--top=many"]),
            ("a level that is none", ["--level=4"]),
            ("level 0", ["--level=0"])]:
        status, out, errors = work.replay(*options)
        tap.ok(status == USAGE and not out and errors.count("\n") == 1 and
               errors.startswith("memstrack: "),
               f"refused: {name}", status, errors)
    tap.ok("one argument too many" in work.replay(work.path)[2],
           "a second file is not called an option")
    path, work.path = work.path, "--level=1"
    status, _, errors = work.replay()
    tap.ok(status == USAGE and "FILE" in errors, "no file", errors)
    work.path = path + ".not-there"
    status, out, errors = work.replay()
    tap.ok(status == 1 and not out and work.path in errors,
           "a file that is not there: its name and status 1", errors)
    work.path = path


def layout(work, *options):
    return next(r for r in work.rows(*options) if "stacks_rows" in r)


def test_layout(tap, work):
    """The recorded sizes, but for what the options say."""
    before = layout(work)
    for option, key, value in [
            ("--stacks=2000", "stacks_rows", 2000),
            ("--modules=20", "modules_rows", 20),
            ("--tasks=40", "tasks_rows", 40),
            ("--pages=64K", "pages_bytes", 65536)]:
        after = layout(work, option)
        tap.ok(after[key] == value and before[key] != value, option, after)
    after = layout(work, "--tasks=40")
    tap.ok(after["owners_rows"] - 40 ==
           before["owners_rows"] - before["tasks_rows"],
           "--tasks=40: as many owners beside them", after)
    after = layout(work, "--mem=2M", "--stacks=1000")
    tap.ok(after["stacks_rows"] == 1000 and
           after["tasks_rows"] != before["tasks_rows"],
           "--mem=2M divides anew, but for --stacks=1000", after)
    for options, why in [
            ("--stacks=16", "no more stacks than modules"),
            ("--tasks=16M", "too large"),
            ("--modules=1M", "no more stacks than modules"),
            ("--tasks=8M --stacks=16M", "1G")]:
        status, out, errors = work.replay(*options.split())
        tap.ok(status == 1 and not out and why in errors,
               f"{options}: why it cannot be", errors)


def test_lines(tap, work):
    whole = work.replay("--level=3")[1].splitlines()
    cut = work.replay("--level=3", "--lines=16")[1].splitlines()
    tap.ok(len(whole) > 16 and len(cut) == 16 and cut[:15] == whole[:15] and
           f", {len(whole) - 16} more not written" in cut[15],
           "--lines bounds the report", cut)
    counts = [len(work.replay(f"--level={n}")[1]) for n in (1, 2, 3)]
    default = len(work.replay()[1])
    tap.ok(counts[0] < counts[1] < counts[2], "each level says more", counts)
    tap.ok(default == counts[0], "level 1 unless told", default, counts)
    _, after, _ = work.replay("--top=1")
    tap.ok(len(after) != counts[0], "--top is heard")


def test_output(tap, work):
    with open("/dev/full", "w") as full:
        status, _, errors = work.replay(stdout=full)
    tap.ok(status == 1 and "No space left" in errors,
           "no space left for the report: told, status 1", errors)
    reader, writer = os.pipe()
    os.close(reader)
    status, _, errors = work.replay(stdout=writer)
    os.close(writer)
    tap.ok(status == 1 and "Broken pipe" in errors,
           "nobody reads the report: told, status 1, no signal", status,
           errors)


def main():
    tap, work = Tap(), Workplace()
    trace = case("loading")
    for i in range(5):
        trace.alloc(500, 0x4000 + i, 0, [0xc2000000 + i, 0xc2000010])
    work.write(gen.encode(trace))
    for test in test_usage, test_layout, test_lines, test_output:
        test(tap, work)
    tap.done()


main()
