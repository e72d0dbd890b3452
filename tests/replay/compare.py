# SPDX-License-Identifier: MIT
"""Compares a JSON report with the model of the same trace."""
import collections

import areas
import groups
import model
import moments
import ram
import samples
import saves
import slab
from gen import text
from harness import by_type, rows

COUNTS = ("now_pages", "peak_pages", "at_peak_pages")
HELD = tuple("held_" + count.replace("now_", "") for count in COUNTS)
# What a report says of a row of each kind, in the sequence of Expected's.
COLUMNS = {
    "module": ("name", "state", *COUNTS, "image_pages", "vmalloc_pages",
               "image_peak_pages", "vmalloc_peak_pages", "leak_pages", *HELD),
    "task": ("pid", "comm", *COUNTS, "vmalloc_pages", "vmalloc_peak_pages",
             *HELD),
    "areas": ("caller", "module", "now_pages", "peak_pages"),
    "kind": ("name", *COUNTS, "peak_at_most_pages"),
    "initcall": ("function", "module", *COUNTS, "peak_at_most_pages", "runs",
                 "run_ns"),
    "baseline": ("name", "size_kib"), "limit": ("name", "limit_kib"),
    "initramfs": ("path", "size_kib"), "phase": ("name", "time_ns"),
    "before_tag": ("name", "place", "live_bytes", "calls", "at_least"),
    "before_tags": ("tags", "wrong_lines", "is_part"),
    "huge_pages": ("used_pages", "unused_pages", "other_sizes_pages"),
}


def module_name(m):
    if m.name:
        return text(m.name)
    return "(loading)" if m.state == "loading" else "(failed load)"


def all_of(held):
    return held.now, held.peak, held.at_peak


class Expected:
    """The rows of a level 3 report, as lists of tuples: the tables' in
    order, the stacks sorted."""

    def __init__(self, t):
        self.model = m = model.Model(t)
        self.head = self.head_of(m, t)
        self.counters = dict(missed_free_pages=m.missed_frees,
                             settled_pages=m.settled_pages,
                             ranges_full=m.ranges_full,
                             untracked_pages=m.untracked_pages)
        fixed = {m.none, m.module_other}
        self.modules, self.leaks, self.lasting = [], [], set()
        for name, k in self.ranked(m):
            row = (name, "fixed" if k in fixed else k.state, k.count.now,
                   k.count.peak, k.count.at_peak, k.image.now, k.vmalloc.now,
                   k.image.peak, k.vmalloc.peak, m.kinds.leak(k),
                   *all_of(k.held))
            self.modules.append(row)
            if row[9]:
                self.leaks.append(row)
            if any(o["of"] is k for o in m.slab.live.values()):
                self.lasting.add(id(row))
        self.tasks = [
            (k.tid, text(k.comm), k.count.now, k.count.peak, k.count.at_peak,
             *((k.vmalloc.now, k.vmalloc.peak) if m.areas.charged else
               (None, None)), *all_of(k.held))
            for k in sorted([m.other, m.irq] + m.tasks, key=lambda k: (
                -k.held.at_peak, -k.held.peak, text(k.comm), k.tid))
            if k.held.peak]
        self.callers = [
            (f"{c.addr:#x}" if c.addr else text(c.name),
             module_name(c.module) if c.module else "",
             c.now, c.peak) for c in sorted(m.areas.callers, key=lambda c: (
                 -c.peak, text(c.name))) if c.peak]
        self.stacks = sorted(self.stack_rows(m))

    @staticmethod
    def head_of(m, t):
        head = dict(
            {k: v for k, v in m.head.items() if k != "before_frees"},
            before_freed_pages=m.head["before_frees"], now_pages=m.total.now,
            peak_pages=m.total.peak, peak_ns=m.peak_ns, start_ns=t.start_ns, end_ns=t.now_ns,
            kernel=text(t.kernel), page_bytes=t.page_size,
            mem_total_kib=t.mem_total_kib + t.grown_kib(), reason=text(t.reason),
            ram_kib=areas.start_kib(m) -
            m.growth.offline_kib() + m.growth.pages * t.page_size // 1024,
            own_bytes=t.own_bytes, cpu_ns=t.cpu_ns)
        if m.free:
            kib = t.page_size // 1024
            lowest = min(m.free, key=lambda sample: sample[1])
            head.update(
                free_start_kib=m.free[0][1] * kib,
                free_now_kib=m.free[-1][1] * kib,
                free_lowest_kib=lowest[1] * kib, free_lowest_ns=lowest[0])
        return head

    @staticmethod
    def ranked(m):
        """Modules by all that they held at the peak, by their own peak, and by
        name."""
        rows = [(module_name(k), k)
                for k in [m.none, m.module_other] + m.modules if k.held.peak]
        return sorted(rows, key=lambda row: (
            -row[1].held.at_peak, -row[1].held.peak, row[0]))

    @staticmethod
    def stack_rows(m):
        pids = {m.other: "(other)", m.irq: "(irq)"}
        for (module, chain), c in m.module_stacks.items():
            if chain:
                yield f"module:{module_name(module)}", chain, c.now, c.peak
            elif c.now:
                yield f"module:{module_name(module)}", chain, c.now, -1
        for (task, _, chain, _), c in m.task_stacks.items():
            pid = pids.get(task, task.tid)
            yield f"task:{pid}", chain, c.now, c.peak


