#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Traces that are mangled, or made to do harm: a replay of one allocates only
its one block of memory, invents no event, and ends: no record costs a walk over
a large table. Whatever the bytes, the sums agree, and a complaint means status 1.
"""
import random
import re
import resource
import struct
import subprocess

import gen
from harness import (BINARY, MATRIX, NAMES, case, head_of, main, sanitized,
                     tool)

MANGLED = 700 if MATRIX else 100
BLOCK_MOST = (1 << 30) + 4096
# Of CPU time, which is no more for what else the machine does: forty times as
# much as the dearest trace takes. A loop without end, or over a table for each
# record, takes more.
CPU_S = 60


def event_records(data):
    """Whole records of events, before the first that cannot be."""
    at, count = 24, 0
    while at + 4 <= len(data):
        head, = struct.unpack_from("<I", data, at)
        size, kind = head & 0xffff, head >> 16
        if size < 4 or at + size > len(data):
            break
        count += kind in gen.TYPES
        at += size
    return count


def mangled(rng, data):
    """Bits flipped, a piece moved, doubled or cut out; the header stays."""
    data = bytearray(data)
    for _ in range(rng.randrange(1, 6)):
        a, b = sorted(rng.randrange(120, len(data)) for _ in range(2))
        b = min(b, a + 400)
        how = rng.randrange(4)
        if how == 0:
            data[a] ^= 1 << rng.randrange(8)
        elif how == 1:
            data[a:b] = b""
        elif how == 2:
            data[a:a] = data[a:b]
        else:
            data[a:a + 8] = rng.choice([bytes(8), b"\xff" * 8,
                                        rng.randbytes(8)])
        if len(data) < 200:
            break
    return bytes(data)


def test_no_more_events(tap, work):
    rng = random.Random(7)
    traces = [gen.encode(case(name)) for name in NAMES]
    wrong = []
    for i in range(MANGLED):
        data = mangled(rng, rng.choice(traces))
        form = ("json", "text")[i // 3 % 2]
        status, out, errors = work.replay(
            f"--level={1 + i % 3}", f"--format={form}", data=data, check=10,
            binary=sanitized())
        seen = head_of(out).get("seen", 0) if form == "json" else 0
        if status not in (0, 1) or seen > event_records(data) or \
                "after event" in errors or \
                status == 1 and f"memstrack: {work.path}: " not in errors:
            wrong.append((data.hex(), status, errors[:200], seen))
    tap.none(wrong, f"{MANGLED} mangled traces: no more events than records, "
             "status 0 or 1, the sums agree")


def largest(ram=None, **layout):
    t = gen.Trace()
    t.layout.update(layout)
    t.ram = ram or t.ram
    return t


def of_order_20(ram, pages_bytes, step):
    """Blocks of 4 GiB, one a record."""
    t = largest(ram, pages_bytes=pages_bytes)
    for i in range(3):
        t.alloc(1, i * step, 20, [1])
        t.free(1, i * step + 1, 20)
    return t


def leaping():
    """Times as far apart as there are, over tables that are not small."""
    t = largest(tasks=3000, owners=7000, modules=1000)
    for i in range(2990):
        t.fork(i + 10, 1)
        t.alloc(i + 10, 0x200 + i, 0, [1 + i % 7])
    t.step_ns = 1 << 52
    for i in range(3000):
        t.memory(i)
    return t


def recycled():
    """Every row taken again and again, each of a higher peak."""
    t = largest([(0, 1 << 20)], tasks=16, owners=40, nodes=40, modules=16)
    for i in range(3000):
        tid = 10 + i
        t.fork(tid, 1)
        t.load_enter(tid)
        t.module_load(tid, b"m%d" % i)
        t.module_range(b"m%d" % i, (1 << 40) + 4096 * (3000 - i), 4096)
        t.alloc(tid, 1024 * (i % 64), i % 11, [i + 1, (1 << 40) + i])
        t.free(tid, 1024 * (i % 64), i % 11)
        t.module_free(tid, b"m%d" % i)
        t.exit(tid)
    return t


def retired_twice():
    """Text is laid over text, then over the addresses by which the ledger
    knows what was below."""
    t = largest()
    t.module_range(b"below", 0x1000, 0x1000)
    t.alloc(1, 0x200, 0, [0x1800, 0x1900])
    for i in range(3):
        t.module_free(1, b"below" if i == 0 else b"above%d" % (i - 1))
        t.module_range(b"above%d" % i, 1, (1 << 64) - 2)
        t.alloc(1, 0x300 + i, 0, [0x1800, 1 << 62 | 0x800])
    return t


def limit_cpu():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))


def test_time(tap, work):
    cases = [
        ("as many symbols as may be", largest(symbols=1 << 24)),
        ("symbols of one GiB", largest(symbols=(1 << 24) - (1 << 18))),
        ("stack nodes of as much", largest(nodes=1 << 24)),
        ("tasks of as much", largest(tasks=6 << 20, owners=(6 << 20) + 9)),
        ("modules of as much", largest(modules=1 << 20,
                                       nodes=(1 << 20) + 9)),
        ("a page table of as much", largest(pages_bytes=1 << 30)),
        ("blocks of 4 GiB, an array",
         of_order_20([(0, 1 << 24)], 1 << 26, 1 << 20)),
        ("blocks of 4 GiB, a hash",
         of_order_20([(0, 1 << 40)], 1 << 29, 1 << 20)),
        ("blocks of 4 GiB, a hash that is full",
         of_order_20([(0, 1 << 31)], 1 << 12, 1 << 20)),
        ("blocks of 4 GiB, in no RAM",
         of_order_20([(i << 30, 16) for i in range(32)], 1 << 20, 1 << 33)),
        ("text over all addresses", retired_twice()),
        ("times that leap", leaping()),
        ("rows that are taken again", recycled()),
    ]
    for name, trace in cases:
        status, out, errors = work.json(data=gen.encode(trace),
                                        before=limit_cpu)
        whole = status == 0 and '"type":"end"' in out
        refused = status == 1 and not out and "tables" in errors
        tap.ok(whole or refused, f"it ends: {name}", status, errors[:200])


FORBIDDEN = re.compile(r"^(brk|mremap|mprotect|clone3?|v?fork|execve|madvise)$")


def calls_after_open(work, data):
    """System calls of a replay from the open of the trace on."""
    work.write(data)
    subprocess.run(["strace", "-o", work.at("log"), BINARY, "replay",
                    work.path, "--level=3"], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    lines = work.read("log").split("\n")
    opened = [i for i, line in enumerate(lines) if f'"{work.path}"' in line
              and line.startswith("open")]
    return lines[opened[0] + 1:] if opened else []


def test_memory(tap, work):
    _, why = tool("need", "strace")
    if why:
        tap.skip("no memory but one block", why)
        return
    rng = random.Random(11)
    boot = gen.encode(case("boot"))
    cases = [("a whole trace", boot, 1), ("no trace", b"x" * 99, 0),
             ("a header alone", boot[:150], 1),
             ("tables of more than 1 GiB", gen.encode(largest(
                 [(0, 1 << 40)], nodes=1 << 24, pages_bytes=1 << 30)), 0),
             ("rows taken again", gen.encode(recycled()), 1)]
    cases += [("a mangled one", mangled(rng, boot), 1) for _ in range(5)]
    for name, data, blocks in cases:
        calls = calls_after_open(work, data)
        names = [line.split("(")[0] for line in calls if "(" in line]
        maps = [int(re.search(r"mmap2?\(NULL, (\d+)", line)[1])
                for line in calls if line.startswith("mmap")]
        bad = [n for n in names if FORBIDDEN.match(n)]
        tap.ok("exit_group" in names and "read" in names and not bad and
               len(maps) == blocks and all(m <= BLOCK_MOST for m in maps),
               f"memory: {name}: blocks taken: {blocks}", bad, maps, calls[:20])


main(test_no_more_events, test_time, test_memory)
