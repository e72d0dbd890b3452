# SPDX-License-Identifier: MIT
"""What a report on samples must say, computed from the same events.

A sample replaces the one before. At the peak is what the rows had when MemFree
was the lowest; a task's own peak comes with its samples.
"""
import gen

TRACED = {gen.ALLOC, gen.FREE, gen.LOAD_ENTER, gen.MODULE_LOAD,
          gen.AREA_ENTER, gen.BULK, gen.AREA_ALLOC}


class Row:
    def __init__(self, **named):
        self.named, self.state = named, "live"
        self.now = self.peak = self.at_peak = self.vmalloc = 0
        self.seen = True

    def set(self, pages, peak=0):
        self.now, self.seen = pages, True
        self.peak = max(self.peak, pages, peak)


def kinds_of(meminfo, used, images):
    """Pages by kind: files are without shared memory, areas without stacks and
    images of modules, and what is left is other."""
    get = lambda *names: sum(meminfo.get(name, 0) for name in names)
    areas = max(0, get("VmallocUsed") - get("KernelStack"))
    kinds = {
        "anonymous": get("AnonPages"), "tmpfs": get("Shmem"),
        "page cache": max(0, get("Cached", "Buffers", "SwapCached") -
                          get("Shmem")),
        "slab": get("Slab"), "page tables": get("PageTables", "SecPageTables"),
        "kernel stacks": get("KernelStack"),
        "huge pages": get("Hugetlb"),
        "vmalloc": max(0, areas - images),
        "module images": min(areas, images), "per-CPU": get("Percpu"),
    }
    kinds["other"] = max(0, used - sum(kinds.values()))
    return kinds


MEMINFO = {"AnonPages", "Shmem", "Cached", "Buffers", "SwapCached", "Slab",
           "PageTables", "SecPageTables", "KernelStack", "VmallocUsed",
           "Percpu", "Hugetlb"}