def as_shown(rows, want):
    """Rows of modules: where no page of vmalloc was without an event, nothing
    is known of images and vmalloc."""
    if want.model.areas.total.peak:
        return rows
    return [row[:5] + (None,) * 4 + row[9:] for row in rows]


def address(frame):
    return int(frame.split()[0], 16)


class Reported:
    """The same of a report."""

    def __init__(self, lines):
        self.lines = list(lines)
        self.rows = rows("\n".join(self.lines))
        self.kinds = by_type(self.rows)
        self.head, self.counters, self.reconcile = (
            self.kinds[kind][0] for kind in ("head", "counters", "reconcile"))

    def table(self, kind):
        return [tuple(r.get(k) if kind in ("task", "module") else r[k]
                      for k in COLUMNS[kind])
                for r in self.kinds.get(kind, []) if COLUMNS[kind][0] in r]

    def folded(self, kind):
        return [r for r in self.kinds.get(kind, []) if "rows" in r]

    def stacks(self):
        """Frames must be addresses: of a trace without symbols."""
        return sorted((r["owner"], tuple(map(address, r["frames"])),
                       r["now_pages"],
                       -1 if r["peak_pages"] is None else r["peak_pages"])
                      for r in self.kinds.get("stack", []))

    def stacks_are_whole(self):
        """No table was full or used again, no frame without its address."""
        return not any(frame.startswith("(")
                       for r in self.kinds.get("stack", [])
                       for frame in r["frames"]) and \
            not any(self.counters[k] for k in
                    ("stacks_full", "owners_full", "owners_recycled",
                     "modules_recycled", "tasks_recycled"))


def compare(what, got, want):
    got, want = collections.Counter(got), collections.Counter(want)
    for row in sorted(got - want, key=str):
        yield f"{what} {row} must not be"
    for row in sorted(want - got, key=str):
        yield f"{what} {row} is missing"


def compare_one(what, got, want):
    for key, value in want.items():
        if got.get(key) != value:
            yield f"{what} {key}: {got.get(key)}, must be {value}"


def compare_row(what, rows, want):
    """One row; or none, where nothing is wanted."""
    if len(rows) != (want is not None):
        yield f"{len(rows)} rows of {what}"
    for row in rows:
        yield from compare_one(what, row, want or {})


def tag_name(name):
    """Of "function [module] file:line", what stands before the last blank."""
    before, blank, place = text(name).rpartition(" ")
    return (before, place) if blank and place[:1] != "[" else (text(name), "")


