#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Options of replay that are refused, and output that cannot be written. (Bad
values: live/options.t; other applets' options: house/help.t; what the others do:
reports.t.)
"""
import os

from harness import main, run

USAGE = 2


def test_refused(tap, work):
    """In one line, and nothing is written."""
    trace = work.path
    work.case("loading")
    for path, options, wanted, why in [
            (trace, trace, USAGE, "one argument too many"),
            (trace, "--level=0", USAGE, "--level: 0 traces nothing"),
            ("--level=1", "", USAGE, "FILE"),
            ("-", "--format=json", 1, "-: byte 0: cut off"),
            (trace + ".not-there", "", 1, trace + ".not-there: "),
            (trace, "--stacks=16", 1, "no more stacks than modules"),
            (trace, "--tasks=16M", 1, "too large"),
            (trace, "--modules=1M", 1, "no more stacks than modules"),
            (trace, "--tasks=8M --stacks=16M", 1, "1G")]:
        work.path = path
        tap.refused(work.replay(*options.split()), wanted, why,
                    " ".join(map(os.path.basename, [path, options, why])))
    work.path = trace


def test_input(tap, work):
    """Standard input, which is a file, or a pipe."""
    trace = work.path
    want = work.replay()
    with open(trace, "rb") as file:
        data = file.read()
        file.seek(0)
        tap.ok(run("replay", "-", stdin=file) == want, "a file as -")
    tap.ok(run("replay", "-", data=data) == want, "a pipe as -")
    with open(trace, "rb") as file, open(trace, "ab") as same:
        status, _, errors = run("replay", "-", stdin=file, stdout=same)
    tap.ok(status == 1 and "the report would replace it" in errors and
           os.path.getsize(trace) == len(data), "its own file is refused",
           errors)
    status, _, errors = run("record", "-")
    tap.ok(status == USAGE and "-: only a file" in errors, "not to record")
    status, _, errors = run("kmemtrace", "-", data=data)
    tap.ok(status == 1 and "a pipe" in errors, "nor for streams", errors)


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


main(test_refused, test_input, test_output)
