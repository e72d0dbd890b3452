#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every source file names its license in a comment of its first line, or of the
second, where the first names an interpreter. It is that of LICENSE.

SPDX=write adds the line where it is missing.
"""
import os
import re
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.dont_write_bytecode = True		# nothing is left in the source
sys.path.append(os.path.join(TOP, "tests", "replay"))

from harness import Tap

MARK = "SPDX-License-Identifier: MIT"

# Formats without a comment, texts for people, data that tests compare byte by
# byte, and what debian/copyright speaks for.
WITHOUT = re.compile(r"""
    (^|/)(LICENSE|\.gitignore|external\.desc) $
    | \.(md|svg|xz) $
    | ^initramfs/packages/debian/ (?!rules$)
    | ^tests/replay/(golden|reports|view|view-golden)/
    | ^tests/fuzz/corpus/""", re.VERBOSE)
# How a comment begins and ends.
COMMENTS = [(r"\.[ch]$", "/* ", " */"), (r"\.[1-9]$", '.\\" ', ""),
            (r"", "# ", "")]


def files():
    """Paths of all that belongs to the source, with git or without."""
    try:
        out = subprocess.run(["git", "ls-files", "-c", "-o",
                              "--exclude-standard"], cwd=TOP, check=True,
                             capture_output=True, encoding="utf-8").stdout
        paths = out.splitlines()
    except (OSError, subprocess.CalledProcessError):
        paths = [os.path.relpath(os.path.join(folder, name), TOP)
                 for folder, _, names in os.walk(TOP) for name in names]
        paths = [p for p in paths if not p.startswith(("build/", ".git/"))]
    return sorted(p for p in paths if not WITHOUT.search(p) and
                  os.path.isfile(os.path.join(TOP, p)))


def line_for(path):
    before, after = next((before, after) for pattern, before, after in COMMENTS
                         if re.search(pattern, path))
    return before + MARK + after


def split(text):
    """The line with the interpreter, if there is one, and the rest."""
    end = text.index("\n") + 1 if text.startswith("#!") else 0
    return text[:end], text[end:]


def named(path, text):
    return split(text)[1].startswith(line_for(path) + "\n")


def main():
    missing, paths = [], files()
    for path in paths:
        with open(os.path.join(TOP, path), encoding="utf-8", newline="") as f:
            text = f.read()
        if named(path, text):
            continue
        if os.environ.get("SPDX") != "write":
            missing.append(path)
            continue
        interpreter, rest = split(text)
        with open(os.path.join(TOP, path), "w", encoding="utf-8",
                  newline="") as f:
            f.write(interpreter + line_for(path) + "\n" + rest)
    with open(os.path.join(TOP, "LICENSE"), encoding="utf-8") as f:
        license_text = f.read()
    kinds = {os.path.splitext(path)[1] for path in paths}
    tap = Tap()
    tap.ok(license_text.startswith("MIT License\n"),
           "LICENSE is the MIT license")
    tap.ok({".c", ".h", ".py", ".sh", ".t", ".8", ""} <= kinds,
           "sources of each kind were found", kinds)
    tap.ok(not named("a.c", "int a;\n") and
           not named("a", "#!/bin/sh\n\n# " + MARK + "\n") and
           named("a", "#!/bin/sh\n# " + MARK + "\n"),
           "one that does not name it is found out")
    tap.ok(not missing, f"each of {len(paths)} source files names the license",
           *missing)
    tap.done()


if __name__ == "__main__":
    main()
