#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Reports of each level, shape and selection of rows, byte for byte.

A file of reports/ is named after a case of cases/ and the options with which it
is what that one prints: "leak--level=1--top=1". GOLDEN=write writes these files
again, for a human to check; a new one is made by touch. What cases.t shows of
each case, level 3 without further options, is not here.
"""
import os

import words
from harness import HERE, main, rows

FOLDER = os.path.join(HERE, "reports")
LINE_BYTES = 900


def wrong_lines(report):
    """A line that is no JSON, or lines that are longer than one may be."""
    try:
        rows(report)
    except ValueError as error:
        yield error
    yield from (f"{len(line)} bytes: {line}" for line in report.splitlines()
                if len(line) >= LINE_BYTES)


def test_report(tap, work, file):
    what = file.replace("--", " --")
    name, *options = what.split()
    work.case(name)
    status, report, errors = work.replay(*options)
    tap.golden(os.path.join(FOLDER, file),
               report if status == 0 else f"status {status}", what, errors)
    if "--format=json" in options:
        tap.none(wrong_lines(report), f"{what}: each line is JSON")
    elif "=" not in what.replace("--level=", "").replace("--top=", ""):
        tap.none(words.wrong(report), f"{what}: columns and counts")
    work.sanitized(tap, what, report, *options)


def test_reports(tap, work):
    for file in sorted(os.listdir(FOLDER)):
        test_report(tap, work, file)


main(test_reports)
