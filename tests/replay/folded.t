#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Folded stacks: each stack and each sum as in the report in JSON.

All cases of cases/ are folded in the three ways and compared with stacks.py; some
with golden files too; the first way once more with sanitizers. MATRIX=all: all
ways with sanitizers; and speedscope, the viewer from npm, opens them in a headless
Chromium, and must show the same totals.
"""
import base64
import collections
import html
import re

import stacks
from harness import MATRIX, NAMES, Tap, Workplace, page, tool

FORMATS = "folded", "folded-peak", "folded-tasks"
GOLDEN = "boot", "names", "peak", "vmalloc", "sampled_source"
ROW = re.compile(r'<td[^>]*>([\d,]+) \([^<]*<.*?</td>'
                 r'<td[^>]*>[\d,]+ \(.*?</td>'
                 r'<td[^>]*><span[^>]*></span>([^<]*)</td>')


def test_case(tap, work, name):
    work.case(name)
    texts = {}
    for form in FORMATS:
        what = f"{name}: {form}"
        status, texts[form], errors = work.replay("--format=" + form)
        tap.ok(status == 0, what, errors)
        if form == FORMATS[0] or MATRIX:
            work.sanitized(tap, what + ", at any level", texts[form],
                           "--format=" + form, "--level=3")
        if name in GOLDEN:
            tap.golden(f"golden/{name}.{form}", texts[form],
                       what + ", as in golden/")
    try:
        wrong = list(stacks.differences(*texts.values(), work.rows()))
    except ValueError as error:
        wrong = [error]
    tap.none(wrong, f"{name}: as in JSON")
    return texts["folded"]


def show(work, index, text):
    """What speedscope shows for each frame: its total, in bytes."""
    data = base64.b64encode(text.encode("ascii")).decode("ascii")
    script = work.write(
        f'speedscope.loadFileFromBase64("a.folded", "{data}")', "profile.js")
    rows = page(work, ROW.findall, "--window-size=1200,9000",
                f"file://{index}#localProfilePath={script}&view=sandwich")
    return {html.unescape(frame): int(total.replace(",", ""))
            for total, frame in rows}


def totals(text):
    """The same, by ourselves: a frame counts once for each stack it is in."""
    sums = collections.Counter()
    for frames, value in stacks.parse(text).items():
        sums.update(dict.fromkeys(frames, value))
    return +sums


def test_viewer(tap, work, texts):
    """Of speedscope's page in Chromium."""
    _, why = tool("need", "chromium")
    package, why = (None, why) if why else tool("images/npm", "speedscope@1")
    for name in "boot", "vmalloc", "peak":
        what = f"speedscope in Chromium: {name}: each frame's total"
        if why:
            tap.skip(what, why)
            continue
        shown = show(work, f"{package}/dist/release/index.html", texts[name])
        wanted = totals(texts[name])
        tap.ok(shown and shown == wanted, f"{what} ({len(shown)} frames)",
               set(shown.items()) ^ set(wanted.items()))


def main():
    tap, work = Tap(), Workplace()
    texts = {name: test_case(tap, work, name) for name in NAMES}
    if MATRIX:
        test_viewer(tap, work, texts)
    tap.done()


main()
