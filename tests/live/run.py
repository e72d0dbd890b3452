#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""run.py FILE CHECK [ARG...]: checks that run.t does on a run's JSON.

Prints what is wrong; the exit status is 0 if nothing is.
"""
import json
import os
import pty
import sys
import time

from report import decimal, size

PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024


class Run:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.lines = [json.loads(line) for line in f]
        self.of = {kind: [x for x in self.lines if x["type"] == kind]
                   for kind in ("run", "process", "tree", "note", "end",
                                "exec", "exit")}
        self.head, self.tree = self.of["run"][0], self.of["tree"][0]
        self.rows = self.of["process"]

    def row(self, name):
        found = [r for r in self.rows if r["comm"] == name]
        assert len(found) == 1, f"{len(found)} rows of {name}"
        return found[0]


def near(what, got, wanted, slack):
    assert got is not None and abs(got - wanted) <= slack, \
        f"{what}: {got}, not {wanted}"


def plan(run, facts, traced):
    """Each process has what wait4() told of it."""
    known = {}
    with open(facts, encoding="utf-8") as f:
        for line in f:
            name, pid, status, kib = line.split()
            known[name] = (int(pid), int(status), int(kib))
    assert run.head["exit_status"] == 42
    assert run.tree["processes"] == 10, run.tree
    top = run.row("tree")
    for name, (pid, status, kib) in known.items():
        row = run.row("exe" if name == "execs" else name)
        assert row["pid"] == pid and row["ppid"] == top["pid"], row
        assert row["exit_status"] == status, row
        assert row["signal"] == (status - 128 if status > 128 else None), row
        # After an exec the peak is that of the new program.
        near(name, row["peak_rss_kib"], 4096 if name == "execs" else kib, 384)
    orphan = run.row("grandchild")
    assert orphan["exit_status"] == 5, orphan
    near("orphan", orphan["peak_rss_kib"], 12 << 10, 384)
    near("virtual", run.row("virtual")["peak_vm_kib"], 200 << 10, 512)
    assert 2e8 < run.row("big40")["run_ns"] <= run.head["run_ns"]
    assert run.row("alone50")["start_ns"] >= run.row("big40")["start_ns"]
    assert not [r for r in run.rows if r["vm_mib_us"] is None]
    if traced != "traced":
        assert run.tree["peak_pages"] is None
        return
    near("tree", run.tree["peak_pages"] * PAGE_KIB, 64 << 10, 3 << 10)
    near("40 then", run.row("big40")["at_peak_pages"] * PAGE_KIB, 40 << 10, 512)
    near("24 then", run.row("big24")["at_peak_pages"] * PAGE_KIB, 24 << 10, 512)
    assert run.row("alone50")["at_peak_pages"] == 0
    near("50", run.row("alone50")["peak_pages"] * PAGE_KIB, 50 << 10, 512)
    assert run.row("big40")["start_ns"] < run.tree["peak_ns"] < \
        run.row("alone50")["start_ns"]
    # Who held it then adds up to it.
    assert sum(r["at_peak_pages"] for r in run.rows) == run.tree["peak_pages"]
    assert sum(r["left_pages"] for r in run.rows) == run.tree["left_pages"]


def short(run, number):
    """All are there, with the status of each."""
    number = int(number)
    assert run.tree["processes"] == number + 1, run.tree
    children = run.rows[1:]
    assert len(children) == number, len(children)
    assert [r["exit_status"] for r in children] == \
        [i % 64 for i in range(number)]
    assert not [r for r in children if r["run_ns"] is None or
                r["peak_rss_kib"] is None]
    assert len({r["pid"] for r in children}) == number


def lines(run):
    """With level 3: each process has its lines, in order of time."""
    assert {x["pid"] for x in run.of["exit"]} == \
        {r["pid"] for r in run.rows if r["run_ns"] is not None}
    for x in run.of["exit"]:
        row = [r for r in run.rows if r["pid"] == x["pid"]][0]
        assert x["exit_status"] == row["exit_status"], (x, row)
    names = [x["comm"] for x in run.of["exec"]]
    assert names == ["tree", "exe", "exe"], names
    times = [x["time_ns"] for x in run.lines if x["type"] in ("exec", "exit")]
    assert times == sorted(times), times


def seconds(ns):
    return decimal(ns, 10 ** 9, 100) + " s"


def columns(run, row):
    """A row of the table, as words."""
    ended = row["run_ns"] is not None
    return [row["comm"], str(row["pid"]), str(row["ppid"]),
            *("+" + seconds(row["start_ns"] - run.head["start_ns"])).split(),
            *(seconds(row["run_ns"]).split() if ended else "-"),
            str(row["exit_status"]) if ended else "-",
            size(row["peak_rss_kib"]), size(row["peak_vm_kib"]),
            *(size(row[key] * PAGE_KIB)
              for key in ("peak_pages", "at_peak_pages", "left_pages")),
            *row["command"].split()]


def holders(run):
    most = sorted(run.rows, key=lambda r: -r["at_peak_pages"])[:5]
    told = [f"{r['comm']}[{r['pid']}] {size(r['at_peak_pages'] * PAGE_KIB)}"
            for r in most if r["at_peak_pages"]]
    left = run.tree["peak_pages"] - sum(r["at_peak_pages"] for r in most)
    return ", ".join(told + [f"others {size(left * PAGE_KIB)}"] * (left > 0))


def table(run, path):
    """The text of the same run has the same figures."""
    with open(path, encoding="ascii") as f:
        text = f.read().splitlines()
    head, tree = run.head, run.tree
    assert text[0].split(": ", 1)[1] == (
        f"{head['command']}: exit status {head['exit_status']} after "
        f"{seconds(head['run_ns'])}, {tree['processes']} processes"
        + ("; see what is missing, below" if run.of["note"] else "")), text[0]
    wanted = [
        f"tree    {size(tree['peak_pages'] * PAGE_KIB)} at most, at "
        f"+{seconds(tree['peak_ns'] - head['start_ns'])}; "
        f"{size(tree['left_pages'] * PAGE_KIB)} stay at the end",
        "then    " + holders(run),
        f"sources processes and pages by {head['pages_by']}, "
        f"sizes by {head['sizes_by']}"]
    for line in wanted:
        assert line in text, f"no line: {line}"
    titles = [i for i, x in enumerate(text) if x.startswith("process  ")]
    assert len(titles) == 1, titles
    assert text[titles[0]].split() == (
        "process pid parent start time status peak RSS peak VM pages at peak "
        "stay command").split(), text[titles[0]]
    for row, line in zip(run.rows, text[titles[0] + 1:]):
        assert line.split() == columns(run, row), (line, columns(run, row))
    missing = [x[8:] for x in text if x.startswith("missing ")]
    assert missing == [n["text"] for n in run.of["note"]][:len(missing)]


def dropped(run, execs):
    """Each line is written or counted."""
    found = [n["text"] for n in run.of["note"] if "too slow" in n["text"]]
    assert len(found) == 1, run.of["note"]
    number = int(found[0].split()[0])
    written = len(run.of["exec"]) + len(run.of["exit"])
    assert written > 100 and number > 100, (written, number)
    assert written + number == len(run.rows) + int(execs), (written, number)


def notes(run, *wanted):
    text = "\n".join(n["text"] for n in run.of["note"])
    for w in wanted:
        assert w in text, f"no {w} in: {text}"


def value(run, kind, name):
    print(run.of[kind][0][name])


def recycled(run):
    notes(run, "were used again: their pages at the peak")
    unknown = [r for r in run.rows if r["at_peak_pages"] is None]
    assert unknown and len(unknown) < len(run.rows), len(unknown)
    assert not [r for r in unknown if r["left_pages"] or not r["peak_pages"]]
    assert run.rows[0]["at_peak_pages"] is not None


def command(run):
    row = run.row("sleep")
    assert row["start_ns"] == run.head["start_ns"], row
    assert 2e8 <= row["run_ns"] <= run.head["run_ns"], row


def terminal(program, *command):
    """A ^C on a terminal comes once. The command's status comes back."""
    pid, fd = pty.fork()
    if not pid:
        os.execv(program, [program, "run", "-o", "/dev/null", *command])
    path = command[-1]
    while not (os.path.exists(path) and "ready" in open(path).read()):
        time.sleep(.01)
    os.write(fd, b"\x03")
    while "2\n" not in open(path).read():
        time.sleep(.01)
    os.kill(pid, 15)
    _, status = os.waitpid(pid, 0)
    got = open(path).read().split()
    assert got == ["ready", "2", "15"], got
    assert os.WEXITSTATUS(status) == 9, status


def main():
    if sys.argv[1] == "terminal":
        return terminal(*sys.argv[2:])
    return globals()[sys.argv[2]](Run(sys.argv[1]), *sys.argv[3:])


if __name__ == "__main__":
    try:
        main()
    except AssertionError as e:
        sys.exit(str(e) or "wrong")
