"""What the books must say, from the same events, by other means.

A dict for every table, a snapshot of everything at each new high, no table
that could be full but those a case makes so on purpose. Written from the
design's rules, not from the C: where the two differ, one of them is wrong.

    model.py cases/NAME.py REPORT.json    prints each difference, exits 1
"""
import collections
import json
import sys

import gen

ORDER_MAX = 20
HELD = ("now_pages", "peak_pages")
COUNTS = HELD + ("at_peak_pages",)


class Count:
    def __init__(self):
        self.now = self.peak = self.at_peak = 0


class Task:
    def __init__(self, tid, tgid, process=None):
        self.tid, self.tgid, self.comm = tid, tgid, b""
        self.process = process or self
        self.loading, self.live, self.threads = None, True, 0
        self.count = Count()


class Module:
    def __init__(self, name, state):
        self.name, self.state, self.count = name, state, Count()


class Model:
    def __init__(self, t):
        self.t = t
        self.other, self.irq = Task(0, 0), Task(0, 0)
        self.other.comm, self.irq.comm = b"(other)", b"(irq)"
        self.none = Module(b"(no module)", "live")
        self.module_other = Module(b"(other)", "live")
        self.tasks, self.modules = [], []	# rows, fixed ones apart
        self.known = {}			# tid: Task
        self.ranges = {}		# base: (end, Module, init), disjoint
        self.pages = {}			# pfn: (Task, Module, chain)
        self.total = Count()
        self.module_stacks, self.task_stacks = {}, {}
        self.head = dict.fromkeys(
            ("seen", "applied", "ignored", "rejected", "allocs", "frees",
             "before_frees", "lost"), 0)
        self.missed_frees = self.untracked_pages = 0
        self.peak_ns = 0
        self.free = []			# (time, free pages)
        for e in t.events:
            if "payload" not in e:
                self.apply(e)

    # --- pages ---

    def capacity_pages(self):
        """A hash is 7/8 of a power of two of 8-byte slots."""
        ram = sum(count for _, count in self.t.ram)
        room = self.t.layout["pages_bytes"]
        if ram * 4 <= room:
            return ram
        slots = 16
        while slots * 16 <= room:
            slots *= 2
        return slots - slots // 8

    def in_ram(self, pfn):
        return any(a <= pfn < a + n for a, n in self.t.ram)

    def counts(self):
        for row in self.tasks + [self.other, self.irq]:
            yield row.count
        for row in self.modules + [self.none, self.module_other]:
            yield row.count

    def move(self, owner, pages):
        task, module, chain = owner
        counts = [self.total, task.count, module.count]
        counts.append(self.module_stacks.setdefault((module, chain), Count()))
        counts.append(self.task_stacks.setdefault(owner, Count()))
        for c in counts:
            c.now += pages
            c.peak = max(c.peak, c.now)

    def drop(self, pfn):
        owner = self.pages.pop(pfn, None)
        if owner:
            self.move(owner, -1)
        return owner

    def alloc(self, e):
        if e["pfn"] == gen.FAILED:
            return "ignored"
        if e["order"] > ORDER_MAX:
            return "rejected"
        task, loading = self.irq, None
        if not e["flags"] & gen.IRQ:
            task, loading = self.charged(e)
        chain = tuple(e["chain"])
        # A return address: the call is before it.
        named = [m for m in (self.module_at(a - 1) for a in chain) if m]
        owner = (task, (named + [loading or self.none])[0], chain)
        stored = 0
        for pfn in range(e["pfn"], e["pfn"] + (1 << e["order"])):
            if not self.in_ram(pfn):
                continue
            if self.drop(pfn):
                self.missed_frees += 1
            if len(self.pages) == self.capacity_pages():
                self.untracked_pages += 1
                continue
            self.pages[pfn] = owner
            stored += 1
        if not stored:
            return "rejected"
        self.head["allocs"] += 1
        self.move(owner, stored)
        if self.total.now > self.total.at_peak:
            for c in self.counts():
                c.at_peak = c.now
            self.total.at_peak = self.total.now
            self.peak_ns = e["time_ns"]
        return "applied"

    def free_pages(self, e):
        if e["order"] > ORDER_MAX:
            return "rejected"
        here = [pfn for pfn in range(e["pfn"], e["pfn"] + (1 << e["order"]))
                if self.in_ram(pfn)]
        held = sum(self.drop(pfn) is not None for pfn in here)
        self.head["before_frees"] += len(here) - held
        if not here:
            return "rejected"
        self.head["frees"] += 1
        return "applied" if held else "ignored"

    # --- tasks ---
    # A process that has exited is known by its number until that is used
    # again: what it still takes or gives back is its own.

    def rows_of_tasks(self):
        threads = sum(k.process is not k for k in self.known.values())
        return 2 + len(self.tasks) + threads

    def room_for_task(self):
        if self.rows_of_tasks() < self.t.layout["tasks"]:
            return True
        idle = [k for k in self.tasks if self.may_go(k)]
        if not idle:
            return False
        gone = min(idle, key=lambda k: k.count.peak)
        self.tasks.remove(gone)
        if self.known.get(gone.tid) is gone:
            del self.known[gone.tid]
        self.inherit(self.other, gone)
        return True

    def may_go(self, task):
        """It left, and what it holds, if anything, it took with a stack."""
        own = self.task_stacks.get((task, self.none, ()))
        return not (task.live or task.threads or own and own.now)

    @staticmethod
    def fold(heir, gone):
        """Two rows that are one from now on."""
        heir.now += gone.now
        heir.at_peak += gone.at_peak
        heir.peak = max(heir.peak, heir.now, heir.at_peak)

    def inherit(self, heir, gone):
        self.fold(heir.count, gone.count)
        for pfn, (task, module, chain) in self.pages.items():
            if task is gone:
                self.pages[pfn] = (heir, module, chain)
        for key in [k for k in self.task_stacks if k[0] is gone]:
            held = self.task_stacks.pop(key)
            stack = self.task_stacks.setdefault((heir, *key[1:]), Count())
            stack.now += held.now
            stack.peak = max(stack.peak, stack.now)

    def make_process(self, tgid):
        if not self.room_for_task():
            return None
        task = self.known[tgid] = Task(tgid, tgid)
        self.tasks.append(task)
        return task

    def make_task(self, tid, tgid):
        if tgid in (0, tid):
            return self.make_process(tid)
        process = self.find_number(tgid, tgid) or self.make_process(tgid)
        if not process:
            return None
        process.threads += 1
        if not self.room_for_task():
            process.threads -= 1
            return None
        task = self.known[tid] = Task(tid, tgid, process)
        return task

    def end_task(self, task):
        task.live = False
        if task.loading:
            self.end_loading(task, False)
        if task.process is not task:
            task.process.threads -= 1
            del self.known[task.tid]

    def replace_task(self, task):
        if task.live:
            self.end_task(task)
        if self.known.get(task.tid) is task:
            del self.known[task.tid]

    def find_number(self, tid, tgid):
        task = self.known.get(tid)
        if task and tgid and task.tgid != tgid:
            self.replace_task(task)
            return None
        return task

    def task_of(self, e):
        """A live one: who has exited does nothing any more."""
        task = self.find_number(e["tid"], e["tgid"])
        if task and not task.live:
            self.replace_task(task)
            task = None
        return task or self.make_task(e["tid"], e["tgid"]) or self.other

    def charged(self, e):
        """The process, and the module that this very task is loading."""
        task = self.find_number(e["tid"], e["tgid"])
        if task:
            return task.process, task.loading
        tgid = e["tgid"] or e["tid"]
        process = self.find_number(tgid, tgid) or self.make_process(tgid) or \
            self.other
        return process.process, None

    def fork(self, e):
        if e["tid"] in self.known:
            self.replace_task(self.known[e["tid"]])
        task = self.make_task(e["tid"], e["tgid"])
        if not task:
            return "rejected"
        parent = self.known.get(e["parent_tid"])
        if parent:
            task.comm = parent.process.comm
        return "applied"

    def comm(self, e):
        task = self.task_of(e)
        if task is self.other:
            return "rejected"
        task.comm = e["name"][:15]
        return "applied"

    def exit(self, e):
        task = self.known.get(e["tid"])
        if not task or not task.live:
            return "ignored"
        self.end_task(task)
        return "applied"

    # --- modules ---

    def module_at(self, addr):
        for base, (end, module, _) in self.ranges.items():
            if base <= addr < end:
                return module
        return None

    def find_module(self, name):
        for m in self.modules:
            if m.state == "live" and m.name == name:
                return m
        return None

    def new_module(self, name, state):
        if 2 + len(self.modules) == self.t.layout["modules"]:
            idle = [m for m in self.modules
                    if m.state in ("gone", "failed") and not m.count.now
                    and not any(k.loading is m for k in self.known.values())]
            if not idle:
                return self.module_other
            gone = min(idle, key=lambda m: m.count.peak)
            self.modules.remove(gone)
            self.fold(self.module_other.count, gone.count)
            self.ranges = {b: r for b, r in self.ranges.items()
                           if r[1] is not gone}
        module = Module(name, state)
        self.modules.append(module)
        return module

    def end_loading(self, task, failed):
        m = task.loading
        if m is not self.module_other and (failed or m.state == "loading"):
            m.state = "failed"
        task.loading = None

    def load_enter(self, e):
        task = self.task_of(e)
        if task is self.other:
            return "rejected"
        if task.loading:
            self.end_loading(task, False)
        task.loading = self.new_module(b"", "loading")
        return "rejected" if task.loading is self.module_other else "applied"

    def load_exit(self, e):
        task = self.known.get(e["tid"])
        if not task or not task.loading:
            return "ignored"
        self.end_loading(task, e["result"] < 0)
        return "applied"

    def module_load(self, e):
        task = self.task_of(e)
        old = self.find_module(e["name"])
        if old:
            old.state = "gone"
        m = task.loading
        if not m or m.state != "loading":
            m = self.new_module(b"", "loading")
        if m is self.module_other:
            return "rejected"
        m.name, m.state = e["name"], "live"
        return "applied"

    def module_free(self, e):
        m = self.find_module(e["name"])
        if not m:
            return "ignored"
        m.state = "gone"
        return "applied"

    def module_range(self, e):
        m = self.find_module(e["name"])
        m = m or self.new_module(e["name"], "live")
        if m is self.module_other:
            return "rejected"
        base, end = e["base"], e["base"] + e["size"]
        for b, (c, old, old_init) in sorted(self.ranges.items()):
            if c <= base or b >= end or base == end:
                continue
            if b > base and not old_init and old.state == "live":
                end = b		# sizes may be bounds: a live module stands
                continue
            del self.ranges[b]	# freed text that is used again
            if b < base:
                self.ranges[b] = (base, old, old_init)
        if base < end:
            self.ranges[base] = (end, m, e["flags"] & gen.INIT_TEXT)
        return "applied"

    # --- all ---

    def memory(self, e):
        self.free.append((e["time_ns"], e["free_pages"]))
        return "applied"

    def lost(self, e):
        self.head["lost"] = min(self.head["lost"] + e["lost"], 2**64 - 1)
        return "applied"

    def apply(self, e):
        act = {
            gen.ALLOC: self.alloc, gen.FREE: self.free_pages,
            gen.FORK: self.fork, gen.COMM: self.comm, gen.TASK: self.comm,
            gen.EXIT: self.exit, gen.LOAD_ENTER: self.load_enter,
            gen.LOAD_EXIT: self.load_exit, gen.MODULE_LOAD: self.module_load,
            gen.MODULE_FREE: self.module_free,
            gen.MODULE_RANGE: self.module_range, gen.MEMORY: self.memory,
            gen.LOST: self.lost, gen.REJECTED: lambda e: "rejected",
        }
        self.head["seen"] += 1
        self.head[act[e["type"]](e)] += 1


