#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""memstrack diff: every figure in JSON is the model's (differ.py), for reports
and recordings, whatever is before, behind and between their lines. As text, and
where a report does not show all, golden/diff has what is printed. A file that is
not whole is told.
"""
import json
import os
import random
import re

import differ
import gen
import random_case
from harness import (MATRIX, BINARY, HERE, Workplace, case, first_difference,
                     golden, main, printable, rows, run, sanitized)

GREW, UNREADABLE, UNSURE = 1, 2, 3
PAIRS = [("boot", "slab"), ("slab", "slab_chains"), ("slab_lost", "slab"),
         ("initcalls", "initcalls_frames"), ("ram", "ram_twice"),
         ("failed_loads", "boot"), ("vmalloc", "boot"), ("vmalloc", "image"),
         ("sampled_source", "boot"), ("sampled_source", "sampled_source"),
         ("figures", "full_tasks"), ("full_modules", "unloaded"),
         ("names", "threads"), ("pages_16k", "boot"), ("kinds", "boot"),
         ("before_init", "initcalls"), ("lost", "boot"), ("leak", "unloaded"),
         ("empty", "boot"), ("pid_reuse", "threads"), ("tags", "tags_few"),
         ("tags_few", "boot")]


class Bench:
    def __init__(self, work):
        self.work, self.paths = work, [work.at("a"), work.at("b")]

    def write(self, *sides):
        """Both files, or the first; lines, text or bytes. None: as it is."""
        for name, data in zip("ab", sides):
            if isinstance(data, list):
                data = "".join(line + "\n" for line in data)
            if data is not None:
                self.work.write(data, name)

    def diff(self, *options, paths=None, **more):
        """(status, lines, standard error)"""
        status, out, errors = run("diff", *(paths or self.paths), *options,
                                  check=100000, **more)
        return status, out.split("\n")[:-1], errors

    def json(self, *options, **more):
        """The same, with lines of JSON read: those of rows, and the last."""
        status, lines, errors = self.diff("--format=json", *options, **more)
        read = rows("\n".join(lines))
        return status, [r for r in read if r["type"] in
                        ("diff", "diff_none", "diff_left")], errors, \
            read[-1] if read else {}

    def rows(self, *options, **more):
        return self.json(*options, **more)[:3]


def of(kind, rows):
    return [r for r in rows if r["type"] == kind]


def report_of(name):
    """Lines of a golden report."""
    return golden(f"golden/{name}.json").split("\n")[:-1]


def canonical(rows):
    return [sorted(r.items()) for r in rows]


def wrong_figures(bench, reports, by, binary=BINARY):
    """What is not as the model has it, of the two files of the bench."""
    model = differ.Diff(*reports, by=by)
    status, got, errors = bench.rows("--min=0", "--by=" + by, binary=binary)
    want = list(differ.json_rows(model))
    if status or errors:
        yield f"{by}: {status} {errors}"
    if canonical(got) != canonical(want):
        yield f"{by}: JSON " + first_difference(got, want)
    minimum = random.Random(by).choice([4096, 65536, 200])
    _, got, _ = bench.rows(f"--min={minimum}", "--by=" + by)
    want = list(differ.json_rows(model, minimum))
    if canonical(got) != canonical(want):
        yield f"--min={minimum}: " + first_difference(got, want)
    for fail in (0, 5000, 1 << 20):
        status, _, _, end = bench.json(f"--fail={fail}", "--by=" + by)
        judged = end["failed"], end["doubtful"]
        wanted = GREW if judged[0] else 0 if end["certain"] else UNSURE
        if judged != model.judge(fail) or status != wanted:
            yield f"--fail={fail}: {status}, {judged}, {model.judge(fail)}"


def check(tap, bench, name, texts, binary=BINARY):
    """Of the two reports that the files of the bench have."""
    reports = [differ.Report(text) for text in texts]
    wrong = [w for by in ("peak", "now")
             for w in wrong_figures(bench, reports, by, binary)]
    tap.none(wrong, name)


def changes(bench):
    return {(r["table"], r["name"]): (r["before_kib"], r["after_kib"])
            for r in of("diff", bench.rows("--min=0")[1])}


def printed(bench, *options):
    """A run of the program, as golden/diff has it."""
    status, lines, errors = bench.diff(*options)
    text = "\n".join([f"{' '.join(options)}: status {status}", *lines, errors])
    for path, name in zip(bench.paths, "AB"):
        text = text.replace(path, name)
    return text + "\n"


def test_pairs(tap, bench):
    """What grew one way shrank the other way."""
    for first, second in PAIRS:
        texts = [report_of(first), report_of(second)]
        bench.write(*texts)
        check(tap, bench, f"{first}, {second}", texts, sanitized())
        there, text = changes(bench), printed(bench, "--min=0")
        bench.write(*texts[::-1])
        text += printed(bench, "--min=0", "--by=now")
        tap.golden(f"golden/diff/{first},{second}", text,
                   f"{first}, {second}: as text, both ways")
        check(tap, bench, f"{first}, {second} swapped", texts[::-1])
        tap.ok(there == {k: v[::-1] for k, v in changes(bench).items()} and
               (there or first == second),
               f"{first}, {second}: every row the other way round")


def test_same(tap, bench):
    wrong = []
    for path in sorted(os.listdir(os.path.join(HERE, "golden"))):
        if not path.endswith(".json"):
            continue
        bench.write(report_of(path[:-5]))
        status, rows, errors, end = bench.json(
            "--min=0", "--fail=0", paths=[bench.paths[0]] * 2)
        if status != (0 if end["certain"] else UNSURE) or end["failed"] or \
                errors or [r for r in rows if r["type"] != "diff_none" and
                           r["change"] != "same"] or \
                end["doubtful"] != len(of("diff", rows)):
            wrong.append((path, status, rows[:2], errors))
    tap.none(wrong, "every golden report is the same as itself, and --fail=0 "
             "is content, as far as it is sure; rows of which it is not are "
             "shown")
    status, lines, _ = bench.diff(paths=[bench.paths[0]] * 2)
    tap.ok(any("nothing changed" in line for line in lines),
           "the text says that nothing changed", lines)


def test_recordings(tap, bench):
    """A recording in any shape is the same as its report."""
    traces = [case("boot"), case("vmalloc")]
    texts = [report_of("boot"), report_of("vmalloc")]
    bench.write(*texts)
    want = bench.diff("--min=0")[1][3:]
    tap.ok("note    before: no module events: a note" in want,
           "what a report could not see is told", *want[:4])
    for order, word in (("little", 8), ("big", 8), ("little", 4), ("big", 4)):
        shape = f"{order}-endian, {word * 8} bits"
        for what, after in (("recordings", gen.encode(traces[1], order, word)),
                            ("a recording and a report", texts[1])):
            bench.write(gen.encode(traces[0], order, word), after)
            status, lines, errors = bench.diff("--min=0", binary=sanitized())
            tap.ok(status == 0 and not errors and lines[3:] == want and want,
                   f"{what}, {shape}", errors,
                   first_difference(lines[3:], want))


def random_data(seed):
    trace = gen.Trace()
    random_case.build(trace, seed, 4000 if MATRIX else 2000)
    return gen.encode(trace, ["little", "big"][seed % 2])


def test_random(tap, bench):
    for seed in range(21, 31 if MATRIX else 27, 2):
        data = [random_data(seed + i) for i in (0, 1)]

        def reports(*options):
            return [bench.work.replay("--format=json", *options, data=d)[1]
                    .split("\n")[:-1] for d in data]
        bench.write(*data)
        check(tap, bench, f"random recordings, seed {seed}",
              reports("--level=3"), sanitized())
        texts = reports(f"--level={1 + seed % 2}", f"--top={3 + seed % 5}")
        bench.write(*texts)
        check(tap, bench, f"seed {seed}: rows that are not shown", texts)


def report(modules=(), rest=None, complete=1, tasks=(), more=()):
    """A small report: peaks of modules in pages; and more rows."""
    lines = [dict(type="head", level=3, page_bytes=4096, kernel="6.1",
                  reason="SIGTERM", mem_total_kib=1 << 20, lost=0),
             dict(type="verdict", complete=complete)]
    lines += [dict(type="module", name=name, now_pages=peak // 2,
                   peak_pages=peak, at_peak_pages=peak // 2)
              for name, peak in modules]
    lines += [dict(type="task", comm=name, now_pages=now, peak_pages=peak,
                   at_peak_pages=0) for name, now, peak in tasks]
    if rest:
        lines.append(dict(type="rest", of="module", rows=rest))
    lines += more
    lines.append(dict(type="end", records=len(lines), records_cut=0))
    return [json.dumps(line, separators=(",", ":")) for line in lines]


def held(kind, key, name, n):
    return {"type": kind, key: name, "live_bytes": n, "peak_bytes": n,
            "at_peak_bytes": n}


def objects(sites=(), caches=()):
    return report(more=[held("slab", "site", *row) for row in sites] +
                  [held("slab_cache", "cache", *row) for row in caches])


def grown(before, after):
    """Of a part of RAM that was traced, by reports that are not certain."""
    return [report(complete=0, more=[dict(type="ram", group="traced",
                                          name="pages", kib=kib)])
            for kib in (before, after)]


EXT4, EXT4_XFS = report([("ext4", 100)]), report([("ext4", 100), ("xfs", 500)])
TWO = [report([("ext4", 100), ("loop", 9)]),
       report([("ext4", 125), ("loop", 7)])]
# What is shown: two reports, options of each run.
SHOWN = {
    # 102400 bytes grew, 8192 shrank.
    "bounds": (*TWO, "", "--min=102400", "--min=102401", "--min=102399",
               "--fail=102400", "--fail=102399", "--fail=0", "--fail=1G",
               "--min=0 --top=1"),
    "shrinking": (*TWO[::-1], "--fail=0", "--fail=8K"),
    "4 GiB and more": (TWO[0], report([("ext4", 2_000_000), ("loop", 7)]), "",
                       "--fail=1G"),
    "a row that A does not show may have been there": (
        report([("ext4", 100)], rest=3), EXT4_XFS, "--fail=4K", "--min=4M"),
    "a row that B does not show did not go": (
        EXT4_XFS, report([("ext4", 100)], rest=3), ""),
    "where the whole table is shown, it came": (EXT4, EXT4_XFS, "--fail=4K"),
    "no end": (EXT4[:-1], EXT4_XFS, "--fail=4K"),
    "lines left out": (
        EXT4[:-1] + [EXT4[-1].replace('"records_cut":0', '"records_cut":7')],
        EXT4_XFS, "--fail=4K"),
    "a line that is missing": (EXT4[:1] + EXT4[2:], EXT4_XFS, "--fail=4K"),
    **{f"{name} may be any function": (
        objects([(name, 9 << 20)]), objects([("alloc+0x10", 9 << 20)]),
        "--fail=4K") for name in ("0xffffffff81000000", "0x0", "(hidden)")},
    "traced pages of ram are not certain": (*grown(1000, 9000), "--fail=4K"),
    "an incomplete report makes no failure": (
        report([("ext4", 1)], complete=0), EXT4_XFS, "", "--fail=4K"),
    # Of one name what stood at one instant, and a bound; or what they hold now,
    # if that is more. A name tells a CPU, or has bytes for a terminal.
    "tasks of one name": (
        report([("ext4", 10)], tasks=[
            ("kworker/0:1", 3, 50), ("kworker/u4:2-ev", 4, 40), ("sh", 5, 9),
            ("jbd2/vda-8", 30, 30)]),
        report([("ext4", 10)], tasks=[
            ("kworker/1:0", 60, 99), ("sh", 8, 9), ("sh", 7, 7), ("sh", 1, 1),
            ("jbd2/vda-8", 20, 30), ("\u001b[31m\"", 90, 90)]),
        "--min=0", "--by=now --fail=204799", "--by=now --fail=300K"),
    "bounds that are known or not": tuple(report(more=[
        dict(type="kind", name="slab", now_pages=10, peak_pages=most,
             at_peak_pages=5, peak_at_most_pages=most + 7),
        dict(type="initcall", function="f", module="", now_pages=1,
             peak_pages=most, at_peak_pages=1, peak_at_most_pages=None),
        dict(type="module", name="loads", rows=50, now_pages=1,
             peak_pages=most, at_peak_pages=1),
        dict(type="cache", name="dentry", now_pages=most, peak_pages=most,
             at_peak_pages=most),
        dict(type="baseline", name="Percpu", kib=most),
        dict(type="ram", group="kernel", name="code", kib=2 * most)])
        for most in (20, 31)) + ("--min=0 --fail=0",),
    "what two kernels call by different names": (
        objects([("kmalloc_node+0x1f", 4000), ("d_alloc+0x1", 5000),
                 ("alloc.isra.0+0x8 [ext4]", 2048)],
                [("(640 bytes)", 9000), ("dentry", 100)]),
        objects([("kmalloc_node_noprof+0x2f", 4000), ("d_alloc+0x9", 5000),
                 ("d_alloc+0x99", 1024), ("alloc+0x7 [ext4]", 1024)],
                [("inode_cache", 8192), ("dentry", 1124)]),
        "--min=0 --fail=4K"),
}


def test_shown(tap, bench):
    for name, (before, after, *runs) in SHOWN.items():
        bench.write(before, after)
        text = "".join(printed(bench, *options.split(), *form)
                       for options in runs for form in ((), ("--format=json",)))
        tap.golden("golden/diff/" + name.replace(" ", "-"), text, name)
        tap.ok(printable(text), f"{name}: nothing but printable ASCII")
    left = set(os.listdir(os.path.join(HERE, "golden", "diff"))) - \
        {",".join(pair) for pair in PAIRS} - \
        {name.replace(" ", "-") for name in SHOWN}
    tap.none(left, "no golden text without a comparison")


def as_log(lines, stamp, end="\n"):
    text = "[    0.000000] Linux version 6.1 {a}" + end
    for i, line in enumerate(lines):
        text += stamp.format(i) + line + end
        if i % 3 == 1:
            text += f"[    2.{i:06d}] usb 1-1: new {{device}} \"x\"" + end
    return text + "memstrack: +3 s: free 9 KiB" + end


def test_logs(tap, bench):
    texts = [report_of("boot"), report_of("vmalloc")]
    bench.write(*texts)
    want = bench.diff("--min=0")[1]
    for name, stamp, end in [
            ("a kernel log", "[    1.{:06d}] memstrack: ", "\n"),
            ("one with levels", "<6>[    1.{:06d}] memstrack: ", "\n"),
            ("one of a serial console", "[    1.{:06d}] memstrack: ", "\r\n"),
            ("a console without stamps", "", "\r\n"),
            ("colours", "\x1b[32m[    1.{:06d}] \x1b[0m\x1b[33mmemstrack: "
             "\x1b[0m", "\x1b[0m\n"),
            ("a journal", "Nov 21 10:00:{:02d} host kernel: memstrack: ",
             "\n")]:
        bench.write(as_log(texts[0], stamp, end))
        bench.write(None, as_log(texts[1], stamp, end))
        status, lines, errors = bench.diff("--min=0")
        tap.ok(status == 0 and lines == want and not errors,
               f"{name}: the same", errors, first_difference(lines, want))
    spaced = [json.dumps(json.loads(l), sort_keys=True) for l in texts[1]]
    bench.write(None, spaced)
    tap.ok(bench.diff("--min=0")[1] == want,
           "written anew by another program, sorted and with spaces")
    bench.write(None, report_of("slab") + texts[1])
    status, lines, _ = bench.diff("--min=0")
    tap.ok(status == 0 and "note    after: the last of 2 reports" in lines and
           [l for l in lines if "last of" not in l][3:-1] == want[3:-1],
           "several reports: the last one", lines)
    with open(bench.paths[1], "rb") as f:
        status, lines, errors = bench.diff("--min=0", stdin=f, paths=[
            bench.paths[0], "-"])
    tap.ok(status == 0 and "standard input" in lines[2], "standard input",
           errors)


def test_cut(tap, bench, what, data, step, head=None):
    """There is a difference as soon as there is a head."""
    wrong = []
    for cut in range(0, len(data), step):
        bench.write(data[:cut])
        status, lines, errors = bench.diff()
        if status != UNREADABLE or bench.paths[0] not in errors or \
                head and bool(lines) != (cut > head):
            wrong.append((cut, status, errors))
    tap.none(wrong, f"{what} that is cut: told, status 2")


def test_damaged(tap, bench):
    texts = [report_of("boot"), report_of("vmalloc")]
    whole = "".join(line + "\n" for line in texts[0]).encode()
    bench.write(None, texts[1])
    test_cut(tap, bench, "a report", whole, 61, len(texts[0][0]))
    rng = random.Random(7)
    wrong = []
    for _ in range(150 if MATRIX else 50):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        bench.write(bytes(data))
        status, _, errors = bench.diff("--fail=0", "--min=0",
                                       binary=sanitized())
        if status not in (0, GREW, UNREADABLE) or \
                (status == UNREADABLE) != bool(errors):
            wrong.append((status, errors[:200], bytes(data).hex()))
    tap.none(wrong, "reports with bytes changed")
    data = gen.encode(case("boot"))
    test_cut(tap, bench, "a recording", data, 37)
    bench.write(data)
    for name, bad in (("an empty file", b""), ("text", b"hello\n" * 99),
                      ("a report in text", b"memstrack 0.1.0: SIGTERM\n")):
        bench.write(None, bad)
        tap.refused(bench.diff(), UNREADABLE, f"memstrack: {bench.paths[1]}: "
                    "no report in JSON, and no recording\n",
                    f"refused: {name}")
    long = texts[1][:3] + ["x" * 200000] + texts[1][3:]
    bench.write(None, long)
    status, lines, errors = bench.diff()
    tap.ok(status == 0 and ", left out: 1" in errors and lines,
           "a line that is too long is told and left out", status, errors)


def test_room(tap, bench):
    """More names than there is room for."""
    many = [(f"module number {i}", 1) for i in range(33000)]
    bench.write(report(many[:100]))
    bench.write(None, report(many))
    status, lines, errors = bench.diff("--fail=0", "--min=0", "--top=3",
                                       binary=sanitized())
    tap.ok(status == 1 and not errors and
           any("after: 232 rows found no room" in l for l in lines),
           "a full table is told", status, lines[:9], errors)
    bench.write(report(many))
    bench.write(None, report([("new", 1000)]))
    status, rows, _ = bench.rows("--fail=0", "--min=1M")
    tap.ok(status == UNSURE and
           {r["change"] for r in of("diff", rows)} <= {"unknown"},
           "rows without room are not rows that came", status, rows)


def test_usage(tap, bench):
    bench.write(report_of("boot"))
    here = bench.paths[0]
    folder, missing = os.path.dirname(here), here + ".not-there"
    for name, paths, wanted, why in [
            ("one file", [here], 2, "diff: two FILEs are needed; try --help"),
            ("three", [here] * 3, 2,
             f"{here}: one argument too many for diff; try --help"),
            ("standard input twice", ["-", "-"], 2,
             "diff: only one FILE can be standard input; try --help"),
            ("an option", [here, here, "--mni=1"], 2,
             "--mni=1: no such option of diff; try --help"),
            ("a size", [here, here, "--min=x"], 2,
             "--min: x: not 0 to 1G; try --help"),
            ("no file", [here, missing], UNREADABLE,
             f"{missing}: No such file or directory"),
            ("a directory", [here, folder], UNREADABLE,
             f"{folder}: Is a directory")]:
        tap.refused(bench.diff(paths=paths), wanted, f"memstrack: {why}\n",
                    f"refused: {name}")
    status, lines, errors = bench.diff("-o", "/dev/null,/dev/null",
                                       paths=[here, here])
    tap.ok(status == UNREADABLE and not lines and errors,
           "refused: two reports", status, errors)
    status, lines, _ = bench.diff("-o", bench.work.at("out"),
                                  paths=[here, here])
    tap.ok(status == 0 and not lines and
           bench.work.read("out").startswith("memstrack 0"), "-o: into a file")
    with open("/dev/full", "w") as full:
        status, _, errors = bench.diff(paths=[here, here], stdout=full)
    tap.ok(status == UNREADABLE and "No space" in errors,
           "no space for the output: told, status 2", errors)


main(test_pairs, test_same, test_recordings, test_random, test_shown, test_logs,
     test_damaged, test_room, test_usage, work=Bench(Workplace()))
