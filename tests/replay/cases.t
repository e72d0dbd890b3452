#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The books after each case, compared with an independent model of them.

Every case of cases/ is written in both byte orders and both word sizes. Each of
these files must give the golden reports, byte for byte, and the figures of
compare.py in JSON. GOLDEN=write writes the golden files again, for a human to
check.
"""
import glob
import os
import sys

sys.dont_write_bytecode = True		# nothing is left in the source

import compare
import gen
from harness import CASES, HERE, Tap, Workplace, native

SHAPES = [("little", 8), ("big", 8), ("little", 4), ("big", 4)]
LEVEL = "--level=3"


def golden(name, report):
    path = os.path.join(HERE, "golden", name)
    if os.environ.get("GOLDEN") == "write":
        with open(path, "w", encoding="latin-1") as f:
            f.write(report)
    try:
        with open(path, encoding="latin-1") as f:
            return f.read()
    except OSError as e:
        return str(e)


def first_difference(got, want):
    pairs = zip(got.split("\n") + ["(end)"], want.split("\n") + ["(end)"])
    return next((f"got  {a}\nwant {b}" for a, b in pairs if a != b), "")


def test_case(tap, work, name):
    path = os.path.join(CASES, name + ".py")
    wide = "\nWIDE = True" in open(path, encoding="ascii").read()
    trace = gen.load(path)
    for order, word in SHAPES[:2] if wide else SHAPES:
        what = f"{name}: {order}-endian, {word * 8} bits"
        work.write(gen.encode(trace, order, word))
        status, report, errors = work.replay(LEVEL, "--format=json")
        tap.ok(status == 0, f"{what}: read", errors)
        want = golden(name + ".json", report)
        tap.ok(report == want, f"{what}: JSON",
               first_difference(report, want))
        if order == "little" and word == 8:
            wrong = list(compare.differences(trace, report.splitlines())) \
                if report else ["no report"]
            tap.ok(not wrong, f"{name}: the model's figures", *wrong[:10])
            _, report, _ = work.replay("--level=1", "--format=json")
            wrong = list(compare.differences_level1(
                trace, report.splitlines())) if report else ["no report"]
            tap.ok(not wrong, f"{name}: the rows of level 1", *wrong[:10])
        _, report, _ = work.replay(LEVEL)
        want = golden(name + ".text", report)
        tap.ok(report == want, f"{what}: text",
               first_difference(report, want))
        tap.ok(all(" " <= c <= "~" or c == "\n" for c in report),
               f"{what}: nothing but printable ASCII")
        if native():
            status, report, errors = work.replay(LEVEL, binary=native())
            tap.ok(status == 0 and report == want,
                   f"{what}: the same with sanitizers, the sums agree",
                   errors)
    if not native():
        tap.skip(f"{name}: the sums agree", "no sanitized binary")


def main():
    tap, work = Tap(), Workplace()
    names = sorted(os.path.basename(path)[:-3]
                   for path in glob.glob(os.path.join(CASES, "*.py")))
    for name in names:
        test_case(tap, work, name)
    left = {os.path.splitext(f)[0] for f in
            os.listdir(os.path.join(HERE, "golden"))} - set(names)
    tap.ok(not left, "no golden report without a case", left)
    tap.done()


main()
