# SPDX-License-Identifier: MIT
"""Computes the books from the same events by other means.

It has a dict for every table and takes a snapshot of everything at each new
high. No table is ever full, unless a case makes it so. It was written from the
rules of the design, not from the C code: if the two differ, one of them is
wrong. compare.py compares a report with it.
"""
import collections

import areas
import gen
import growth
import initcalls
import kinds
import moments
import need
import slab
from areas import Held

ORDER_MAX = 20
MOVERS_MAX = 64
FIGURES_MAX = 32
RAM_ROWS_MAX, RAM_KIB_MAX = 64, 1 << 52
INITRAMFS_PARTS = 3
KILLS_MAX = PHASES_MAX = TAGS_SHOWN = 16
FULL_MOUNTS = 4
FAILURES_MAX = 3


class Task:
    def __init__(self, tid, tgid, process=None):
        self.tid, self.tgid, self.comm = tid, tgid, b""
        self.process = process or self
        self.loading, self.live, self.threads = None, True, 0
        self.bulk = 0			# pages since it entered vmalloc,
        self.caller = None		# for whom: address, its module
        self.vmallocs = 0		# that it is in
        self.held = Held()		# all
        self.count, self.vmalloc = Held(self.held), Held(self.held)

    def parts(self):
        return [self.held, self.count, self.vmalloc]


class Mover:
    """A task that moves pages; one that does not is none."""

    def __init__(self):
        self.compacts = False
        self.named = None	# as the event names them
        self.old = None		# the place to be freed, and how far on

    def busy(self):
        return self.compacts or self.named or self.old


class Module:
    def __init__(self, name, state, load_ns=0):
        self.name, self.state, self.held = name, state, Held()
        self.count, self.image, self.vmalloc = (
            Held(self.held) for _ in range(3))
        self.load_ns = load_ns
        self.in_use = self.init_over = False
        self.dir = b""

    def parts(self):
        return [self.held, self.count, self.image, self.vmalloc]


