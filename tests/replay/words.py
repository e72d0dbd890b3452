#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""What must hold of each line of a report for people: it has 100 columns at
most, and a count agrees with its noun.

words.py FILE: the same of a report in a log, between other lines.
"""
import re
import sys

COLUMNS = 100
NOUNS = """alloc allocation area call caller event file frame free function
kind line load module object page pass point process record report row stack task
time""".split()
ONE = re.compile(r"(?<![\w.+#/-])1 (%s)(?:e?s)\b" % "|".join(NOUNS))
MANY = re.compile(r"(?<![\w.+#/-])(?!1 )\d+ (%s)\b(?! of| ranges|;)" %
                  "|".join(NOUNS))
ABSURD = re.compile(r"\d{9} lost$")
# The first line of a report.
FIRST = re.compile(r"memstrack [0-9.]+: ")


def wrong(text):
    for line in text.splitlines():
        # Programs know the first line, which stays whole: all but absurd counts
        # have room. So does a name without a place to break it.
        if len(line) > COLUMNS and not ABSURD.search(line) and \
                " " in line[8:COLUMNS + 1].strip():
            yield f"{len(line)} columns: {line}"
        if ONE.search(line) or MANY.search(line):
            yield f"a count and its noun: {line}"


def wrong_shares(text, rows):
    """The culprit's share is rounded, not cut."""
    verdict = next((r for r in rows if r["type"] == "verdict"), {})
    culprit = re.search(r"^culprit (.*(?:\n  .*)*)", text, re.M)
    for table in "module", "task":
        pages, held = verdict.get(f"{table}_pages"), verdict.get("held_pages")
        if pages is None or f"{table}_group" in verdict:
            continue
        want = (pages * 200 + held) // (held * 2)
        if not re.search(rf"{table} .* ~?[0-9.]+[KMG]?, {want}%", culprit[1],
                         re.S):
            yield f"{pages} of {held} are {want}%: {culprit[1]}"


def reported(log):
    """The reports in a log: a line may have something in front."""
    inside, first = False, 0
    for line in log.splitlines():
        found = FIRST.search(line)
        if found and "end of report" not in line:
            inside, first = True, found.start()
        if inside:
            yield line[first:]
        inside = inside and "end of report" not in line


if __name__ == "__main__":
    with open(sys.argv[1], encoding="latin-1") as f:
        LINES = [*reported(f.read())]
    COMPLAINTS = [*wrong("\n".join(LINES))]
    print(len(LINES), "lines", *COMPLAINTS, sep="\n")
    sys.exit(bool(COMPLAINTS or len(LINES) < 30))
