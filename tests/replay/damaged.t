#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Files that are cut off or corrupted, or not ours. The part that could be read
is reported, a message says at which byte it ended, and the exit status is 1.
What is corrupted at random: hostile.t.
"""
import os
import struct

import gen
from harness import MATRIX, case, head_of, main, sanitized

TRACE = case("boot")
DATA = gen.encode(TRACE)


def boundaries(trace, encoder):
    """Of each record: where it ends, how many events came until then, and
    whether it is the first of its type; a packed event's is its first byte."""
    at = events = 0
    types = set()
    for i, record in enumerate(encoder("little", 8).records(trace)):
        at += len(record)
        events = min(max(0, i - 1), len(trace.events))
        kind = record[2:4] if encoder.version == 1 else \
            record[3:5] if not record[0] else record[:1]
        yield at, events, i == 0 or kind not in types
        types |= {kind} if i else set()


def cuts(ends):
    """All bytes of the first record of each type; of others the ends, one byte
    less, and the middle. MATRIX=all: all bytes."""
    begin = 0
    for end, _, is_first in ends:
        middle = (begin + end) // 2
        yield from range(begin, end) if is_first or MATRIX else \
            [begin, middle, end - 1]
        begin = end


def test_truncated(tap, work, encoder=gen.Encoder):
    data = gen.encode(TRACE, encoder=encoder)
    ends = list(boundaries(TRACE, encoder))
    header_end = ends[1][0]
    wrong = []
    for cut in cuts(ends):
        status, out, errors = work.replay("--format=json", data=data[:cut])
        at, events = max([(0, 0)] + [e[:2] for e in ends if e[0] <= cut])
        head = head_of(out)
        if status != 1 or errors.count("\n") != 1 or \
                f"{work.path}: byte {at}: " not in errors:
            wrong.append((cut, status, errors))
        elif cut < header_end and out:
            wrong.append((cut, "a report without a header", out))
        elif cut >= header_end and (
                head["seen"] != events or
                head["reason"] != "truncated trace" or
                '"complete":1' in out):
            wrong.append((cut, head))
    tap.none(wrong, f"cut within each kind of {len(ends)} records: what came "
             "before is reported, the message says where")
    status, out, _ = work.replay(data=data[:-1])
    tap.ok(f"byte {ends[-2][0]} on" in out and
           "\nwarning the recording is not whole" in out,
           "the report says so itself, in a warning", out)
    status, out, errors = work.replay("--format=json", data=data + b"\0")
    tap.ok(status == 1 and f"byte {len(data)}: " in errors and
           head_of(out)["reason"] == "SIGTERM",
           "bytes after the end are told, the report is whole", errors)


def test_truncated_packed(tap, work):
    test_truncated(tap, work, gen.Packer)


def test_packed(tap, work):
    """Packed events that cannot be, after one good event."""
    trace = gen.Trace()
    trace.alloc(1, 0x200, 0, [0xc1000010])
    start = b"".join(list(gen.Packer("little", 8).records(trace))[:3])
    end = b"\0" * 800
    for name, event in [
            ("no kind", [2, 0, 0, 0]), ("a bit that none has", [129, 0, 0, 0]),
            ("a chain that was not written", [17, 0, 0, 0, 200]),
            ("a chain of no frames", [49, 0, 0, 0, 0, 0]),
            ("a chain of 65 frames", [49, 0, 0, 0, 0, 65])]:
        status, out, errors = work.replay(
            "--format=json", data=start + bytes(event) + end,
            binary=sanitized())
        tap.ok(status == 1 and f"byte {len(start)}: " in errors and
               head_of(out)["seen"] == 1, f"packed: {name}", errors)


def put(data, at, kind, value):
    value = struct.pack(kind, value)
    return data[:at] + value + data[at + len(value):]


# Where things stand in the header record, which starts at byte 24.
PAGE_SIZE, NODES, OWNERS, TASKS, MODULES, SYMBOLS = range(28, 52, 4)
PAGES_BYTES = 52
KERNEL = 84


