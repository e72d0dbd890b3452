#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""losses.py: what was recorded, and the kernel's counts of a tracer's events.

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
import os
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "boot"))
import sent

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
    with open(path, "rb") as f:
        return sent.records(f.read())


def has(path, *wanted):
    types = [t for t, _ in records(path)]
    return "".join(f"{types.count(t)} records of type {t}\n" for t, least in
                   zip(map(int, wanted[::2]), map(int, wanted[1::2]))
                   if types.count(t) < least)


def samples(path):
    print(sum(t in SAMPLES and not (t == FREE and struct.unpack_from(
        "=I", record, 20)[0] & FOUND) for t, record in records(path)))


if __name__ == "__main__":
    wrong = globals()[sys.argv[1]](*sys.argv[2:])
    if wrong:
        print(wrong)
    sys.exit(bool(wrong))
