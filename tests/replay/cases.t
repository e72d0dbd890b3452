#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""The books after each case, compared with an independent model of them.

Every case of cases/ is written in both byte orders and both word sizes, as
version 1, and in one of these as version 2, with packed events. Each of these
files must give the golden reports, byte for byte, and the figures of
compare.py in JSON. GOLDEN=write writes the golden files again, for a human to
check.
"""
import os

import compare
import gen
import words
from harness import (BINARY, CASES, HERE, MATRIX, NAMES, case, has_turn, main,
                     native, printable, rows, sanitized)

SHAPES = [("little", 8), ("big", 8), ("little", 4), ("big", 4)]


def test_shape(tap, work, name, what, binary):
    """A level 3 report as text and as JSON, by one run."""
    status, _, errors = work.replay(
        "--level=3", f"--out={work.at('text')},{work.at('json')}.json",
        binary=binary)
    tap.ok(not status, f"{what}: read", errors)
    text, report = ("", "") if status else (work.read("text"),
                                            work.read("json.json"))
    tap.golden(f"golden/{name}.json", report, f"{what}: json")
    tap.golden(f"golden/{name}.text", text, f"{what}: text")
    tap.ok(printable(text), f"{what}: nothing but printable ASCII")
    tap.none([*words.wrong(text), *words.wrong_shares(text, rows(report))],
             f"{what}: columns, counts and shares")
    return report


def test_case(tap, work, name):
    """With sanitizers in one shape, whose turn it is, so that each has many."""
    turn = NAMES.index(name)
    with open(os.path.join(CASES, name + ".py"), encoding="ascii") as f:
        shapes = SHAPES[:2] if "\nWIDE = True" in f.read() else SHAPES
    trace = case(name)
    for i, (order, word) in enumerate(shapes):
        what = f"{name}: {order}-endian, {word * 8} bits"
        work.write(gen.encode(trace, order, word))
        report = test_shape(tap, work, name, what, BINARY)
        if i == 0:
            compare.test(tap, work, name, trace, report)
        if native() and (MATRIX or i == turn % len(shapes)):
            test_shape(tap, work, name,
                       f"{what}, with sanitizers: the sums agree", native())
    order, word = shapes[turn % len(shapes)]
    work.write(gen.encode(trace, order, word, gen.Packer))
    test_shape(tap, work, name, f"{name}: packed, {order}-endian",
               sanitized() if has_turn(name, "packed") else BINARY)
    if not native():
        tap.skip(f"{name}: the sums agree", "no sanitized binary")


def test_left(tap, _):
    left = {os.path.splitext(f)[0] for f in
            os.listdir(os.path.join(HERE, "golden"))} - {"diff", *NAMES}
    tap.none(left, "no golden report without a case")


main(test_left, each=test_case)