def figures(c):
    return c.now, c.peak, c.at_peak


def text(name):
    """As JSON carries any byte: one code point each, up to the end byte."""
    return name.split(b"\0")[0].decode("latin-1")


def module_name(m):
    if m.name:
        return text(m.name)
    return "(loading)" if m.state == "loading" else "(failed load)"


class Expected:
    """The rows of a level 3 report, as sorted lists of tuples."""

    def __init__(self, t):
        m = Model(t)
        self.head = dict(
            m.head, now_pages=m.total.now, peak_pages=m.total.peak,
            peak_ns=m.peak_ns, start_ns=t.start_ns, end_ns=t.now_ns,
            kernel=text(t.kernel), page_size=t.page_size,
            mem_total_kib=t.mem_total_kib, reason=text(t.reason),
            own_bytes=t.own_bytes, cpu_ns=t.cpu_ns)
        if m.free:
            kib = t.page_size // 1024
            lowest = min(m.free, key=lambda sample: sample[1])
            self.head.update(
                free_start_kib=m.free[0][1] * kib,
                free_now_kib=m.free[-1][1] * kib,
                free_lowest_kib=lowest[1] * kib, free_lowest_ns=lowest[0])
        self.counters = dict(missed_frees=m.missed_frees,
                             untracked_pages=m.untracked_pages)
        self.modules = sorted(
            (module_name(k), *figures(k.count))
            for k in m.modules + [m.none, m.module_other] if k.count.peak)
        self.tasks = sorted(
            (k.tid, text(k.comm), *figures(k.count))
            for k in m.tasks + [m.other, m.irq] if k.count.peak)
        self.stacks = sorted(self.stack_rows(m))

    @staticmethod
    def stack_rows(m):
        pids = {m.other: "(other)", m.irq: "(irq)"}
        for (module, chain), c in m.module_stacks.items():
            if chain:
                yield f"module:{module_name(module)}", chain, c.now, c.peak
            elif c.now:
                yield f"module:{module_name(module)}", chain, c.now, -1
        for (task, _, chain), c in m.task_stacks.items():
            pid = pids.get(task, task.tid)
            yield f"task:{pid}", chain, c.now, c.peak