class Model:
    def __init__(self, t):
        self.tasks, self.modules, self.caches, self.kinds = {}, {}, {}, {}
        self.gone, self.meminfo, self.areas, self.before = [], {}, {}, None
        self.listed = {}
        self.free, self.passes, self.other_start = [], 0, 0
        self.ram, self.pcp, self.kills = [], [], []
        self.head = dict.fromkeys(
            ("seen", "applied", "ignored", "rejected"), 0)
        self.none = Row(name="(no module)")
        self.none.state = "fixed"
        for e in t.events:
            self.head["seen"] += 1
            self.head[self.apply(e)] += 1

    def rows(self):
        return [*self.tasks.values(), *self.modules.values(),
                *self.caches.values(), *self.kinds.values(), *self.gone]

    def end_pass(self, used):
        images = sum(row.now for row in self.modules.values() if row.seen)
        for name, pages in kinds_of(self.meminfo, used, images).items():
            self.kinds.setdefault(name, Row(name=name)).set(pages)
        if not self.passes:
            self.other_start = self.kinds["other"].now
        self.passes += 1
        for table, state in (self.tasks, "exited"), (self.modules, "gone"):
            for key in [k for k, row in table.items() if not row.seen]:
                row = table.pop(key)
                row.now, row.state = 0, state
                self.gone.append(row)
            for row in table.values():
                row.seen = False

    def areas_end(self):
        if self.before is None:
            self.before = set(self.listed)
        self.areas = {b: p for b, p in self.listed.items()
                      if b not in self.before}
        self.none.vmalloc = sum(self.areas.values())
        self.listed = {}

    def apply(self, e):
        kind, name = e["type"], e.get("name", b"").decode()
        if kind in TRACED:
            return "rejected"
        if kind in (gen.TASK, gen.TASK_SAMPLE):
            row = self.tasks.setdefault(e["tid"], Row())
            row.named = dict(comm=name, pid=e["tid"])
            if kind == gen.TASK_SAMPLE:
                row.set(e["rss_pages"], e["pages"])
        elif kind == gen.MODULE_SAMPLE:
            self.modules.setdefault(name, Row(name=name)).set(e["pages"])
        elif kind == gen.CACHE_SAMPLE:
            self.caches.setdefault(name, Row(name=name)).set(e["pages"])
        elif kind == gen.KIND_SAMPLE and e["flags"] & gen.PASS_END:
            self.end_pass(e["pages"])
        elif kind == gen.KIND_SAMPLE and name == "oom_kill":
            self.kills.append(e["pages"])
        elif kind == gen.KIND_SAMPLE:
            if name not in MEMINFO:
                return "ignored"
            self.meminfo[name] = e["pages"]
        elif kind == gen.AREA_SEEN:
            self.listed[e["base"]] = e["pages"]
        elif kind == gen.AREAS_SEEN:
            self.areas_end()
        elif kind == gen.RAM:
            self.ram.append((e["flags"], e["name"].decode(), e["size"] // 1024))
        elif kind == gen.MEMORY and e["flags"] & gen.PCP:
            self.pcp.append(e["free_pages"])
        elif kind == gen.MEMORY:
            if self.free and e["free_pages"] < min(self.free):
                for row in self.rows():
                    row.at_peak = row.now
            self.free.append(e["free_pages"])
        return "applied"


def wanted(m):
    """The rows of a level 3 report: type, name, counts."""
    for kind, table in (("task", m.tasks), ("module", m.modules),
                        ("kind", m.kinds), ("cache", m.caches)):
        may_go = kind in ("task", "module")
        rows = list(table.values())
        rows += [r for r in m.gone if ("comm" in r.named) == (kind == "task")
                 and may_go]
        if kind == "module":
            rows.append(m.none)
        for r in rows:
            if r.peak or r.vmalloc:
                yield (kind, tuple(sorted(r.named.items())), r.now, r.peak,
                       r.at_peak, r.vmalloc if kind == "module" else None,
                       r.state if may_go else None, 1, None,
                       r.now + r.vmalloc if may_go else None)


def reported(got):
    return [(o["type"], tuple((k, o[k]) for k in ("comm", "name", "pid")
                              if k in o), o["now_pages"], o["peak_pages"],
             o["at_peak_pages"], o.get("vmalloc_pages"), o.get("state"),
             o.get("sampled"), o.get("image_pages") or None,
             o.get("held_pages"))
            for kind in ("task", "module", "kind", "cache")
            for o in got.kinds.get(kind, [])]


def level1(t, got):
    """Five rows of a table at most, each of them right."""
    rows, want = reported(got), set(wanted(Model(t)))
    yield "row", [row for row in rows if row not in want], []
    for kind in "task", "module", "kind":
        of_kind = [[row[0] for row in table].count(kind)
                   for table in (rows, want)]
        yield f"number of {kind}s", of_kind[:1], [min(5, of_kind[1])]


def ram(t, m):
    """What free memory fell by is all that is known to be used since."""
    if not m.ram:
        return
    sums = {name: kib for _, name, kib in m.ram}
    rows = {(gen.GROUPS[group], name): kib for group, name, kib in m.ram
            if name != "present"} | {
        ("firmware", "parts of pages"): sums["installed"] - sums["present"],
        ("reserved", "not told"):
            sums["present"] - t.mem_total_kib - sums["code"],
        ("before", "rings of memstrack"): (
            t.layout["ring_bytes"] + t.cpus[0] * t.page_size) // 1024,
        ("traced", "used since (sampled)"): 4 * (
            m.free[0] - m.free[-1] + m.pcp[0] - m.pcp[-1]),
        ("free", "MemFree"): 4 * m.free[-1],
        ("free", "per-CPU lists"): 4 * m.pcp[-1],
    }
    yield from rows.items()
    yield ("unknown", "unknown"), sums["installed"] - sum(
        kib for (group, _), kib in rows.items() if group != "all")


def level3(t, got):
    """(what, rows of a report, rows that it must have)"""
    m = Model(t)
    yield "row", reported(got), wanted(m)
    m.head.update(source="sampled", allocs=None, frees=None, now_pages=None,
                  peak_pages=None, lost=0,
                  free_start_kib=m.free[0] * 4, free_now_kib=m.free[-1] * 4,
                  free_lowest_kib=min(m.free) * 4)
    if m.kills:
        m.head["oom_kills"] = m.kills[-1] - m.kills[0]
    yield "head", [(k, got.head.get(k)) for k in m.head], m.head.items()
    yield "ram", [((r["group"], r["name"]), r["size_kib"])
                  for r in got.kinds.get("ram", []) if m.ram], ram(t, m)
    yield "reconcile", [tuple(got.reconcile[k] for k in (
        "rest_pages", "traced_pages"))], [
            (m.kinds["other"].now - m.other_start, None)]
    yield "held_pages", [got.kinds["verdict"][0]["held_pages"]], [
        t.mem_total_kib // 4 - min(m.free)]
