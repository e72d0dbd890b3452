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


class Packed:
    """Packed events, given as the records that version 1 had instead."""

    def __init__(self):
        self.time = self.pfn = self.frame = self.tid = self.tgid = 0
        self.chains = {}

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def changed(self, name, n):
        value = getattr(self, name) + (-(n >> 1) - 1 if n & 1 else n >> 1)
        setattr(self, name, value & (2**64 - 1))
        return getattr(self, name)

    def sized(self, name, size):
        size = 1 << (size & 3)
        n = self.data[self.at:self.at + size]
        if len(n) < size:
            raise IndexError
        self.at += size
        return self.changed(name, int.from_bytes(n, "little"))

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def chain(self, is_new):
        place = self.byte()
        if is_new:
            frames = [self.changed("frame", self.number())
                      for _ in range(self.byte())]
            if len(frames) <= 48:
                self.chains[place] = frames
            return frames
        return self.chains[place]

    def next(self, data, at):
        """(kind, bytes) of the event at this place, and the place behind it.
        An IndexError: it is cut off."""
        self.data, self.at, has, sizes = data, at + 2, data[at], data[at + 1]
        if has & 4:
            self.tid, self.tgid = self.number(), self.number()
        flags = self.number() if has & 8 else 0
        time = self.sized("time", sizes)
        pfn = 2**64 - 1 if has & 64 else self.sized("pfn", sizes >> 2)
        chain = self.chain(has & 32) if has & 16 else []
        kind = FREE if has & 2 else ALLOC
        return (kind, struct.pack(
            f"<HHIQIIQ{len(chain)}Q", 32 + 8 * len(chain), kind, self.tid,
            time, self.tgid, flags, pfn, *chain)), self.at


def records(data):
    """(kind, bytes) of each, without the prelude."""
    at = PRELUDE_BYTES
    marked = struct.unpack_from("<I", data, 12)[0] > 1
    packed = Packed()
    while at < len(data):
        if marked and data[at]:
            try:
                record, at = packed.next(data, at)
            except IndexError:
                return
            yield record
            continue
        at += marked
        if at + 4 > len(data):
            return
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