def test_refused(tap, work):
    data, ram = DATA, KERNEL + 2 + len(TRACE.kernel)
    first_event = ram + 16
    cases = [
        ("an empty file", b"", 0),
        ("another kind of file", b"#!/bin/sh\nexit 1\n" * 9, 0),
        ("a directory", None, 0),
        ("a byte order that is none", put(data, 8, "<I", 0x01030204), 8),
        ("version 0", put(data, 12, "<I", 0), 12),
        ("version 3", put(data, 12, "<I", 3), 12),
        ("version 3, big-endian",
         put(gen.encode(TRACE, "big"), 12, ">I", 3), 12),
        ("words of 2 bytes", put(data, 16, "<I", 2), 16),
        ("another clock", put(data, 20, "<I", 0), 20),
        ("no header", data[:24] + data[first_event:], 24),
        ("pages of no bytes", put(data, PAGE_SIZE, "<I", 0), 24),
        ("pages of 4095 bytes", put(data, PAGE_SIZE, "<I", 4095), 24),
        ("a kernel release too long", put(data, KERNEL, "<H", 500), 24),
        ("RAM of no pages", put(data, ram + 8, "<Q", 0), 24),
        ("RAM past all addresses", put(data, ram, "<Q", 2**63), 24),
    ]
    for row, *values in [(NODES, 0, 64, 2**32 - 1), (OWNERS, 0, 256, 2**31),
                         (TASKS, 0, 2, 2**24), (MODULES, 0, 2, 2**20),
                         (SYMBOLS, 2**32 - 1)]:
        cases += [(f"{value} rows at byte {row}",
                   put(data, row, "<I", value), None) for value in values]
    cases += [(f"a page table of {value} bytes",
               put(data, PAGES_BYTES, "<Q", value), None)
              for value in (0, 64, 2**30 + 1, 2**64 - 1)]
    for name, bad, at in cases:
        if bad is None:
            os.unlink(work.path)
            os.mkdir(work.path)
        tap.refused(work.replay(data=bad, binary=sanitized()), 1, work.path +
                    (": " if at is None else f": byte {at}: "),
                    f"refused: {name}")
        if bad is None:
            os.rmdir(work.path)


def test_corrupted(tap, work):
    """Records that cannot be, after one good event."""
    trace = gen.Trace()
    trace.alloc(1, 0x200, 0, [0xc1000010])
    encoder = gen.Encoder("little", 8)
    start = b"".join(list(encoder.records(trace))[:3])
    event = encoder.pack("IQII", 1, trace.now_ns, 1, 0)
    pfn = encoder.pack("Q", 0x300)
    end = b"\0" * 48
    for name, kind, body in [
            ("a size of 0", None, encoder.pack("I", 1 << 16)),
            ("a size of 3", None, encoder.pack("I", 1 << 16 | 3)),
            ("an alloc without a page", gen.ALLOC, event),
            ("an event of 4 bytes", gen.EXIT, b""),
            ("a torn address", gen.ALLOC, event + pfn + b"1234"),
            ("65 frames", gen.ALLOC, event + pfn + b"x" * 520),
            ("a name of 56 bytes", gen.COMM, event + b"x" * 56),
            ("a range without a size", gen.MODULE_RANGE,
             event + pfn + b"ext4"),
            ("a symbol without a start", gen.SYMBOL, pfn),
            ("an end cut short", gen.END, pfn),
            ("a reason past the end of its record", gen.END,
             end + encoder.pack("H", 31)),
            ("nine notes", gen.END, end + encoder.string(b"x") * 10),
            ("a note of 160 bytes", gen.END,
             end + encoder.string(b"x") + encoder.string(b"y" * 160))]:
        record = encoder.record(kind, body) if kind else body
        status, out, errors = work.replay(
            "--format=json", binary=sanitized(),
            data=start + record + encoder.end(trace))
        head = head_of(out)
        tap.ok(status == 1 and f": byte {len(start)}: " in errors and
               head.get("seen") == 1 and
               head.get("reason") == "truncated trace" and
               '"complete":0' in out,
               f"corrupted: {name}", status, errors, head)


def test_later(tap, work):
    """What a later version may write is read."""
    trace = gen.Trace()
    encoder = gen.Encoder("big", 4)
    parts = list(encoder.records(trace))
    body = encoder.pack("IQIIQ", 1, trace.now_ns, 1, 0, 4000) + b"later"
    parts.insert(2, encoder.record(gen.MEMORY, body))
    status, out, errors = work.replay("--format=json", data=b"".join(parts))
    tap.ok(status == 0 and head_of(out)["free_now_kib"] == 16000,
           "a longer record of fixed shape is read", errors)
    work.case("unknown_type")
    status, _, errors = work.replay()
    tap.ok(status == 0 and "4 records" in errors,
           "records of unknown types are counted", errors)


main(test_truncated, test_refused, test_corrupted, test_later)
