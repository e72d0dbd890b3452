#!/usr/bin/env python3
"""How often a file was written to, until standard input ends.

    writes.py FILE

It says "watching" when it has begun, and in the end how many writes there were;
then it writes what is in the file back to it, and says how many that were: at
least one, or nothing is to be seen of writes to this file.
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
