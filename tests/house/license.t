#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Every source file names its license in a comment of its first line, or of the
second, where the first names an interpreter. It is that of LICENSE.
"""
import os
import re
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.append(os.path.join(TOP, "tests", "replay"))

from harness import Tap

# Formats without a comment, texts for people, data that tests compare byte by
# byte, and what debian/copyright speaks for.
WITHOUT = re.compile(r"""
    (^|/)(LICENSE|\.gitignore|external\.desc) $
    | \.(md|svg|xz) $
    | ^initramfs/packages/debian/ (?!rules$)
    | ^tests/replay/(golden|reports|view-golden)/
    | ^tests/(fuzz/corpus|unit/golden)/""", re.VERBOSE)
# How a comment begins and ends.
COMMENTS = [(r"\.[ch]$", "/* ", " */"), (r"\.[1-9]$", '.\\" ', ""),
            (r"", "# ", "")]


def files():
    """Paths of all that belongs to the source, with git or without."""
    done = subprocess.run("git ls-files -c -o --exclude-standard", cwd=TOP,
                          shell=True, check=False, capture_output=True,
                          encoding="utf-8")
    paths = done.stdout.splitlines() if not done.returncode else [
        os.path.relpath(os.path.join(folder, name), TOP)
        for folder, _, names in os.walk(TOP) for name in names]
    return sorted(p for p in paths if not WITHOUT.search(p) and
                  not p.startswith(("build/", ".git/")) and
                  os.path.isfile(os.path.join(TOP, p)))


def named(path, text):
    before, after = next((before, after) for pattern, before, after in COMMENTS
                         if re.search(pattern, path))
    if text.startswith("#!"):
        text = text.partition("\n")[2]
    return text.startswith(f"{before}SPDX-License-Identifier: MIT{after}\n")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8", newline="") as f:
        return f.read()


def main():
    tap, paths = Tap(), files()
    kinds = {os.path.splitext(path)[1] for path in paths}
    tap.ok(read("LICENSE").startswith("MIT License\n"),
           "LICENSE is the MIT license")
    tap.ok({".c", ".h", ".py", ".sh", ".t", ".8", ""} <= kinds,
           "sources of each kind were found", kinds)
    mark = "# SPDX-License-Identifier: MIT\n"
    tap.ok(not named("a.c", "int a;\n") and
           not named("a", "#!/bin/sh\n\n" + mark) and
           named("a", "#!/bin/sh\n" + mark),
           "one that does not name it is found out")
    tap.none((p for p in paths if not named(p, read(p))),
             f"each of {len(paths)} source files names the license")
    tap.done()


main()
