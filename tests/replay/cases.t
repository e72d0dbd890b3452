#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The books after each case, compared with an independent model of them.

Every case of cases/ is written in both byte orders and both word sizes. Each of
these files must give the golden reports, byte for byte, and the figures of
compare.py in JSON. GOLDEN=write writes the golden files again, for a human to
check.
"""
import glob
import os

import compare
import gen
from harness import (MATRIX, BINARY, CASES, HERE, Tap, Workplace,
                     first_difference, golden, native)

SHAPES = [("little", 8), ("big", 8), ("little", 4), ("big", 4)]


def reports(work, binary=BINARY):
    """A level 3 report as text and as JSON, by one run."""
    status, _, errors = work.replay(
        "--level=3", f"--out={work.at('text')},{work.at('report.json')}",
        binary=binary)
    if status:
        return errors or status, "", ""
    return "", work.read("text"), work.read("report.json")


def test_shape(tap, work, name, what, binary):
    errors, text, report = reports(work, binary)
    tap.ok(not errors, f"{what}: read", errors)
    for kind, got in ("json", report), ("text", text):
        want = golden(f"{name}.{kind}", got)
        tap.ok(got and got == want, f"{what}: {kind}",
               first_difference(got, want))
    tap.ok(all(" " <= c <= "~" or c == "\n" for c in text),
           f"{what}: nothing but printable ASCII")
    return report


def test_model(tap, work, name, trace, report):
    wrong = list(compare.differences(trace, report.splitlines()))
    tap.ok(not wrong, f"{name}: the model's figures", *wrong[:10])
    _, report, _ = work.replay("--level=1", "--format=json")
    wrong = list(compare.differences_level1(trace, report.splitlines()))
    tap.ok(not wrong, f"{name}: the rows of level 1", *wrong[:10])


def test_case(tap, work, name, turn):
    """With sanitizers in one shape, whose turn it is, so that each has many."""
    path = os.path.join(CASES, name + ".py")
    wide = "\nWIDE = True" in open(path, encoding="ascii").read()
    trace = gen.load(path)
    shapes = SHAPES[:2] if wide else SHAPES
    for i, (order, word) in enumerate(shapes):
        what = f"{name}: {order}-endian, {word * 8} bits"
        work.write(gen.encode(trace, order, word))
        report = test_shape(tap, work, name, what, BINARY)
        if i == 0:
            test_model(tap, work, name, trace, report)
        if native() and (MATRIX or i == turn % len(shapes)):
            test_shape(tap, work, name,
                       f"{what}, with sanitizers: the sums agree", native())
    if not native():
        tap.skip(f"{name}: the sums agree", "no sanitized binary")


def main():
    tap, work = Tap(), Workplace()
    names = sorted(os.path.basename(path)[:-3]
                   for path in glob.glob(os.path.join(CASES, "*.py")))
    for turn, name in enumerate(names):
        test_case(tap, work, name, turn)
    left = {os.path.splitext(f)[0] for f in
            os.listdir(os.path.join(HERE, "golden"))} - set(names)
    tap.ok(not left, "no golden report without a case", left)
    tap.done()


main()
