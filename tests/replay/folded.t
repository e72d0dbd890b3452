#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folded stacks: each stack and each sum as in the report in JSON.

All cases of cases/ are folded in the three ways, with and without sanitizers,
and compared with stacks.py; some with golden files too. MATRIX=all: speedscope,
the viewer from npm, then opens them in a headless Chromium, and must show the same
totals.
"""
import base64
import html
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True		# nothing is left in the source

import gen
import stacks
from harness import CASES, HERE, MATRIX, Tap, Workplace, native

FORMATS = "folded", "folded-peak", "folded-tasks"
GOLDEN = "boot", "names", "peak", "vmalloc", "sampled_source"
TESTS = os.path.join(HERE, "..")
ROW = re.compile(r'<td[^>]*>([\d,]+) \([^<]*<.*?</td>'
                 r'<td[^>]*>[\d,]+ \(.*?</td>'
                 r'<td[^>]*><span[^>]*></span>([^<]*)</td>')


def test_case(tap, work, name):
    work.write(gen.encode(gen.load(os.path.join(CASES, name + ".py")),
                          "little", 8))
    report = work.replay("--level=3", "--format=json")[1]
    texts = {}
    for form in FORMATS:
        status, texts[form], errors = work.replay("--format=" + form)
        tap.ok(status == 0, f"{name}: {form}", errors)
        if native():
            tap.ok(work.replay("--format=" + form, "--level=3",
                               binary=native())[1] == texts[form],
                   f"{name}: {form}, with sanitizers and at any level")
        if name in GOLDEN:
            tap.golden(f"{name}.{form}", texts[form],
                       f"{name}: {form}, as in golden/")
    try:
        wrong = list(stacks.differences(*texts.values(), report))
    except ValueError as error:
        wrong = [error]
    tap.ok(not wrong, f"{name}: as in JSON", *wrong)
    return texts["folded"]


def viewer():
    """speedscope's page and Chromium, or why there is none."""
    need = subprocess.run([os.path.join(TESTS, "need"), "chromium"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    if need.returncode:
        return None, need.stdout.decode().strip()
    done = subprocess.run([os.path.join(TESTS, "images", "npm"),
                           "speedscope@1"], capture_output=True, check=False)
    if done.returncode:
        return None, done.stderr.decode().strip().replace("\n", ": ")
    return os.path.join(done.stdout.decode().strip(), "dist", "release",
                        "index.html"), None


def show(page, directory, text):
    """What speedscope shows for each frame: its total, in bytes. On a busy
    machine Chromium may end before it has drawn: then once more."""
    script = os.path.join(directory, "profile.js")
    data = base64.b64encode(text.encode("ascii")).decode("ascii")
    with open(script, "w", encoding="ascii") as f:
        f.write(f'speedscope.loadFileFromBase64("a.folded", "{data}")')
    for seconds in 5, 20, 60, 120:
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox",
             "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--allow-file-access-from-files", "--window-size=1200,9000",
             f"--virtual-time-budget={seconds * 1000}",
             f"--user-data-dir={directory}/chromium", "--dump-dom",
             f"file://{page}#localProfilePath={script}&view=sandwich"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        rows = ROW.findall(done.stdout.decode("utf-8", "replace"))
        if rows:
            break
    return {html.unescape(frame): int(total.replace(",", ""))
            for total, frame in rows}


def totals(text):
    """The same, by ourselves: a frame counts once for each stack it is in."""
    sums = {}
    for frames, value in stacks.parse(text).items():
        for frame in set(frames):
            sums[frame] = sums.get(frame, 0) + value
    return {frame: n for frame, n in sums.items() if n}


def test_viewer(tap, work, texts):
    page, why = viewer()
    for name, text in texts.items():
        what = f"speedscope in Chromium: {name}: each frame's total"
        if not page:
            tap.skip(what, why)
            continue
        shown, wanted = show(page, work.directory.name, text), totals(text)
        tap.ok(shown and shown == wanted, f"{what} ({len(shown)} frames)",
               {f for f in set(shown.items()) ^ set(wanted.items())})


def main():
    tap, work = Tap(), Workplace()
    texts = {}
    for path in sorted(os.listdir(CASES)):
        if path.endswith(".py"):
            texts[path[:-3]] = test_case(tap, work, path[:-3])
    if MATRIX:
        test_viewer(tap, work, {n: texts[n] for n in ("boot", "vmalloc", "peak")})
    tap.done()


main()
