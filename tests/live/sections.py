#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""sections.py FILE CHECK...: checks sections in the older program's format.

    marked TYPE...    FILE has these sections, in this order, each whole
    holds PID PAGES   a task of task_summary holds PAGES or a few more
    slabs FILE        the slab caches are those of FILE, a copy of
                      /proc/slabinfo from that moment
    dies              no check: acts as a tracer that dies during its answer
"""
import fcntl
import os
import re
import socket
import sys

MARK = "^======== Report format %s ========\n"
SECTION = re.compile(MARK % r"(\w+):" + "(.*?)" + MARK % r"\1 END", re.M | re.S)
TASK = re.compile(r"^Task (.*) \((\d+)\) using (\d+) pages, peak usage (\d+) "
                  r"pages$")


def read(path):
    """[(type, text)]; nothing stands outside of sections but blank lines,
    and at the top, what was lost."""
    with open(path, encoding="ascii") as f:
        text = re.sub(r"\A\n*\(\d+ records lost\)\n", "", f.read())
    outside = SECTION.sub("", text).strip("\n")
    assert not outside, outside
    return SECTION.findall(text)


def section(path, name):
    return dict(read(path))[name].splitlines()


def tasks(path):
    rows = [TASK.match(line) for line in section(path, "task_summary")]
    assert rows and all(rows), "not a task a line"
    return [(r[1], int(r[2]), int(r[3]), int(r[4])) for r in rows]


def marked(path, *names):
    got = [name for name, _ in read(path)]
    assert got == list(names), got


def holds(path, pid, pages):
    held = {p: now for _, p, now, _ in tasks(path)}
    assert int(pages) <= held[int(pid)] <= int(pages) + 100, held[int(pid)]


def slabs(path, slabinfo):
    """By size."""
    page_mib = os.sysconf("SC_PAGESIZE") / (1 << 20)
    title, *lines = section(path, "proc_slab_static")
    assert title == "Top Slab Usage:", title
    got = [re.match(r"^ *(\S+): (\d+\.\d) MB$", line) for line in lines]
    assert all(got), lines
    with open(slabinfo, encoding="ascii") as f:
        rows = [line.split() for line in f.readlines()[2:]]
    caches = sorted(((w[0], int(w[5]) * int(w[14]) * page_mib) for w in rows),
                    key=lambda cache: -cache[1])
    assert [g[1] for g in got] == [name for name, _ in caches], "another order"
    for g, (_, mib) in zip(got, caches):
        assert abs(float(g[2]) - mib) < 0.051, f"{g[0]}: {mib}"


def dies(_):
    """A tracer that is asked for sections, found by its lock."""
    with socket.socket(socket.AF_UNIX) as listener:
        name = f"/dev/.stand-in-{os.getpid()}"
        listener.bind(name)
        file = os.open(name, os.O_PATH)
        os.unlink(name)
        listener.listen()
        lock = os.open("/sys/kernel/tracing/README", os.O_RDWR)
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB, file + 1)
        print("listens", flush=True)
        client = listener.accept()[0]
        client.recv(300)
        client.sendall(b"\0\n======== Report format module_summary: "
                       b"========\nModule half using 1.0MB (25")
        client.close()


if __name__ == "__main__":
    try:
        globals()[sys.argv[2]](sys.argv[1], *sys.argv[3:])
    except (AssertionError, KeyError, ValueError) as e:
        print(f"{sys.argv[2]}: {e!r}")
        sys.exit(1)
