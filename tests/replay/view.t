#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""memstrack view: the kernel's own books of a few pages, in the form of each
kernel, by its format strings (mm/page_owner.c, lib/alloc_tag.c); the fuzzer has
them too. NAME-VERSION: of this kernel and those until the next version.

The report on each must be that in view-golden/, and its sums those of
tests/boot/books.py, which shares nothing with the program. What is wrong with a
file is told with the number of its line, all other records count, and the exit
status is 1. A report in JSON is drawn, or the first thing wrong with it is told.
"""
import json
import lzma
import os
import re

from harness import (BINARY, HERE, by_type, main, native, rows, run,
                     sanitized)
import books as reader

CORPUS = os.path.join(HERE, "..", "fuzz", "corpus")


def text_of(name):
    folder = "allocinfo" if name.startswith("allocinfo") else "page_owner"
    with open(os.path.join(CORPUS, folder, name), encoding="latin-1") as f:
        return f.read()


BOOKS = {name: text_of(name) for name in
         sorted(os.listdir(os.path.join(HERE, "view-golden")))}


def view(path, *options, binary=BINARY, data=None):
    return run("view", path, *options, binary=binary, data=data)


def whole_files(tap, work):
    for name, text in BOOKS.items():
        path = work.write(text, name)
        status, out, err = view(path, "--level=2")
        tap.ok((status, err) == (0, ""), f"{name} is read", err)
        tap.golden(os.path.join("view-golden", name), out, "as ever")
        if native():
            tap.same(view(path, "--level=2", binary=native())[1], out,
                     "the same with sanitizers")
        out = view(path, "--level=3", "--format=json")[1]
        of = reader.of_allocinfo if name.startswith("allocinfo") else \
            reader.of_pages
        if "legend" not in name:	# which has no numbers
            got, want = reader.said(out), of(text.encode("latin-1"))
            tap.ok(got[:2] == want[:2] and want[2] in ({}, got[2]),
                   "each sum", got, want)


RECORD = """Page allocated via order 1, mask 0x0(), pid 7, tgid 7 (a), ts 9 ns
PFN 0x10 type Unmovable Block 0 type Unmovable Flags 0x0()
 f+0x1/0x20 [m]
 g+0x2/0x20

