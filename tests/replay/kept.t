#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Recordings of each released version replay to the same JSON in all later ones.

golden-VERSION has recordings made by that version (tests/boot/keep) and its
reports of them. What may come later is a line of a new type, and a new
member of an object; memstrack(8), HISTORY, promises the rest. So what no report of
that version has is left out here, and the remaining text must have the same
bytes. Only the name of the version differs, what is advised, and who is named as
the one that held most: these are no figures of the recording but a judgement of
it, which may become better. A share is rounded that was cut. The order of rows
may become better too, and with it which of the
functions find room for their names: others are addresses. The bytes of the
reader's own tables are no figure of the recording either. The kind vmalloc had
images of modules and per-CPU memory: now and at the peak the three are as much,
in more lines.
"""
import collections
import glob
import json
import lzma
import os
import re

from harness import HERE, main, rows, run

GOLDEN = os.path.join(HERE, "golden-")
VERSIONS = sorted(path[len(GOLDEN):] for path in glob.glob(GOLDEN + "[0-9]*"))
# What has another name by now, or another unit too: (type, name, name of 0.1.0,
# value of 0.1.0).
RENAMED = [
    ("head", "page_bytes", "page_size", None),
    *((kind, "before_freed_pages", "before_frees", None)
      for kind in ("head", "counters")),
    ("counters", "missed_free_pages", "missed_frees", None),
    *((kind, "size_kib", "kib", None)
      for kind in ("baseline", "ram", "initramfs")),
    ("limit", "limit_kib", "kib", None), ("save", "saves_kib", "kib", None),
    *((kind, "held_pages", "pages", None) for kind in ("peak", "timeline")),
    ("kinds", "held_pages", "pages", None),
    ("areas", "now_pages", "pages", None),
    ("advice", "ram_kib", "total_kib", None),
    *((kind, "areas_pages", "vmalloc_pages", None)
      for kind in ("reconcile", "peak", "timeline")),
    ("slab_fault", "live_bytes", "bytes", None),
    *((kind, "free_kib", "free_pages", lambda kib, page: kib * 1024 // page)
      for kind in ("peak", "timeline", "before_init")),
    *((kind, "live_bytes", "slab_kib", lambda n, _: n // 1024)
      for kind in ("peak", "timeline")),
]
# What page events do not show, a type of lines and a row of RAM.
AREAS = re.compile('("type":|"group":"traced","name":)"areas"')
# Three kinds that were one, vmalloc.
ONE_KIND = "vmalloc", "module images", "per-CPU"
JUDGED = re.compile('("(?:(?:advice|need)_kib|(?:stack|task|module)s_bytes|'
                    'task_pages|records|'
                    'explained_permille|'
                    'unnamed_frames|'
                    'task_pid|task)":)(?:"[^"]*"|[0-9]+|null)|'
                    '("(?:tasks|kinds)":)\\[[^]]*\\]')


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
    lines, page = [], 4096
    for kind, pairs, line in objects(report):
        page = dict(pairs).get("page_bytes", page)
        line = AREAS.sub(r'\1"vmalloc"', renamed(line, kind, page))
        pairs = json.loads(line, object_pairs_hook=list)
        kind = dict(pairs)["type"]
        if kind not in known:
            continue
        if kind == "head":
            line = re.sub('"version":"[^"]*"', f'"version":"{version}"', line)
        if {name for name, _ in pairs} <= known[kind]:
            lines.append(line)
        else:
            lines.append(without(line, known[kind]))
    return "".join(line + "\n" for line in lines)


def renamed(line, kind, page):
    """With the names and units of 0.1.0. A verdict's kinds are an object within
    it, and its own pages have kept their name."""
    if kind == "verdict":
        before, of_kinds, kinds = line.partition('"kinds":[')
        return before + of_kinds + renamed(kinds, "kinds", page)
    for where, name, old, value in RENAMED:
        if where == kind and name + '":' in line:
            line = re.sub(f'"{name}":(-?[0-9]+|null)', lambda m: '"%s":%s' % (
                old, value(int(m[1]), page) if value else m[1]), line)
    return line


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


def same_names(a, b):
    """They differ in frames that are addresses in one of them."""
    a, b = a.split('"'), b.split('"')
    return len(a) == len(b) and all(
        x == y or x.startswith("0x") or y.startswith("0x")
        for x, y in zip(a, b))


def one_kind(report):
    """The report with what was one kind as one line, without peaks."""
    lines, sums = [], collections.Counter()
    for line in report.splitlines():
        row = json.loads(line)
        if row["type"] == "kind" and row["name"] in ONE_KIND:
            sums.update({k: row[k] for k in ("now_pages", "at_peak_pages")})
        else:
            lines.append(line)
    return "\n".join(lines + [json.dumps(sums)])


def different(report, wanted):
    """Lines of either that the other has not, in whatever order."""
    report, wanted = one_kind(report), one_kind(wanted)
    report, wanted = (collections.Counter(
        JUDGED.sub(r"\1\2null", text).splitlines())
        for text in (report, wanted))
    more, less = (list((x - y).elements())
                  for x, y in ((report, wanted), (wanted, report)))
    for line in list(more):
        like = [other for other in less if same_names(line, other)]
        if like:
            more.remove(line)
            less.remove(like[0])
    return more + less


def kept(version, ending):
    """{name: bytes} of a version's files."""
    found = {}
    for path in glob.glob(f"{GOLDEN}{version}/*{ending}"):
        with lzma.open(path) as f:
            found[os.path.basename(path)[:-len(ending)]] = f.read()
    return found


def changed(work, old):
    """What a comparison says of that version's report, and of the recording
    that has just been replayed: of each table, nothing but what is judged."""
    before = work.write(old, "before.json")
    status, out, errors = run("diff", before, work.at("trace"), "--min=0",
                              "--format=json")
    if status:
        yield f"status {status}: {errors}"
        return
    for row in rows(out):
        if row["type"] == "diff_report" and row["page_bytes"] != 4096:
            yield f"a page of {row['page_bytes']} bytes"
        if row["type"] == "diff_none" or (
                row["type"] == "diff" and
                row["name"] not in (
                    *ONE_KIND, "traced: areas", "traced: vmalloc")):
            yield str(row)


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
        tap.none(different(as_of(known, report, version), wanted[name]),
                 f"{what}: the same bytes")
        tap.none(changed(work, wanted[name]), f"{what}: diff of both reports")
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
