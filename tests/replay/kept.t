#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Recordings of each released version replay to the same JSON in all later ones.

A folder that is named after a version has recordings made by it (tests/boot/keep)
and its reports of them. What may come later is a line of a new type, and a new
member of an object; memstrack(8), HISTORY, promises the rest. So what no report of
that version has is left out here, and the remaining text must have the same
bytes. Only the name of the version differs, and what is advised: that is no
figure of the recording but a judgement of it, which may become better.
"""
import glob
import json
import lzma
import os
import re

from harness import HERE, main

VERSIONS = sorted(os.path.basename(path) for path in
                  glob.glob(os.path.join(HERE, "[0-9]*.[0-9]*")))
ADVISED = re.compile('("(?:advice|need)_kib":)[0-9]+')


def objects(report):
    """Of each line its type and members in order, with the text as it was."""
    for line in report.splitlines():
        pairs = json.loads(line, object_pairs_hook=list)
        yield dict(pairs)["type"], pairs, line


def members(reports):
    """{type: names of members that reports of a version have}"""
    known = {}
    for report in reports:
        for kind, pairs, _ in objects(report):
            known.setdefault(kind, set()).update(name for name, _ in pairs)
    return known


def as_of(known, report, version):
    """The report as that version would have written it."""
    lines = []
    for kind, pairs, line in objects(report):
        if kind not in known:
            continue
        if kind == "head":
            line = re.sub('"version":"[^"]*"', f'"version":"{version}"', line)
        if {name for name, _ in pairs} <= known[kind]:
            lines.append(line)
        else:
            lines.append(without(line, known[kind]))
    return "".join(line + "\n" for line in lines)


def without(line, known):
    """The line, of an object within no other, without what is new: as it was
    written, but for that."""
    decoder, at, kept = json.JSONDecoder(), 1, []
    while line[at - 1] != "}":
        start = at
        name, at = decoder.raw_decode(line, at)
        _, at = decoder.raw_decode(line, at + 1)
        if name in known:
            kept.append(line[start:at])
        at += 1
    return "{" + ",".join(kept) + "}"


def kept(version, ending):
    """{name: bytes} of a version's files."""
    found = {}
    for path in glob.glob(os.path.join(HERE, version, "*" + ending)):
        with lzma.open(path) as f:
            found[os.path.basename(path)[:-len(ending)]] = f.read()
    return found


def test_version(tap, work, version):
    wanted = {name: data.decode("latin-1")
              for name, data in kept(version, ".json.xz").items()}
    known = members(wanted.values())
    traces = kept(version, ".trace.xz")
    tap.ok(traces and set(traces) == set(wanted),
           f"{version}: {', '.join(traces)}: each has a report", *wanted)
    for name, trace in traces.items():
        what = f"{version}: {name}"
        status, report, errors = work.json(data=trace)
        tap.ok(status == 0, f"{what}: is read", errors)
        tap.same(ADVISED.sub(r'\1null', as_of(known, report, version)),
                 ADVISED.sub(r'\1null', wanted.get(name, "")),
                 f"{what}: the same bytes")
        status, text, errors = work.replay("--level=3")
        tap.ok(status == 0 and re.search("; (complete, 0 lost|sampled)\n", text),
               f"{what}: as text, whole", errors, text[:300])
        work.sanitized(tap, what, text, "--level=3", check=50)


def test_comparison(tap, _):
    """That something else is found out, and what is new is no difference."""
    old = '{"type":"a","b":1,"c":"x,\\"d\\":[2]"}\n'
    new = '{"type":"a","n":[{}],"b":1,"c":"x,\\"d\\":[2]","m":{"b":3}}\n'
    known = members([old])
    tap.ok(as_of(known, new + '{"type":"n"}\n', "1") == old,
           "new members and new types are no difference", as_of(known, new, "1"))
    for changed in (new.replace('"b":1,', ""), new.replace('"b":1', '"b":1.0'),
                    '{"type":"a","c":"x,\\"d\\":[2]","b":1}\n'):
        tap.ok(as_of(known, changed, "1") != old,
               "one that is gone or another, and another order, are")


def test_versions(tap, work):
    tap.ok(VERSIONS, "there are recordings of a version")
    for version in VERSIONS:
        test_version(tap, work, version)


main(test_comparison, test_versions)