"""
SITE = "        4096        1 mm/a.c:1 func:f \n"


def changed(old, new, text=RECORD):
    """A good one, and the same with something else in it."""
    assert old in text
    return text + text.replace(old, new)


def wrong():
    """(what, text, message, pages or bytes that still count)."""
    cut = RECORD[:RECORD.index(" g+")]
    no_book = "line 1: neither page_owner, nor its stacks, nor allocinfo, " \
        "nor a report in JSON"
    return [
        ("an empty file", "", "empty", None),
        ("another file", "root:x:0:0\n", no_book, None),
        ("a record cut off", RECORD + cut,
         "line 8: cut off in the middle of a record", 2),
        ("a line cut off", RECORD + cut[:-3], "line 8: cut off", 2),
        ("a record in a record", cut + RECORD,
         "line 4: a record begins in another one", 2),
        ("an order out of range", changed("order 1", "order 21"),
         "line 6: an order that cannot be", 2),
        ("an order beyond all numbers",
         changed("order 1", "order 18446744073709551617"),
         "line 6: an order that cannot be", 2),
        ("a pid out of range", changed("pid 7", "pid 2147483648"),
         "line 6: a pid that cannot be", 2),
        ("a PFN in the middle of a block", changed("0x10", "0x11"),
         "line 7: a PFN that cannot be", 2),
        ("a frame that is none", changed(" g+0x2/", " g+zz/"),
         "line 9: no frame of a stack", 2),
        ("a line too long", changed("(a)", "(" + "a" * 9000 + ")"),
         "line 6: longer than 8 KiB", 2),
        ("a name with lines in it", changed("(a)", "(b\nPFN 1\n\nc)"), None, 4),
        ("numbers of pages", "x+0x1/0x2\nnr_base_pages: 5\n\n", no_book, None),
        ("pages out of range",
         " x+0x1/0x2\nnr_base_pages: 4294967296\n\n"
         " x+0x1/0x2\nnr_base_pages: 5\n\n",
         "line 2: a number of pages that cannot be", 5),
        ("a site's size", changed("4096", "4x96", SITE),
         "line 2: a size that cannot be", 4096),
        ("a size out of range", changed("4096", "9223372036854775808", SITE),
         "line 2: a size that cannot be", 4096),
        ("a site without a line", changed(":1", "", SITE),
         "line 2: no file and line", 4096),
        ("text behind a site", changed(" \n", " more\n", SITE),
         "line 2: text behind the function", 4096),
        ("a site cut off", SITE + SITE[:-2], "line 2: cut off", 4096),
    ]


def wrong_files(tap, work):
    for what, text, message, counts in wrong():
        path = work.write(text, "file")
        status, out, err = view(path, "--format=json", binary=sanitized())
        want = f"memstrack: {path}: {message}\n" if message else ""
        tap.ok(err.startswith(want) and status == (message is not None) and
               bool(err) == bool(want), what, status, err)
        head = rows(out)[0] if out else {}
        tap.ok(head.get("now_pages", head.get("live_bytes")) == counts,
               f"all others count: {counts}", out)


def wrong_reports(good):
    """(what, report, message)"""
    lines = good.splitlines(keepends=True)

    def at(start, n=0):
        """The number of its n-th line that begins so, from 1."""
        return [i for i, x in enumerate(lines, 1)
                if x.startswith('{"type":"' + start)][n]

    def changed(n, old, new):
        assert old in lines[n - 1], (old, lines[n - 1])
        return "".join(lines[:n - 1]) + lines[n - 1].replace(old, new, 1) + \
            "".join(lines[n:])

    def without(n):
        return "".join(lines[:n - 1] + lines[n:])
    facts, point, band, span = (at(kind + '"') for kind in (
        "picture", "point", "band", "span"))
    time = re.search(r'"time_ns":\d+', lines[point])[0]
    kept = "".join(x for x in lines if not re.match(
        r'{"type":"(picture|largest|kill|band|point|span)', x))
    with lzma.open(os.path.join(HERE, "golden-0.1.0", "perf.json.xz")) as f:
        old = f.read().decode("latin-1")
    return [
        ("cut in a line", good[:-3], f"line {len(lines)}: cut off"),
        ("cut behind a line", "".join(lines[:point]),
         f"line {point}: the report is cut off here"),
        ("without a picture", kept,
         f"line {kept.count(chr(10))}: the report ends without a picture"),
        ("of the first version", old,
         f"line {old.count(chr(10))}: the report ends without a picture"),
        ("a point is missing", without(point), f"line {len(lines) - 1}: the "
         "report ends, and points or spans are missing"),
        ("a point too many", changed(point, lines[point - 1],
                                     2 * lines[point - 1]),
         f"line {at('point', -1) + 1}: more points than the report says"),
        ("too many points", changed(facts, '"points":', '"points":9'),
         f"line {facts}: more points than a picture has"),
        ("too many spans", changed(facts, '"spans":', '"spans":99999'),
         f"line {facts}: more spans than there is room for"),
        ("time goes back", changed(point + 1, time, '"time_ns":0'),
         f"line {point + 1}: a point is earlier than the one before it"),
        ("a number below 0", changed(point, '"free_kib":', '"free_kib":-'),
         f"line {point}: a number is missing or cannot be"),
        ("no number", changed(point, '_pages":[', '_pages":[x'),
         f"line {point}: a number is missing or cannot be"),
        ("a number too few", changed(point, '_pages":[', '_pages":[],"x":['),
         f"line {point}: a number is missing or cannot be"),
        ("a number too many", changed(point, '_pages":[', '_pages":[0,'),
         f"line {point}: more numbers than bands"),
        ("a number is missing", changed(span, '"peak_pages"', '"peak"'),
         f"line {span}: a number is missing or cannot be"),
        ("a band without a name", changed(band, '"name"', '"nam"'),
         f"line {band}: a name is missing"),
        ("no page", changed(facts, '"page_bytes":', '"page_bytes":0,"x":'),
         f"line {facts}: a number is missing or cannot be"),
        ("broken", changed(span, "}", ""),
         f"line {span}: no whole object of JSON"),
    ]


def reports(tap, work):
    """A report in JSON is drawn, in its formats only; whatever is wrong with it
    is told with its line, and nothing is drawn."""
    work.case("picture")
    good = work.json()[1]
    path = work.write(good, "report.json")
    out = work.at("both.svg")
    tap.ok(view(path, f"--output={out},{work.at('both.chrome')}")[0] == 0 and
           work.read("both.svg") == work.replay("--format=svg")[1] and
           work.read("both.chrome") == work.replay("--format=chrome")[1],
           "two pictures of one report")
    for options in (), ("--format=json",), (f"--output={out},/x.json",):
        tap.refused(view(path, *options), 1, f"{path}: a report in JSON can be "
                    "drawn only: --format=svg or chrome", f"{options}")
    for what, text, message in wrong_reports(good):
        path = work.write(text, "file")
        tap.refused(view(path, "--format=svg", binary=sanitized()), 1,
                    f"{path}: {message}", what)
    path = work.write(good + good, "file")
    tap.ok(view(path, "--format=svg")[1] == work.read("both.svg"),
           "of two reports the last counts")


def full_tables(tap, work):
    """Tables that are full: all pages are there, and what was merged is told."""
    path = work.write("".join(
        RECORD.replace("gid 7", f"gid {i + 10}")
        .replace("0x20 [m]", f"0x20 [m{i % 3}]").replace("f+", f"f{i}+")
        for i in range(500)))
    status, out, err = view(path, "--format=json", "--level=3", "--tasks=20",
                            "--stacks=100", binary=sanitized())
    counters = by_type(rows(out))["counters"][0]
    _, modules, tasks = reader.said(out)
    tap.ok((status, err) == (0, "") and counters["tasks_full"] and
           counters["stacks_full"], "full tables are told", f"{err}{counters}")
    tap.ok(sum(tasks.values()) == sum(modules.values()) == 1000,
           "and no page is missing", out)
    tap.ok(view(path, "--tasks=20")[1].count("tasks went to (other)") == 1,
           "as text too")


SECTIONS = ("task_summary", "task_top:top=0", "module_summary:throttle=0",
            "module_top:sort_by_peak", "task_top_json")


def older_program(tap, work):
    """Its sections, by its own words and letters: the same, and the sums of the
    tables. What is held is the peak, too."""
    for name, text in BOOKS.items():
        if name.startswith("allocinfo"):
            continue
        path = work.write(text, name)
        of = {}
        for sections in SECTIONS:
            done = view(path, "--report=" + sections)
            of[sections] = done[1]
            tap.ok(done == run("--notui", "-bpageowner", "-r", sections,
                               "--pageowner-file", path) and
                   done[0] == 0 and not done[2], f"{name}: {sections}", done)
        table = by_type(rows(view(path, "--level=3", "--format=json")[1]))
        head = table["view"][0]
        for sections, kind, line in (
                (SECTIONS[0], "task",
                 r"Task .* using (\d+) pages, peak usage \1 pages"),
                (SECTIONS[1], "task", r"\S.* Pages: (\d+) \(peak: \1\)"),
                (SECTIONS[2], "module", r"Module .* using .*MB \((\d+) pages\),"
                 r" peak allocation .*MB \(\1 pages\)")):
            held = [int(n) for n in
                    re.findall("^" + line + "$", of[sections], re.M)]
            want = [r["now_pages"] for r in table.get(kind, ())
                    if r["now_pages"] and (kind == "task" or
                                           not r["name"].startswith("("))]
            if kind == "task" and not want and head["now_pages"]:
                want = [head["now_pages"]]	# of a task that is not known
            tap.same(sorted(held), sorted(want), f"{name}: {sections}: sums")
        tasks = json.loads(re.sub("^=.*", "", of[SECTIONS[4]], flags=re.M))
        tap.same([t["pages_alloc"] for t in tasks],
                 [int(n) for n in re.findall(r"^\S.* Pages: (\d+) ",
                                             of[SECTIONS[1]], re.M)],
                 f"{name}: JSON is the same")
    tap.refused(view(work.write(BOOKS["allocinfo-2.0"], "allocinfo"),
                     "--report=task_top"), 1,
                "--report is for page_owner and its stacks",
                "allocinfo has no sections")
    status, _, err = run("--backend=pageowner", "--pageowner-file=/nowhere")
    tap.ok(status == 1 and "/nowhere: No such file" in err, "no such file", err)
    status, _, err = run("record", work.at("r"), "-b", "pageowner")
    tap.ok(status and "cannot be recorded" in err and
           not os.path.exists(work.at("r")), "a book cannot be recorded", err)


def pipes(tap, work):
    status, out, err = view("-", data=RECORD.encode())
    tap.ok((status, err) == (0, "") and "8K held, by 1 record\n" in out,
           "a pipe", out + err)
    for book in "page_owner-6.12", "allocinfo-2.0":
        text = BOOKS[book].encode()
        tap.ok(view("/dev/stdin", data=text.replace(b"\n", b"\r\n")) ==
               view("/dev/stdin", data=text), f"{book} by a serial line")
    tap.ok(view("/nowhere")[0] == 1, "no file")
    tap.ok(view("--level=9", "x")[0] == 2, "no such level")


def refused(tap, work, book, why, *options):
    """No report, and no file."""
    before = os.listdir(work.directory.name)
    for bad in options:
        what = f"{os.path.basename(book)}, {bad}: refused"
        tap.refused(view(book, bad), 1, why, what)
        tap.same(os.listdir(work.directory.name), before, what + ", no file")


def formats(tap, work):
    """A list of files beside the report; what a book cannot be is refused."""
    book = work.write(BOOKS["page_owner-6.12"], "page_owner")
    at = work.at("out")
    kinds = {"": "text", ".json": "json", ".folded": "folded",
             ".tasks.folded": "folded-tasks"}
    done = view(book, "--out=" + ",".join(at + end for end in kinds),
                binary=sanitized())
    tap.ok(done == (0, "", ""), "a list of files", done)
    for end, kind in kinds.items():
        text = work.read("out" + end)
        tap.ok(text == view(book, "--format=" + kind)[1] and
               (kind != "folded" or " 2097152\n" in text), f"as {kind}", text)
        os.unlink(at + end)
    refused(tap, work, book, "no times and no peaks", "--format=svg",
            "--format=chrome", "--format=line", "--format=prometheus",
            "--format=folded-peak", f"--out={at},{at}.svg",
            f"--out={at},{at}.prom")
    refused(tap, work, work.write(BOOKS["allocinfo-2.0"], "allocinfo"),
            "text or json only", "--format=folded", f"--out={at},{at}.json")
    _, out, err = view(work.write(
        "allocinfo - version: 1.0\n"
        "#     <size>  <calls> <tag info>\n"
        "-4096 18446744073709551615 mm/slub.c:124 func:a\n"
        "8192 2 mm/a.c:1 func:b\n"), binary=sanitized())
    tap.ok(": 4K held, by 1 allocations at 2 of 2 sites" in out and
           "1 site below 0" in out and "18446" not in out,
           "calls below 0 are counted as such", out + err)


main(formats, whole_files, older_program, wrong_files, reports, full_tables, pipes)
