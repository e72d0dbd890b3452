#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""losses.py: checks what must hold in a report, whatever was lost; and reads
the kernel's counts of a tracer's events. For stress.t and soak.t.

    within REPORTS PAGES    no figure of the last report is above PAGES
    drift REPORTS      free memory fell by as much as was seen
    held REPORTS PID   prints pages: of a process; of all processes that churn.c
                     ran "wild"
    kept OLD NEW PID MOVED   for each stack, a process has as many pages as
                     before; MOVED pages may have been migrated

    freeze PID       switches the events of a tracer off; prints how many events
                     there were, and how many records found no room in a ring
    samples TRACE    prints how many events of a recording come from records of
                     a ring
    has TRACE TYPE NUMBER ...   so many of its records are of this type

The counts are the kernel's (a count for each event, and PERF_FORMAT_LOST). They
are read from the tracer's own descriptors; the tracer does nothing for it.
"""
import ctypes
import fcntl
import mmap
import os
import struct
import sys

import report

PIDFD_OPEN, PIDFD_GETFD = 434, 438
DISABLE = 0x2401
# Types of TRACE-FORMAT.md that are samples; 3 to 5 are records of tasks, the
# others the tracer's own or of what it reads in /proc.
SAMPLES = {1, 2, 7, 8, 9, 10, 14, 15, 16, 17, 18, 47, 48, 49}
FREE, FOUND = 2, 256	# a free page that was found so is no sample

libc = ctypes.CDLL(None, use_errno=True)


def call(number, *args):
    got = libc.syscall(number, *args)
    if got < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got


def events_of(pid):
    """Descriptors of ours of the same events."""
    owner = call(PIDFD_OPEN, int(pid), 0)
    folder = f"/proc/{pid}/fd"
    for name in sorted(os.listdir(folder), key=int):
        if "perf_event" in os.readlink(f"{folder}/{name}"):
            yield call(PIDFD_GETFD, owner, int(name), 0)


def freeze(pid):
    events = list(events_of(pid))
    for fd in events:
        fcntl.ioctl(fd, DISABLE, 0)
    read = [struct.unpack("QQQ", os.read(fd, 24)) for fd in events]
    print(*map(sum, zip(*((count, lost) for count, _, lost in read))))


def records(path):
    """(type, bytes) of each whole record of a recording."""
    with open(path, "rb") as f:
        data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
    at = 24
    while at + 4 <= len(data):
        head, = struct.unpack_from("=I", data, at)
        yield head >> 16, data[at:at + (head & 0xffff)]
        at += head & 0xffff


def has(path, *wanted):
    types = [t for t, _ in records(path)]
    return "".join(f"{types.count(t)} records of type {t}\n" for t, least in
                   zip(map(int, wanted[::2]), map(int, wanted[1::2]))
                   if types.count(t) < least)


def samples(path):
    print(sum(t in SAMPLES and not (t == FREE and struct.unpack_from(
        "=I", record, 20)[0] & FOUND) for t, record in records(path)))


def held(path, pid):
    """In the last report."""
    last = report.read(path)[-1]
    task = last.task(int(pid))
    wild = sum(t["now_pages"] for t in last.rows["task"]
               if t["comm"].startswith("\1"))
    print(task["now_pages"] if task else 0, wild)


def kept(old, new, pid, moved):
    """What faults took, first touches among them, which have no chain. Slabs
    and page cache are the kernel's to take back, and a page that it migrates is
    its own then."""
    def by_stack(path):
        return {tuple(s["frames"]): s["now_pages"] for s in
                report.read(path)[-1].task(int(pid))["stacks"]
                if s["now_pages"] and (not s["frames"] or any(
                    f.startswith("handle_mm_fault") for f in s["frames"]))}

    before, after = by_stack(old), by_stack(new)
    wrong = [f"{before.get(s, 0)} pages, then {after.get(s, 0)}: {s}"
             for s in before.keys() | after.keys()
             if before.get(s) != after.get(s)]
    most = sum(before.values())
    if most - int(moved) <= sum(after.values()) <= most and \
            (int(moved) or not wrong):
        return None
    return "\n".join(wrong)


def within(path, pages):
    """No figure is less than nothing or more than the machine has."""
    r = report.read(path)[-1]
    rows = [row for table in r.rows.values() for row in table]
    figures = [r.head, r.peak or {}, *rows,
               *(s for row in rows for s in row["stacks"])]
    wrong = [f"{key} is {value}: {line}" for line in figures
             for key, value in line.items() if key.endswith("_pages") and
             isinstance(value, int) and not 0 <= value <= int(pages)]
    return "\n".join(wrong[:9])


def drift(path):
    """To a 50th of all that was ever held, or 16 MiB, for what no event tells
    of."""
    r = report.read(path)[-1]
    most = max(r.head["peak_pages"] // 50,
               (16 << 20) // r.head["page_size"])
    rest = r.reconcile["rest_pages"]
    return f"{rest} pages unexplained: {r.reconcile}" if abs(rest) > most \
        else None


if __name__ == "__main__":
    wrong = globals()[sys.argv[1]](*sys.argv[2:])
    if wrong:
        print(wrong)
    sys.exit(bool(wrong))
