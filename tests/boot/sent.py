# SPDX-License-Identifier: MIT
"""What a guest sent (guest.sh), and the recorded traces in it, little-endian
and of 64 bits, read as applet/record/TRACE-FORMAT.md describes them. Nothing
here is the program's.
"""
import base64
import collections
import gzip
import re
import struct

ALLOC, FREE = 1, 2
PRELUDE_BYTES = 24
Event = collections.namedtuple(
    "Event", "time pfn order type tid tgid flags chain at", defaults=[None] * 5)


def read(path):
    """The facts, a text, and the files that were sent, by name."""
    with open(path, encoding="latin-1") as file:
        text = file.read().replace("\r", "")
    return text, {name: gzip.decompress(base64.b64decode(packed))
                  for name, packed in re.findall(
                      r"^sent=(.*)\n([^=]*?=*)\nsent$", text, re.M)}


def records(data):
    """(kind, bytes) of each, without the prelude."""
    at = PRELUDE_BYTES
    while at + 4 <= len(data):
        size, kind = struct.unpack_from("<HH", data, at)
        yield kind, data[at:at + size]
        at += size


def events(trace):
    """Page events of such records; at: their place among all."""
    for at, (kind, data) in enumerate(trace):
        if kind not in (ALLOC, FREE):
            continue
        tid, time, tgid, flags, pfn = struct.unpack_from("<IQIIQ", data, 4)
        chain = struct.unpack_from(f"<{(len(data) - 32) // 8}Q", data, 32)
        if pfn != 2**64 - 1:
            yield Event(time, pfn, flags >> 24, kind, tid, tgid, flags & 1,
                        chain, at)
