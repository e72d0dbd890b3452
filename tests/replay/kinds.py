# SPDX-License-Identifier: MIT
"""Kinds of memory as model.py keeps them (applet/ledger/kinds.h).

The rules are read from the program's own table; what follows from them is
computed here by other means. Until the functions are told, pages with a chain
are "other" and all areas but images are "vmalloc".
"""
import os
import re

from areas import Held

RULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                     "applet", "ledger", "kind_rules.c")
NAMES = dict(OTHER="other", ANON="anonymous", CACHE="page cache",
             TMPFS="tmpfs", IMAGE="loop/squashfs", TABLES="page tables",
             STACKS="kernel stacks", SLAB="slab", VMALLOC="vmalloc",
             NET="network", HUGE="huge pages", DRIVER="driver",
             COMPRESSED="compressed", LARGE="large", AREA="area",
             PERCPU="per-CPU", MODULES="module images", INIT="init")
IMAGES = (b"squashfs", b"loop", b"erofs", b"cramfs")
COMPRESSORS = (b"zsmalloc", b"zbud", b"z3fold")
RANGES_MAX = 320


def read_rules():
    with open(RULES) as table:
        for begins, kind, over in re.findall(
                r'\{ "(\w+)", KIND_(\w+), (?:KIND_)?(\w+) \}', table.read()):
            yield begins, NAMES[kind], NAMES.get(over)


class Row(Held):
    limit = 0


class Kinds:
    def __init__(self, model):
        self.model, self.known = model, False
        self.rules = list(read_rules())
        self.areas = {"vmalloc": 0, "kernel stacks": 0, "module images": 0}
        self.ranges = []		# (base, end, kind, over)
        self.rows = {name: Row() for name in NAMES.values()
                     if name not in ("large", "area", "init")}

    def rule(self, name):
        name = name.lstrip("_")
        found = [rule for rule in self.rules if name.startswith(rule[0])]
        return max(found, key=lambda rule: len(rule[0]))[1:] if found else None

    def at(self, addr):
        for base, end, kind, over in self.ranges:
            if base <= addr - 1 < end:
                return kind, over
        return None

    def of_chain(self, chain):
        if not chain:
            return "anonymous"
        if not self.known:
            return "other"
        kind = None
        for addr in chain:
            found, module = self.at(addr), self.model.module_at(addr - 1)
            if found:
                if kind == found[1] == "vmalloc" and found[0] == "init":
                    kind = "area"
                elif kind is None or found[1] == kind:
                    kind = found[0]
            elif module and kind in (None, "page cache") and \
                    module.name in IMAGES:
                kind = "loop/squashfs"
            elif module and kind is None:
                kind = "compressed" if module.name in COMPRESSORS else \
                    "driver"
        return {None: "other", "init": "other", "large": "slab",
                "area": "vmalloc"}.get(kind, kind)

    def of_caller(self, c):
        if not self.known or c.module or c is self.model.areas.other:
            return "vmalloc"
        found = self.at(c.addr) if c.addr else \
            self.rule(c.name.decode("latin-1"))
        stacks = found and found[0] == "kernel stacks"
        return "kernel stacks" if stacks else "vmalloc"

    def own(self, chain, kind):
        """A module's that is gone, which it does not share with others."""
        rules = {found[0] for found in map(self.at, chain) if found}
        return kind in ("driver", "other", "module images") or \
            kind == "vmalloc" and "per-CPU" not in rules or \
            kind == "slab" and "large" in rules

    def leak(self, m):
        if m.state not in ("gone", "failed"):
            return None
        if not self.known or not m.count.now:
            return m.held.now or None
        return m.image.now + m.vmalloc.now + sum(
            c.now for (of, chain), c in self.model.module_stacks.items()
            if of is m and chain and
            self.own(chain, self.stack_kind(c, chain))) or None

    def sums(self, value):
        """By kind: what all stacks and callers hold, or held at the peak."""
        sums = dict.fromkeys(self.rows, 0)
        for (_, chain), c in self.model.module_stacks.items():
            sums[self.stack_kind(c, chain)] += value(c)
        for c in self.model.areas.callers:
            sums[self.of_caller(c)] += value(c) - value(c.images)
            sums["module images"] += value(c.images)
        return sums

    def stack_kind(self, c, chain):
        """A stack keeps its kind: its modules may go."""
        if not self.known:
            return "compressed" if chain and c.compressed else \
                "page cache" if chain and c.ahead else self.of_chain(chain)
        if not hasattr(c, "kind"):
            c.kind = self.of_chain(chain)
        return c.kind

    def move(self, stack, chain, pages):
        self.rows[self.stack_kind(stack, chain)].add(pages)

    def areas_now(self):
        areas = dict.fromkeys(self.areas, 0)
        for c in self.model.areas.callers:
            areas[self.of_caller(c)] += c.now - c.images.now
            areas["module images"] += c.images.now
        return areas

    def after_event(self):
        """Areas change in one step, as far as a peak can tell."""
        before, self.areas = self.areas, self.areas_now()
        for name, now in self.areas.items():
            self.rows[name].add(now - before[name])

    def keep(self):
        for row in self.rows.values():
            row.keep()

    def function(self, e):
        found = self.rule(e["name"].decode("latin-1"))
        if self.known or not found or not e["size"] or \
                len(self.ranges) == RANGES_MAX:
            return "rejected"
        if any(e["base"] == base for base, *_ in self.ranges):
            return "ignored"
        self.ranges.append((e["base"], e["base"] + e["size"], *found))
        return "applied"

    def end(self, e):
        if self.known or not self.ranges:
            return "ignored"
        # These two were known before.
        known = {name: self.rows[name].peak
                 for name in ("anonymous", "module images")}
        self.known = True
        at_peak = self.sums(lambda c: c.at_peak)
        read = self.model.need.read()
        limit = dict.fromkeys(self.rows, 0)
        for (_, chain), c in self.model.module_stacks.items():
            if chain:
                limit[self.stack_kind(c, chain)] += c.peak
        for c in self.model.areas.callers:
            limit[self.of_caller(c)] += c.peak
        for name, now in self.sums(lambda c: c.now).items():
            row = self.rows[name]
            row.now, row.at_peak = now, at_peak[name]
            row.limit = limit[name]
            row.peak = max(now, row.at_peak)
        for name, peak in known.items():
            self.rows[name].peak = max(self.rows[name].peak, peak)
            self.rows[name].limit += peak
        self.areas = self.areas_now()
        self.model.need.more_read(self.model.need.read() - read)
        return "applied"

    def expected(self):
        """(name, now, peak, at peak, peak at most), as JSON has them."""
        if not self.known:
            return []
        return [(name, r.now, r.peak, r.at_peak, max(r.peak, r.limit))
                for name, r in self.rows.items() if r.peak]
