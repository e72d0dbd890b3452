# SPDX-License-Identifier: MIT
"""Initcalls, as the rules say it: ledger/initcalls.h.

Every page has the row of its initcall beside its owner; a row has a count.
"""
import gen
from areas import Held


class Row(Held):
    def __init__(self, module, base=None, addr=None):
        super().__init__()
        self.module, self.base, self.addrs = module, base, [addr]
        self.size = self.limit = self.runs = self.run_ns = 0

    def has(self, addr):
        return self.size and self.base <= addr < self.base + self.size

    def name(self):
        return "(init)" if self.module else f"{self.base or self.addrs[0]:#x}"


class Initcalls:
    def __init__(self):
        self.rows, self.of_page = [], {}
        self.runs = []			# [tid, base, start, row]
        self.caller = range(0)

    def find(self, module, base=None, addr=None):
        for row in self.rows:
            if row.module is not module:
                continue
            if module or (base and (row.base == base or row.has(base))) or \
                    (addr and (addr in row.addrs or row.has(addr - 1))):
                return row
        return None

    def enter(self, module_at, base=None, addr=None):
        module = module_at(base or addr - 1)
        row = self.find(module, base, addr)
        if not row:
            row = Row(module, base, addr)
            self.rows.append(row)
        return row

    def told(self, e, module_at):
        """The row of the initcall that the task runs, by events."""
        for run in reversed(self.runs):
            if run[0] == e["tid"] and not e["flags"] & gen.IRQ:
                run[3] = run[3] or self.enter(module_at, base=run[1])
                return run[3]
        return None

    def by_chain(self, e, module_at):
        chain = e["chain"]
        for inner, frame in zip(chain, chain[1:]):
            if frame - 1 in self.caller and not e["flags"] & gen.IRQ:
                return self.enter(module_at, addr=inner)
        return None

    def take(self, row, pfns):
        if row:
            self.of_page.update(dict.fromkeys(pfns, row))
            row.add(len(pfns))

    def give(self, pfn):
        row = self.of_page.pop(pfn, None)
        if row:
            row.add(-1)

    def start(self, e):
        if len(self.runs) == 32:
            return "rejected"
        self.runs.append([e["tid"], e["base"], e["time_ns"], None])
        return "applied"

    def finish(self, e, module_at):
        mine = [run for run in self.runs if run[0] == e["tid"]]
        found = [run for run in mine if run[1] == e["base"]]
        if not found:
            return "ignored"
        run = found[-1]
        ended = mine[mine.index(run):] if mine.count(run) == 1 else [run]
        self.runs = [r for r in self.runs if r not in ended]
        row = run[3] or self.find(module_at(e["base"]), e["base"])
        if row:
            row.runs += 1
            row.run_ns += e["time_ns"] - run[2]
        return "applied"

    def function(self, e):
        there = range(e["base"], e["base"] + e["size"])
        if not e["flags"] & gen.INIT_TEXT:
            self.caller = there
            return "applied"
        rows = [r for r in self.rows if not r.module and
                ((r.addrs[0] or r.base + 1) - 1) in there]
        if not rows:
            return "ignored"
        first = rows[0]
        first.base, first.size = e["base"], e["size"]
        limit = sum(max(r.limit, r.peak) for r in rows)
        first.limit = limit if len(rows) > 1 else first.limit
        for row in rows[1:]:
            self.rows.remove(row)
            first.peak = max(first.peak, row.peak)
            first.fold(row)
            first.runs += row.runs
            first.run_ns += row.run_ns
            for pfn in [p for p, r in self.of_page.items() if r is row]:
                self.of_page[pfn] = first
            for run in self.runs:
                run[3] = first if run[3] is row else run[3]
        return "applied"

    def module_goes(self, module, heir):
        for row in self.rows:
            if row.module is module:
                row.module = heir

    def keep(self):
        for row in self.rows:
            row.keep()

    def expected(self, module_name):
        """As JSON has them."""
        for row in self.rows:
            if row.peak:
                yield (row.name(),
                       module_name(row.module) if row.module else "",
                       row.now, row.peak, row.at_peak,
                       max(row.limit, row.peak), row.runs or None,
                       row.run_ns if row.runs else None)
