#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts how often a file is written to, until standard input ends.

    writes.py FILE

It prints "watching" when it has begun, and in the end the number of writes.
Then it writes the file's own content back to it, and prints the number of those
writes. If this is not at least one, writes to this file cannot be seen.
"""
import ctypes
import os
import sys

IN_MODIFY = 2
EVENT_BYTES = 16		# struct inotify_event of a file: no name


def count(watch):
    try:
        return len(os.read(watch, 1 << 16)) // EVENT_BYTES
    except BlockingIOError:
        return 0


def main():
    path = sys.argv[1]
    # Open all the while, so that the kernel keeps the watched inode.
    with open(path, encoding="ascii") as held:
        libc = ctypes.CDLL(None)
        watch = libc.inotify_init1(os.O_NONBLOCK)
        libc.inotify_add_watch(watch, os.fsencode(path), IN_MODIFY)
        print("watching", flush=True)
        sys.stdin.read()
        print(count(watch))
        with open(path, "w", encoding="ascii") as own:
            own.write(held.read())
        print(count(watch))


main()