def address(frame):
    return int(frame.split()[0], 16)


class Reported:
    """The same of a report."""

    def __init__(self, lines):
        self.rows = [json.loads(line) for line in lines]
        kinds = {}
        for row in self.rows:
            kinds.setdefault(row["type"], []).append(row)
        self.head = kinds["head"][0]
        self.counters = kinds["counters"][0]
        self.modules = sorted((r["name"], *(r[k] for k in COUNTS))
                              for r in kinds.get("module", []))
        self.tasks = sorted((r["pid"], r["comm"], *(r[k] for k in COUNTS))
                            for r in kinds.get("task", []))
        self.raw_stacks = kinds.get("stack", [])

    def stacks(self):
        """Frames must be addresses: of a trace without symbols."""
        return sorted((r["owner"], tuple(map(address, r["frames"])),
                       r["now_pages"],
                       -1 if r["peak_pages"] is None else r["peak_pages"])
                      for r in self.raw_stacks)

    def stacks_are_whole(self):
        """No table was full or used again, no chain cut, no frame without
        its address."""
        return not any(r.get("cut_frames") for r in self.raw_stacks) and \
            not any(frame.startswith("(") for r in self.raw_stacks
                    for frame in r["frames"]) and \
            not any(self.counters[k] for k in
                    ("stacks_full", "owners_full", "owners_recycled",
                     "modules_recycled", "tasks_recycled"))


def compare(what, got, want):
    got, want = collections.Counter(got), collections.Counter(want)
    for row in sorted(got - want):
        yield f"{what} {row} must not be"
    for row in sorted(want - got):
        yield f"{what} {row} is missing"


def differences(t, lines):
    """Every line a way in which a level 3 report is not what it must be."""
    want, got = Expected(t), Reported(lines)
    for part in ("head", "counters"):
        for key, value in getattr(want, part).items():
            have = getattr(got, part).get(key)
            if have != value:
                yield f"{part} {key}: {have}, must be {value}"
    yield from compare("module", got.modules, want.modules)
    yield from compare("task", got.tasks, want.tasks)
    if not t.symbols and got.stacks_are_whole():
        yield from compare("stack", got.stacks(), want.stacks)
    end = got.rows[-1]
    if end["type"] != "end" or end["records"] != len(got.rows) - 1:
        yield f"end: {end} after {len(got.rows) - 1} records"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2]) as report:
        wrong = list(differences(gen.load(sys.argv[1]), report))
    print("\n".join(wrong))
    sys.exit(bool(wrong))