def wrong_figures(want, got):
    yield from compare_one("head", got.head, want.head)
    yield from compare_one("counters", got.counters, want.counters)
    yield from compare_one("reconcile", got.reconcile,
                           areas.balance(want.model))
    yield from compare_row("growth", got.kinds.get("growth", []),
                           want.model.growth.row())
    if want.model.record:
        first, last = want.model.record
        have = got.kinds["before_init"][0]
        yield from compare_one("before_init", have, dict(
            start_ns=first["time_ns"], end_ns=last["time_ns"],
            events=last["pages"], lost=last["lost"],
            held_pages=want.model.record_held,
            freed_pages=want.model.record_freed,
            handed_pages=want.model.record_handed,
            free_kib=want.model.free[0][1] * want.model.t.page_size // 1024,
            lists_pages=want.model.pcp[0] if want.model.pcp else 0))
    limits = b"rootfs files", b"rootfs inodes", b"rootfs limit", b"tmpfs limit"
    for table, are_limits in ("baseline", False), ("limit", True):
        yield from compare(table, got.table(table), [
            (text(k), v) for k, v in want.model.figures.items()
            if (k in limits) == are_limits])
    yield from wrong_failures(want.model, got.kinds.get("failed_alloc", []))
    yield from compare("huge pages", got.table("huge_pages"), [
        tuple(want.model.kept[b"huge-" + k]
              for k in (b"used", b"unused", b"others"))
        for _ in range(any(want.model.kept.get(b"huge-" + k)
                           for k in (b"used", b"unused", b"others")))])
    yield from compare("phase", got.table("phase"), [
        (text(name), time_ns) for name, time_ns in want.model.phases])
    yield from compare("tag", got.table("before_tag"), [
        (*tag_name(e["name"][:55]), e["size"], e["objects"], e["flags"] & 1)
        for e in want.model.tags])
    yield from compare("tags", got.table("before_tags"), [
        (e["objects"], e["lost"], e["flags"] & 1)
        for e in [want.model.tags_end] if e])
    yield from compare("initramfs", got.table("initramfs"), [
        (text(name), size // 1024) for name, size in want.model.initramfs])
    yield from compare("ram", *ram.rows(want.model, got.kinds.get("ram", [])))
    yield from compare_row("unpack", got.kinds.get("unpack", []),
                           saves.unpack(want.model))
    yield from compare("full", [
        (r["mount"], r["is_full"], r["held_pages"], r["limit_kib"], r["inodes"],
         r["since_ns"], r["besides"]) for r in got.kinds.get("full", [])],
        [(text(r[0]), *r[1:]) for r in want.model.full_rows()])
    yield from wrong_saves(want, got)
    have = got.kinds.get("advice", [])
    yield from compare_row("advice", have, areas.advice(want.model))
    for row in have:
        if ("reason" in row) != (row["advice_kib"] is None):
            yield f"advice has a reason or is given: {row}"


def wrong_failures(m, rows):
    """Of those that hold as much, any may be named."""
    yield from compare("failed_alloc", [
        str(sorted((k, v) for k, v in r.items()
                   if k not in ("type", "unmovable"))) for r in rows], [
            str(sorted(dict(
                {k: v for k, v in f.items()
                 if k not in ("who", "pages", "free_pages", "unmovable")},
                module=module_name(f["module"]) if f["module"] else "",
                task=text(f["task"].comm), asked_pages=f["pages"],
                free_kib=f["free_pages"] * m.t.page_size // 1024).items()))
            for f in m.failures])
    for r, f in zip(rows, m.failures):
        why = moments.wrong_largest(r["unmovable"], f["unmovable"],
                                    module_name)
        if why:
            yield f"failed_alloc: {why}"


def wrong_saves(want, got):
    """Where stacks found no room, what a module held is not all known."""
    rows = [(r["saves_kib"], r["of_kib"],
             r.get("module", r.get("group", r["what"])))
            for r in got.kinds.get("save", [])]
    if any(got.counters[c] for c in ("stacks_full", "owners_full",
                                     "modules_full", "modules_recycled",
                                     "owners_recycled", "areas_full")):
        return
    yield from compare("save", rows,
                       saves.saves(want.model, areas.advice(want.model)))


def wrong_moments(m, got):
    """A row that is another's by now has no name any more."""
    modules, tasks = set(m.modules), set(m.tasks)
    yield from moments.differences(m, got.kinds, got.lines, dict(
        **{"kinds": lambda k: k} if m.kinds.known else {},
        modules=lambda k: module_name(k) if k in modules else "(gone)",
        tasks=lambda k: text(k.comm) if k in tasks else "(gone)"))


def wrong_culprit(row, kind, held, names, taken, little):
    """Who held a quarter of what was taken; if several did, any of them."""
    most = max((pages for _, pages in held), default=0)
    if little or most * 4 < taken:
        if row[kind] is not None:
            yield f"verdict: {kind} {row[kind]} does not stand out"
    elif row[kind] not in [names(k) for k, pages in held if pages == most] \
            or row[kind + "_pages"] != most:
        yield f"verdict: {kind} {row[kind]}, must have {most} pages"


def wrong_group(m, row, table):
    group = groups.standing_out(m, table)
    want = None
    if group:
        name, rows = group
        images = sum(k.image.at_peak for k, _ in rows) \
            if table == "module" else 0
        areas = sum(k.vmalloc.at_peak for k, _ in rows)
        want = dict(name=name, rows=len(rows), image_pages=images,
                    held_pages=sum(pages for _, pages in rows),
                    vmalloc_pages=areas)
        if table == "module" and groups.most_from(group):
            want["from"] = groups.most_from(group)
    if row.get(table + "_group") != want:
        yield f"verdict: {row.get(table + '_group')}, must be {want}"
    if table == "module":
        yield from wrong_kinds(m, row, [k for k, _ in group[1]]
                               if group else None)


def wrong_kinds(m, row, modules):
    """Kinds of what a group of modules, or one, held at the peak."""
    if row["kinds_of"] != ("module_group" if modules else "module"
                           if row["module"] else "all"):
        yield f"verdict: kinds of {row['kinds_of']}"
    if not modules or not m.kinds.known:
        return
    kinds = collections.Counter()
    for (module, chain), c in m.module_stacks.items():
        if module in modules:
            kinds[m.kinds.stack_kind(c, chain)] += c.at_peak
    kinds["vmalloc"] += sum(k.vmalloc.at_peak for k in modules)
    kinds["module images"] += sum(k.image.at_peak for k in modules)
    yield from compare("verdict: kind", [k["held_pages"] for k in row["kinds"]],
                       [n for _, n in kinds.most_common(3) if n])


def wrong_verdict(want, got):
    """What held most when the most was used."""
    m, row = want.model, got.kinds["verdict"][0]
    if not m.free:
        return
    most = moments.at_the_peak(m)
    taken = most.figures["traced_pages"] + most.figures["areas_pages"]
    little = not taken or taken * (m.t.page_size // 1024) * 50 < \
        m.t.mem_total_kib + m.growth.at_peak * (m.t.page_size // 1024)
    complete = not (want.head["lost"] or m.untracked_pages or
                    m.missed_frees or got.counters["bad_records"] or
                    got.counters["outside_ram"] or
                    got.counters["areas_full"])
    yield from compare_one("verdict", row, dict(
        held_pages=taken, complete=int(complete),
        state=want.head["reason"][:20]))
    for kind, held, name in [("module", most.modules, module_name),
                             ("task", most.tasks, lambda k: text(k.comm))]:
        held = [row for row in held if not groups.serves(m, row[0])]
        yield from wrong_culprit(row, kind, held, name, taken, little)
    if not got.counters["modules_recycled"]:
        for table in "module", "task":
            yield from wrong_group(m, row, table)
    if row["kinds_of"] == "all" and not got.counters["modules_recycled"]:
        kinds = sorted((r[3] for r in m.kinds.expected()), reverse=True)
        yield from compare("verdict: kind of",
                           [k["held_pages"] for k in row["kinds"]],
                           [pages for pages in kinds[:3] if pages])


def callers(t, rows):
    """With symbols an address goes by a name, or (init): not compared."""
    return [row[1:] for row in rows] if t.symbols else rows


def wrong_full_slab(objects, balance, kinds):
    """Sites and caches that have no row share one; an object without one is
    counted. What is freed later may be such a one."""
    sites, caches = kinds["slab"], kinds["slab_cache"]
    untracked = balance["untracked"]
    yield from compare_one("full tables", dict(
        of_sites=sum(r["allocs"] for r in sites),
        of_caches=sum(r["allocs"] for r in caches),
        other_sites=sum(r["allocs"] for r in sites if r["site"] == "(other)"),
        live=sum(r["live_objects"] for r in caches) + untracked,
        bulk_is_known=balance["bulk_objects"] is not None,
        before_frees=balance["before_frees"]), dict(
            of_sites=objects.total.allocs, of_caches=objects.total.allocs,
            other_sites=balance["sites_full"],
            live=objects.total.live_objects, bulk_is_known=not untracked,
            before_frees=objects.before_frees))
    want = objects.balance()
    yield from compare_one("slab_balance", balance, {
        k: want[k] for k in ("caches_full", "grown_objects", "grown_pages")})


def wrong_slab(objects, got):
    have = got.kinds.get("slab_balance", [])
    if have and any(have[0][k] for k in ("untracked", "sites_full",
                                         "caches_full", "faults_full")):
        yield from wrong_full_slab(objects, have[0], got.kinds)
        return
    yield from compare_row("slab_balance", have,
                           objects.balance() if objects.on else None)
    if have:
        for what in slab.differences(objects, got.kinds, module_name):
            yield from compare(*what)


def wrong_order(got):
    """By what is shown: all that a row held at the peak, then its own peak."""
    for kind, keys in ("module", HELD), ("task", HELD), ("kind", COUNTS):
        have = [(-r[keys[2]], -r[keys[1]]) for r in got.kinds.get(kind, [])
                if r.get(keys[1]) is not None]
        if have != sorted(have):
            yield f"{kind}: rows are not in order: {have}"


def wrong_end(got):
    end = got.rows[-1]
    if end["type"] != "end" or end["records"] != len(got.rows) - 1:
        yield f"end: {end} after {len(got.rows) - 1} records"


def expected(t):
    """One of each trace: a model of a long one takes seconds."""
    if not hasattr(t, "expected"):
        t.expected = Expected(t)
    return t.expected


def level3(t, want, got):
    """Every line a way in which a report is not what it must be."""
    m = want.model
    yield from wrong_figures(want, got)
    tables = [("module", as_shown(want.modules, want)), ("task", want.tasks)]
    if not got.counters["modules_recycled"]:
        yield from wrong_slab(want.model.slab, got)
        tables.append(("kind", m.kinds.expected()))
        if not t.symbols:
            tables.append(("initcall", m.initcalls.expected(module_name)))
    for kind, rows_wanted in tables:
        yield from compare(kind, got.table(kind), rows_wanted)
    yield from compare("caller", callers(t, got.table("areas")),
                       callers(t, want.callers))
    if not t.symbols and got.stacks_are_whole():
        yield from compare("stack", got.stacks(), want.stacks)
    yield from wrong_verdict(want, got)
    yield from wrong_moments(want.model, got)
    yield from wrong_order(got)
    yield from wrong_end(got)


def wrong_rest(got, kind, shown, rows, columns):
    """What is not shown is summed: `columns` of a row, by name."""
    left = list((collections.Counter(rows) -
                 collections.Counter(shown)).elements())
    want = dict(rows=len(left))
    for key, column in columns.items():
        values = [r[column] for r in left]
        want[key] = None if None in values else sum(values)
    yield from compare_row(
        f"rest of {kind}",
        [r for r in got.kinds.get("rest", []) if r["of"] == kind],
        want if left else None)


def fold_failed_loads(want, page_size):
    """Loads that failed without a name and hold little, as one row behind the
    others: (rows without them, that row or none)."""
    most = min((64 << 10) // page_size, want.head["peak_pages"] // 100)
    loads = [row for row in want.modules
             if row[:2] == ("(failed load)", "failed") and
             row[2] + row[5] + row[6] <= most and row[4] <= most]
    others = [row for row in want.modules if row not in loads]
    total = [sum(n or 0 for n in column) for column in list(zip(*loads))[2:]]
    if loads:
        total[1] = total[5] = total[6] = total[9] = None
        total[7] = total[7] or None
    return others, [("(failed loads)", "failed", *total)] if loads else [], \
        len(loads)


def fold_loads(want, modules):
    """Loads of a module that are over and leak nothing, as one row, in order of
    what all of them held at the peak: [(row, the rows in it)]."""
    over = collections.defaultdict(list)
    for row in modules:
        over[row[0] if row[1] == "gone" and not row[9] and
             id(row) not in want.lasting else id(row)].append(row)
    items = []
    for rows in over.values():
        columns = list(zip(*rows))
        items.append(((*rows[0][:2], *(
            max(n) if i in (1, 5, 6, 9) else None if None in n else sum(n)
            for i, n in enumerate(columns[2:]))), rows))
    return sorted(items, key=lambda item: (
        -item[0][-1], -item[0][-2] * (len(item[1]) == 1), item[0][0]))


def fold_names(tasks):
    """Three tasks of a name, or more, are one item: lists of rows, the largest
    row first, in order of what all rows of an item held at the peak."""
    named = collections.defaultdict(list)
    for i, row in enumerate(tasks):
        named[row[1] if row[0] and row[1] else i].append(row)
    items = []
    for rows in named.values():
        items += [rows] if len(rows) > 2 else [[row] for row in rows]
    return sorted(items, key=lambda rows: (
        -sum(row[-1] for row in rows), -rows[0][-2] * (len(rows) == 1),
        rows[0][1], rows[0][0]))


def level1(t, want, got):
    """Five of each, three callers; and whatever leaks, among them or not."""
    yield from wrong_figures(want, got)
    rows, loads, count = fold_failed_loads(want, t.page_size)
    modules = fold_loads(want, rows)[:5]
    modules += [(row, [row]) for row in want.leaks if row in rows and
                (row, [row]) not in modules]
    modules += [(row, [row]) for row in loads]
    members = [row for _, rows_of in modules for row in rows_of]
    yield from compare(
        "level 1: loads", [(r["name"], r["rows"]) for r in
                           got.folded("module")],
        [(row[0], count if row in loads else len(rows_of))
         for row, rows_of in modules if row in loads or len(rows_of) > 1])
    modules = [row for row, _ in modules]
    if loads and "rows" not in got.kinds["module"][-1]:
        yield "failed loads are not behind the others"
    items = fold_names(want.tasks)[:5]
    tasks = [rows[0] for rows in items]
    named = [rows[1:] for rows in items if len(rows) > 1]
    more = [row for rows in named for row in rows]
    yield from compare(
        "level 1: tasks of one name",
        [(r["comm"], r["rows"], r["now_pages"], r["peak_pages"],
          r["at_peak_pages"], *(r.get(key) for key in HELD))
         for r in got.folded("task")],
        [(rows[0][1], len(rows), sum(r[2] for r in rows), None,
          sum(r[4] for r in rows), sum(r[-3] for r in rows), None,
          sum(r[-1] for r in rows)) for rows in named])
    for kind, have, all_rows, shown, columns in [
            ("module", got.table("module"), as_shown(rows + loads, want),
             as_shown(modules, want),
             dict(now_pages=2, at_peak_pages=4, image_pages=5,
                  vmalloc_pages=6, held_pages=-3, held_at_peak_pages=-1)),
            ("task", got.table("task"), want.tasks, tasks,
             dict(now_pages=2, at_peak_pages=4, held_pages=-3,
                  held_at_peak_pages=-1,
                  **dict(vmalloc_pages=5) if want.model.areas.charged
                  else {})),
            ("areas", callers(t, got.table("areas")),
             callers(t, want.callers), callers(t, want.callers)[:3],
             dict(now_pages=-2))]:
        yield from compare(f"level 1: {kind}", have, shown)
        shown = shown + more if kind == "task" else \
            as_shown(members, want) if kind == "module" else shown
        yield from wrong_rest(got, kind, shown, all_rows, columns)
    if "stack" in got.kinds:
        yield "level 1 has stacks"
    yield from wrong_end(got)


def differences(t, lines, of=level3):
    if not lines:
        yield "no report"
        return
    got = Reported(lines)
    if t.sampled():
        for what in getattr(samples, of.__name__)(t, got):
            yield from compare(*what)
    else:
        yield from of(t, expected(t), got)


def test(tap, work, what, trace, report):
    """A report of level 3, and one of level 1."""
    tap.none(differences(trace, report.splitlines()),
             f"{what}: the model's figures")
    _, report, _ = work.replay("--level=1", "--format=json")
    tap.none(differences(trace, report.splitlines(), level1),
             f"{what}: the rows of level 1")
