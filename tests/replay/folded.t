#!/usr/bin/python3 -B
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
from harness import MATRIX, main, page, tool

FORMATS = "folded", "folded-peak", "folded-tasks"
GOLDEN = "boot", "names", "peak", "vmalloc", "sampled_source"
ROW = re.compile(r'<td[^>]*>([\d,]+) \([^<]*<.*?</td>'
                 r'<td[^>]*>[\d,]+ \(.*?</td>'
                 r'<td[^>]*><span[^>]*></span>([^<]*)</td>')


def test_case(tap, work, name):
    work.case(name)
    texts = [work.formatted(tap, name, form, form == FORMATS[0] or MATRIX)
             for form in FORMATS]
    for form, text in zip(FORMATS, texts):
        if name in GOLDEN:
            tap.golden(f"golden/{name}.{form}", text,
                       f"{name}: {form}, as in golden/")
    if name != "symbols_full":	# there is room for all names here
        tap.none(stacks.differences(*texts, work.rows()), f"{name}: as in JSON")


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


def test_viewer(tap, work):
    """Of speedscope's page in Chromium."""
    if not MATRIX:
        return
    _, why = tool("need", "chromium")
    package, why = (None, why) if why else tool("images/npm", "speedscope@1")
    for name in "boot", "vmalloc", "peak":
        what = f"speedscope in Chromium: {name}: each frame's total"
        if why:
            tap.skip(what, why)
            continue
        work.case(name)
        text = work.replay("--format=folded")[1]
        shown = show(work, f"{package}/dist/release/index.html", text)
        wanted = totals(text)
        tap.ok(shown and shown == wanted, f"{what} ({len(shown)} frames)",
               set(shown.items()) ^ set(wanted.items()))


main(test_viewer, each=test_case)