class Compressed:
    """Pages that a task has taken for what it compresses, and not given to
    whose pages it freed behind: of four tasks, 64 pages each."""

    def __init__(self, model):
        self.m, self.rows, self.turn = model, [None] * 4, 0

    def of(self, e):
        if e["order"] or e["flags"] & gen.IRQ or \
                e["time_ns"] < self.m.last_ns:
            return None
        return next((pfns for row in self.rows if row
                     for tid, pfns in [row] if tid == e["tid"]), None)

    def kind(self, owner):
        if not owner:
            return None
        _, module, chain = owner[:3]
        return self.m.kinds.stack_kind(self.m.module_stacks[module, chain],
                                       chain)

    def take(self, e, owner):
        if self.kind(owner) != "compressed" or e["order"] or \
                e["flags"] & gen.IRQ or e["time_ns"] < self.m.last_ns:
            return
        pfns = self.of(e)
        if pfns is None:
            pfns = collections.deque(maxlen=64)
            self.rows[self.turn % 4] = e["tid"], pfns
            self.turn += 1
        pfns.append(e["pfn"])

    def give(self, e):
        pfns, freed = self.of(e), self.m.pages.get(e["pfn"])
        if not pfns or self.kind(freed) not in ("anonymous", "tmpfs"):
            return
        pfn = pfns.popleft()
        owner = self.m.pages.get(pfn)
        if self.kind(owner) != "compressed":
            return
        self.m.move(owner, -1)
        self.m.initcalls.give(pfn)
        self.m.pages[pfn] = to = (freed[0], *owner[1:3], None)
        self.m.move(to, 1)


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
        self.pages = {}			# pfn: (Task, Module, chain, told)
        self.total = Held()
        self.module_stacks, self.task_stacks = {}, {}
        self.ahead = {}			# of a stack: it reads files ahead
        self.head = dict.fromkeys(
            ("seen", "applied", "ignored", "rejected", "allocs", "frees",
             "before_frees", "lost"), 0)
        self.missed_frees = self.untracked_pages = self.kills = 0
        self.kept, self.failures = {}, []
        self.cma_least = None		# of all looks
        self.asked = 0			# pages of all allocations
        self.unseen, self.unseen_lost = 0, 0
        self.settled_pages = self.ranges_full = 0
        self.missing = {"alloc": {}, "free": {}}    # pfn: time it showed
        self.peak_ns = 0
        self.used_peak = self.used_peak_ns = self.last_ns = 0
        self.most = None		# the moment of it
        self.free, self.pcp = [], []	# (time, free pages), free pages
        self.kdump = False
        self.growth = growth.Growth(self)
        self.areas = areas.Areas(t.layout["modules"],
                                 t.layout["tasks"])
        self.kinds = kinds.Kinds(self)
        self.need = need.Need(self)
        self.initcalls = initcalls.Initcalls()
        self.compressed = Compressed(self)
        self.slab = slab.Slab(self, t.layout["slab_bytes"] > 0)
        self.record = []		# from before init: its marks,
        self.record_handed = 0
        self.record_used = self.record_held = self.record_freed = 0
        self.timeline = moments.Timeline()
        self.figures = {}		# name: KiB
        self.parts = {}		# (group, within, name): KiB
        self.unpack, self.cut = None, None	# events
        self.initramfs = []		# (path, bytes)
        self.phases = []		# (name, begin)
        self.tags, self.tags_end = [], None	# events
        self.looks = [[]]		# mounts that are full: events, the
                                        # last look is not at its end
        self.movers, self.strays = {}, 0
        self.struct_seen, self.struct_bytes = None, 0
        for e in t.events:
            if "payload" not in e:
                self.apply(e)

    # --- pages ---

    def in_ram(self, pfn):
        return self.growth.number(pfn) is not None

    def counts(self):
        for row in self.tasks + self.modules + [
                self.other, self.irq, self.none, self.module_other]:
            yield from row.parts()

    def move(self, owner, pages):
        task, module, chain = owner[:3]
        stack = self.module_stacks.setdefault((module, chain), Held())
        if not stack.peak:
            stack.compressed = module.name in kinds.COMPRESSORS
            stack.ahead = self.ahead.get((module, chain))
        for c in (self.total, task.count, module.count, stack,
                  self.task_stacks.setdefault(owner, Held())):
            c.add(pages)
        self.kinds.move(stack, chain, pages)

    def over(self, kind, pfn, e):
        """A late event that was missing when a younger one came: the pages
        have had their turn."""
        if e["time_ns"] >= self.missing[kind].get(pfn, 0):
            return False
        self.settled_pages += 1
        return True

    def drop(self, pfn):
        owner = self.pages.pop(pfn, None)
        if owner:
            self.move(owner, -1)
            self.initcalls.give(pfn)
        return owner

    def unmovable(self):
        """(module, pages) of all that hold some."""
        held = {k: k.image.now + k.vmalloc.now
                for k in [self.none, self.module_other, *self.modules]}
        for (k, chain), c in self.module_stacks.items():
            if self.kinds.stack_kind(c, chain) not in (
                    "anonymous", "page cache", "tmpfs", "loop/squashfs"):
                held[k] += c.now
        return [row for row in held.items() if row[1]]

    def fail(self, e):
        task, loading = self.irq, None
        if not e["flags"] & gen.IRQ:
            task, loading = self.charged(e)
        module = (self.modules_on(e["chain"]) + [loading])[0]
        who = module or task
        for f in self.failures:
            if (f["who"], f["order"]) == (who, e["order"]):
                f["count"] += 1
                return
        if len(self.failures) < FAILURES_MAX:
            self.failures.append(dict(
                who=who, module=module, task=task, order=e["order"], count=1,
                pages=2 ** e["order"], time_ns=e["time_ns"], look_ns=0,
                free_pages=0, block_pages=0, unmovable=self.unmovable(),
                kinds_known=int(self.kinds.known)))

    def blocks(self, e):
        found = [f for f in self.failures
                 if f["pages"] == e["size"] and not f["look_ns"]]
        for f in found:
            f.update(look_ns=e["time_ns"], free_pages=e["free_pages"],
                     block_pages=e["pages"])
        return "applied" if found else "ignored"

    def alloc(self, e):
        if e["pfn"] == gen.FAILED:
            if e["flags"] & gen.WARNS and 0 < e["order"] <= ORDER_MAX:
                self.fail(e)
            return "ignored"
        if e["order"] > ORDER_MAX:
            return "rejected"
        self.asked += 1 << e["order"]
        task, loading = self.irq, None
        if not e["flags"] & gen.IRQ:
            task, loading = self.charged(e)
        chain = tuple(e["chain"])
        told = self.initcalls.told(e, self.module_at)
        owner = (task, (self.modules_on(chain) + [loading or self.none])[0],
                 chain, told)
        self.ahead.setdefault(owner[1:3], e["flags"] & gen.AHEAD)
        initcall = told or self.initcalls.by_chain(e, self.module_at)
        stored = over = 0
        pfns = []
        for pfn in range(e["pfn"], e["pfn"] + (1 << e["order"])):
            if self.over("alloc", pfn, e):
                self.head["before_frees"] -= self.head["before_frees"] > 0
                self.areas.other_freed = min(self.areas.other_freed,
                                             self.head["before_frees"])
                over += 1
                continue
            if not self.in_ram(pfn):
                continue
            if self.drop(pfn):
                self.missed_frees += 1
                self.missing["free"][pfn] = e["time_ns"]
            if len(self.pages) == self.growth.capacity or \
                    not self.growth.has_place(pfn):
                self.untracked_pages += 1
                continue
            self.pages[pfn] = owner
            pfns.append(pfn)
            stored += 1
        if not stored + over:
            return "rejected"
        self.head["allocs"] += 1
        if not stored:
            return "ignored"
        peak = self.total.peak
        self.move(owner, stored)
        self.initcalls.take(initcall, pfns)
        self.compressed.take(e, owner)
        if self.total.peak > peak:
            self.peak_ns = e["time_ns"]
        return "applied"

    def free_unseen(self, pages):
        """Of areas and contiguous memory as far as they owe them, then of
        other bulk allocations, which took so many at most."""
        a = self.areas
        due = max(0, a.taken - a.total.now + a.cma - a.freed)
        self.head["before_frees"] += pages
        a.freed += min(pages, due)
        a.other_freed += min(pages - min(pages, due), a.other_held())

    def before(self):
        return self.head["before_frees"] - self.areas.other_freed

    def free_pages(self, e):
        if e["order"] > ORDER_MAX:
            return "rejected"
        if e["flags"] & gen.FOUND:
            return self.found_free(e)
        m = None if e["flags"] & gen.IRQ else self.movers.get(e["tid"])
        compacts = m and m.compacts
        if m:
            old = self.freed_old_place(e, m)
            self.settle(e["tid"])
            if old:
                self.head["frees"] += 1
                return "applied"
        self.compressed.give(e)
        held = here = over = 0
        for pfn in range(e["pfn"], e["pfn"] + (1 << e["order"])):
            if self.over("free", pfn, e):
                self.missed_frees -= self.missed_frees > 0
                over += 1
            elif self.in_ram(pfn):
                here += 1
                if self.drop(pfn):
                    held += 1
                else:
                    self.missing["alloc"][pfn] = e["time_ns"]
        if len(self.record) == 1 and e["order"] >= 9:
            self.record_handed += here - held
        elif not compacts:
            self.free_unseen(self.growth.not_new(here - held, e["order"]))
        if not here + over:
            return "rejected"
        self.head["frees"] += 1
        return "applied" if held else "ignored"

    # Who moves pages: {tid: Mover}. Page structs have one size and lie in the
    # order of the pages: two that were seen to be freed tell both.

    def mover(self, e):
        if e["tid"] not in self.movers and len(self.movers) == MOVERS_MAX:
            return None
        return self.movers.setdefault(e["tid"], Mover())

    def settle(self, tid):
        if not self.movers[tid].busy():
            del self.movers[tid]

    def compaction(self, e):
        m = self.mover(e)
        if not m:
            return "rejected"
        m.compacts = e["type"] == gen.COMPACTS
        self.settle(e["tid"])
        return "applied"

    def page_moves(self, e):
        if e["time_ns"] < self.last_ns:
            return "ignored"
        m = self.mover(e) if e["result"] else None
        if not m:
            return "rejected"
        m.named, m.old = None, None
        places = self.places(e["base"], e["result"])
        if places:
            m.old = places
            self.go_on(*places, 1)
        elif not self.struct_bytes:
            m.named = e["base"], e["result"]
        self.settle(e["tid"])
        return "applied"

    def places(self, base, behind):
        if not self.struct_bytes:
            return None
        at, pfn = self.struct_seen
        pages, rest = divmod(base - at, self.struct_bytes)
        on, rest_of_on = divmod(behind, self.struct_bytes)
        if not rest and not rest_of_on:
            return (pfn + pages) % 2**64, on
        self.strays += 1
        if self.strays == 16:
            self.struct_seen, self.struct_bytes, self.strays = None, 0, 0
        return None

    def learn(self, base, pfn):
        last, self.struct_seen = self.struct_seen, (base, pfn)
        if last and pfn != last[1]:
            bytes, rest = divmod(base - last[0], pfn - last[1])
            if not rest and bytes in range(32, 129, 4):
                self.struct_bytes = bytes

    def go_on(self, first, on, pages):
        for pfn in range(first, first + pages):
            to = (pfn + on) % 2**64
            owner = self.pages.pop(pfn, None)
            row = self.initcalls.of_page.pop(pfn, None)
            self.drop(to)
            here = self.in_ram(to)
            if owner and here and self.growth.has_place(to):
                self.pages[to] = owner
                if row:
                    self.initcalls.of_page[to] = row
            elif owner:
                self.untracked_pages += here
                self.move(owner, -1)
                if row:
                    row.add(-1)

    def freed_old_place(self, e, m):
        """All of it that the move did not tell: a block has further pages."""
        more = 1
        if m.named and not self.struct_bytes:
            base, behind = m.named
            m.named = None
            self.learn(base, e["pfn"])
            places = self.places(base, behind)
            if not places:
                return False
            m.old, more = places, 0
        if not m.old or m.old[0] != e["pfn"]:
            return False
        self.go_on(e["pfn"] + more, m.old[1], (1 << e["order"]) - more)
        m.old, self.strays = None, 0
        return True

    def found_free(self, e):
        """The page is free; the event that freed it may yet come, late."""
        found = 0
        for pfn in range(e["pfn"], e["pfn"] + (1 << e["order"])):
            if self.drop(pfn):
                found += 1
                self.missing["free"][pfn] = e["time_ns"]
        self.missed_frees += found
        return "applied" if found else "ignored"

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
        gone = min(idle, key=lambda k: k.held.peak)
        self.tasks.remove(gone)
        if self.known.get(gone.tid) is gone:
            del self.known[gone.tid]
        self.inherit(self.other, gone)
        return True

    def may_go(self, task):
        """It left, and what it holds, if anything, it took with a stack."""
        own = self.task_stacks.get((task, self.none, (), None))
        return not (task.live or task.threads or own and own.now)

    def inherit(self, heir, gone):
        for to, part in zip(heir.parts(), gone.parts()):
            to.fold(part)
        self.areas.task_goes(gone, heir)
        for pfn, (task, *stack) in self.pages.items():
            if task is gone:
                self.pages[pfn] = (heir, *stack)
        for key in [k for k in self.task_stacks if k[0] is gone]:
            held = self.task_stacks.pop(key)
            self.task_stacks.setdefault((heir, *key[1:]),
                                        Held()).add(held.now)

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
        parent = self.known.get(e["parent_tid"])
        tgid = e["tgid"]
        if e["flags"] & gen.THREAD:
            tgid = e["parent_tgid"] or (
                parent.tgid if parent else e["parent_tid"])
        task = self.make_task(e["tid"], tgid)
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
        if e["type"] == gen.TASK:
            task.parent = e["parent_tgid"]
        return "applied"

    def exit(self, e):
        task = self.known.get(e["tid"])
        if not task or not task.live:
            return "ignored"
        self.end_task(task)
        return "applied"

    # --- modules ---

    def module_at(self, addr):
        return self.range_at(addr)[0]

    def range_at(self, addr):
        for base, (end, module, init) in self.ranges.items():
            if base <= addr < end:
                return module, init
        return None, None

    def runs_at(self, addr):
        """Code of a module that is gone, or whose init is over, runs no
        more."""
        m, init = self.range_at(addr)
        over = m and (m.state in ("gone", "failed") or init and m.init_over)
        return None if over else m

    def modules_on(self, chain):
        """By return addresses: the call is before it. Helpers of GPU drivers
        come last."""
        return sorted((m for m in (self.runs_at(a - 1) for a in chain) if m),
                      key=lambda m: m.name[:3] in (b"drm", b"ttm"))

    def find_module(self, name):
        for m in self.modules:
            if m.state == "live" and m.name == name:
                return m
        return None

    def module_in_use(self, e):
        module = self.find_module(e["name"])
        if module:
            module.in_use = True
        return "applied" if module else "ignored"

    def module_dir(self, e):
        name, _, directory = e["name"].partition(b" ")
        rows = [m for m in self.modules
                if m.name == name and directory and not m.dir]
        for m in rows:
            m.dir = directory
        return "applied" if rows else "ignored"

    def new_module(self, name, state, time_ns):
        if 2 + len(self.modules) == self.t.layout["modules"]:
            idle = [m for m in self.modules
                    if m.state in ("gone", "failed") and not m.held.now
                    and not any(k.loading is m for k in self.known.values())]
            if not idle:
                return self.module_other
            gone = min(idle, key=lambda m: m.held.peak)
            self.modules.remove(gone)
            for to, part in zip(self.module_other.parts(), gone.parts()):
                to.fold(part)
            self.ranges = {b: r for b, r in self.ranges.items()
                           if r[1] is not gone}
            self.areas.module_goes(gone, self.module_other)
            self.initcalls.module_goes(gone, self.module_other)
        module = Module(name, state, time_ns)
        self.modules.append(module)
        return module

    def end_loading(self, task, failed):
        m = task.loading
        if m is not self.module_other and (failed or m.state == "loading"):
            m.state = "failed"
        if m is not self.module_other:
            m.init_over = True
        task.loading = None

    def load_enter(self, e):
        task = self.task_of(e)
        if task is self.other:
            return "rejected"
        if task.loading:
            self.end_loading(task, False)
        task.loading = self.new_module(b"", "loading", e["time_ns"])
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
            m = self.new_module(b"", "loading", e["time_ns"])
        if m is self.module_other:
            return "rejected"
        if e["flags"] & gen.OPENS and task is not self.other:
            if task.loading and task.loading is not m:	# its end was lost
                self.end_loading(task, False)
            task.loading = m
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
        m = m or self.new_module(e["name"], "live", 0)
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
        if base < end and len(self.ranges) == 2 * self.t.layout["modules"]:
            self.ranges_full += 1
        elif base < end:
            self.ranges[base] = (end, m, e["flags"] & gen.INIT_TEXT)
        return "applied"

    # --- vmalloc ---

    def area_enter(self, e):
        task = self.task_of(e)
        if task is self.other:
            return "rejected"
        task.bulk = 0
        task.caller = None
        task.vmallocs = 2 if task.vmallocs else 1
        if e["chain"]:
            addr = e["chain"][0]
            task.caller = addr, self.runs_at(addr - 1)
        return "applied"

    def bulk(self, e):
        alone = e["flags"] & (gen.IRQ | gen.CMA)
        self.areas.bulk(None if alone else self.task_of(e), e)
        return "applied"

    def area_alloc(self, e):
        task = self.other if e["flags"] & gen.IRQ else self.task_of(e)
        if task is self.other:
            return "rejected"
        named = [m for m in (self.runs_at(a - 1) for a in e["chain"]) if m]
        done = self.areas.alloc(task, e, named[0] if named else None,
                                task.loading, self.none)
        if done == "applied" and self.used() == self.used_peak:
            # In use since it came in bulk, whose it is from now on.
            self.used_peak_ns = max(self.last_ns, e["time_ns"])
            self.keep()
        return done

    def area_seen(self, e):
        return self.areas.see(e, self.find_module, self.module_at, self.none)

    def areas_seen(self, e):
        self.areas.seen_all(e)
        return "applied"

    # --- all ---

    def before_init(self, e):
        """What is held at its end was held when free memory was sampled
        first: the balance and the peak begin there."""
        if len(self.record) == 2 or self.free:
            return "rejected"
        self.record.append(e)
        if len(self.record) == 2:
            self.initcalls.runs = []
            self.record_held = self.total.now
            self.record_freed = self.head["before_frees"]
            self.record_used = self.used()
            self.used_peak -= self.record_used
        return "applied"

    def memory(self, e):
        if e["flags"] & gen.PCP:
            self.pcp.append(e["free_pages"])
            return "applied"
        if not self.free:
            self.kdump = bool(e["flags"] & gen.KDUMP)
            now = max(self.last_ns, e["time_ns"])
            if not self.total.peak:
                self.peak_ns = now
            if not self.used_peak:
                self.used_peak_ns = now
        self.free.append((e["time_ns"], e["free_pages"]))
        self.growth.sampled()
        self.timeline.sample(self, e["time_ns"], e["free_pages"])
        return "applied"

    def figure(self, e):
        name = e["name"][:23]
        if name not in self.figures and len(self.figures) == FIGURES_MAX:
            return "rejected"
        if name not in self.figures and e["name"] == b"unused huge pages" \
                and (not e["size"] or self.need.known):
            return "ignored"
        kib = e["size"] // 1024
        most = max if name in (b"rootfs files", b"tmpfs limit") else min
        self.figures[name] = most(kib, self.figures.get(name, kib))
        return "applied"

    def source(self, e):
        self.head["source"] = e["name"][:11].decode()
        return "applied"

    def part(self, e):
        flags = e["flags"]
        group, within = flags & 255, bool(flags & gen.WITHIN)
        key = group, within, e["name"][:37]
        if group > 4 and group != 8 and not (group == 6 and within):
            return "rejected"
        if key not in self.parts and len(self.parts) == RAM_ROWS_MAX:
            return "rejected"
        self.parts[key] = min(self.parts.get(key, 0) + e["size"] // 1024,
                              RAM_KIB_MAX)
        return "applied"

    def unpacked(self, e):
        if e["flags"] & gen.CUT:
            self.cut = e
        else:
            self.unpack = e
        return "applied"

    def initramfs_row(self, e):
        if len(self.initramfs) == INITRAMFS_PARTS:
            return "rejected"
        self.initramfs.append((e["name"][:55], e["size"]))
        return "applied"

    def phase(self, e):
        if self.phases and self.phases[-1][0] == e["name"] or \
                len(self.phases) == PHASES_MAX:
            return "ignored"
        self.phases.append((e["name"], e["time_ns"]))
        return "applied"

    def tag(self, e):
        if not e["name"]:
            self.tags_end = e
        elif len(self.tags) == TAGS_SHOWN:
            return "rejected"
        else:
            self.tags.append(e)
        return "applied"

    def full(self, e):
        if not e["name"]:
            self.looks.append([])
        else:
            self.looks[-1].append(e)
        return "applied"

    def full_rows(self):
        """(path, is full, pages, KiB, inodes, since, besides), in order."""
        rows, more = {}, 0
        for n, look in enumerate(self.looks[:-1]):
            more = 0
            for e in look:
                if e["name"] not in rows and len(rows) == FULL_MOUNTS:
                    more += 1
                    continue
                was = rows.get(e["name"])
                since = was[2] if was and was[1] == n - 1 else e["time_ns"]
                rows[e["name"]] = e, n, since
        last = len(self.looks) - 2
        return [(k, int(n == last), e["pages"], e["size"] // 1024,
                 e["objects"] or None, since, more)
                for k, (e, n, since) in rows.items()]

    def kill(self, _):
        self.kills += 1
        return "applied" if self.kills <= KILLS_MAX else "rejected"

    def keep_told(self, e):
        self.kept[e["name"]] = e["pages"]
        if e["name"] == b"cma":
            self.cma_least = min(e["pages"], self.cma_least or e["pages"])
        return "applied"

    def handed(self, e):
        """Lost records are about no more pages than were not seen."""
        seen = self.asked + self.areas.taken + self.areas.others
        self.unseen = max(e["pages"] - seen, 0)
        self.unseen_lost = self.head["lost"]
        return "applied"

    def lost(self, e):
        self.head["lost"] = min(self.head["lost"] + e["lost"], 2**64 - 1)
        self.movers.clear()
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
            gen.AREA_ENTER: self.area_enter, gen.BULK: self.bulk,
            gen.AREA_ALLOC: self.area_alloc,
            gen.AREA_FREE: lambda e: self.areas.drop(e["base"]),
            gen.AREA_SEEN: self.area_seen, gen.AREAS_SEEN: self.areas_seen,
            gen.SOURCE: self.source, gen.FIGURE: self.figure,
            gen.FUNCTION: self.kinds.function,
            gen.FUNCTIONS_END: self.kinds.end,
            gen.BEFORE_INIT: self.before_init,
            gen.INITCALL_START: self.initcalls.start,
            gen.INITCALL_FINISH:
                lambda e: self.initcalls.finish(e, self.module_at),
            gen.INITCALL_CALLER: self.initcalls.function,
            gen.OBJECT_ALLOC: self.slab.alloc, gen.OBJECT_FREE: self.slab.free,
            gen.CACHE_SEEN: self.slab.cache_seen,
            gen.RAM: self.part, gen.KILL: self.kill, gen.KEPT: self.keep_told,
            gen.HANDED: self.handed,
            gen.WHOLE: self.slab.whole, gen.FULL: self.full,
            gen.IN_USE: self.module_in_use,
            gen.MODULE_DIR: self.module_dir,
            gen.RANGE: self.growth.comes, gen.GROWN: self.growth.told,
            gen.COMPACTS: self.compaction, gen.COMPACTED: self.compaction,
            gen.MOVE: self.page_moves, gen.BLOCKS: self.blocks,
            gen.AVAILABLE: self.need.available,
            gen.UNPACK: self.unpacked, gen.INITRAMFS: self.initramfs_row,
            gen.PHASE: self.phase, gen.TAG: self.tag,
        }
        self.head["seen"] += 1
        self.head[act[e["type"]](e)] += 1
        if e["type"] != gen.WHOLE:
            self.last_ns = max(self.last_ns, e["time_ns"])
        self.kinds.after_event()
        if self.need.known:
            self.need.instant(self.last_ns)
        self.note_peak()

    def used(self):
        """More than when tracing began: all that is seen to be taken, less
        all that is seen to be given back."""
        return self.total.now + self.areas.taken + self.areas.cma - \
            self.before() - self.record_used

    def note_peak(self):
        """Rows keep what they held when the most was used."""
        if self.used() <= self.used_peak:
            return
        self.used_peak, self.used_peak_ns = self.used(), self.last_ns
        self.growth.at_peak = self.growth.pages
        self.keep()

    def keep(self):
        for c in [*self.counts(), *self.module_stacks.values(),
                  *self.areas.callers,
                  *(c.images for c in self.areas.callers)]:
            c.keep()
        self.kinds.after_event()
        self.kinds.keep()
        self.initcalls.keep()
        self.slab.keep()
        self.most = moments.Moment(self, self.used_peak_ns, 0)
