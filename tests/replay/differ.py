# SPDX-License-Identifier: MIT
"""What `memstrack diff` must say of two reports in JSON, by a model that shares
nothing with it.

A row is compared by the most that is known to have been held at one instant; a
bound is the sum of the peaks of all rows of one name. All in bytes.
"""
import re

from harness import by_type, rows

TABLES = ["total", "module", "image", "vmalloc", "task", "kind", "initcall",
          "slab", "slab_cache", "cache", "before", "before_tag",
          "ram"]
TRACED = TABLES[1:7]
REST = {"module": ["module", "image", "vmalloc"], "task": ["task"],
        "kind": ["kind"], "initcall": ["initcall"], "slab": ["slab"],
        "slab_cache": ["slab_cache"]}


def function(name):
    words = name.split(" ", 1)
    first = re.sub("(?<=.)_noprof$", "", re.split(r"[.+]", words[0])[0])
    if len(first) > 2 and first.startswith("0x"):
        first = "(no name)"
    return " ".join([first] + words[1:])


class Held:
    """All rows of one name in one report."""

    def __init__(self):
        self.now = self.at_peak = self.most = self.count = 0
        self.peak = None

    def add(self, now, peak, most, at_peak):
        self.count += 1
        if most is None or peak is None:
            self.most = None
        elif self.most is not None:
            self.most += most
        peak = now if peak is None else peak
        self.peak = peak if self.peak is None else max(self.peak, peak)
        self.now += now
        self.at_peak += now if at_peak is None else at_peak

    def span(self, by):
        """(known to have been held, never held more)"""
        if by == "now":
            return self.now, self.now
        least = self.peak if self.count == 1 else \
            max(self.peak, self.now, self.at_peak)
        return least, self.most if self.most is None else \
            max(self.most, least)


class Report:
    def __init__(self, lines):
        read = rows("\n".join(lines))
        kinds = by_type(read)
        self.rows = {t: {} for t in TABLES}
        self.has, self.open = {"module", "task"}, {"total", "before_tag"}
        self.head = kinds["head"][0]
        self.page = self.head["page_bytes"]
        self.sampled = self.head.get("source") == "sampled" or \
            any(r.get("sampled") for r in read)
        self.apart = any(r.get("vmalloc_pages") is not None
                         for r in kinds.get("module", []))
        self.complete = kinds.get("verdict", [{}])[0].get("complete")
        for r in read:
            getattr(self, "take_" + r["type"], lambda r: None)(r)
        self.totals(kinds.get("advice", [{}])[0])
        end = kinds.get("end", [None])[0]
        if not end or end["records_cut"] or end["records"] > len(read) - 1:
            self.open = set(TABLES)

    def add(self, table, name, now, peak, most, at_peak, unit=1):
        if now is None:
            return
        self.has.add(table)
        if name == "(other)" or table in ("initcall", "slab", "slab_cache") \
                and name.startswith("(no name)"):
            self.open.add(table)
        scale = [v if v is None else v * unit
                 for v in (now, peak, most, at_peak)]
        self.rows[table].setdefault(name or "(no name)", Held()).add(*scale)

    def pages(self, table, name, r, most="peak_pages"):
        self.add(table, name, r["now_pages"], r.get("peak_pages"),
                 r.get(most), r.get("at_peak_pages"), self.page)

    def take_module(self, r):
        """Of several loads, the peak is one load's."""
        name = r["name"].replace("(failed loads)", "(failed load)")
        self.pages("module", name, r, "none" if "rows" in r else "peak_pages")
        for part in "image", "vmalloc":
            peak = r.get(part + "_peak_pages")
            self.add(part, name, r.get(part + "_pages"), peak,
                     None if "rows" in r else peak, None, self.page)

    def take_task(self, r):
        self.pages("task", re.sub(r"(?<=.)/u?[0-9].*", "", r["comm"],
                                  flags=re.S), r)

    def take_kind(self, r):
        self.pages("kind", r["name"], r, most="peak_at_most_pages")

    def take_initcall(self, r):
        name = function(r["function"])
        if r["module"]:
            name += f" [{r['module']}]"
        self.pages("initcall", name, r, most="peak_at_most_pages")

    def take_cache(self, r):
        self.pages("cache", r["name"], r)

    def objects(self, table, name, r):
        self.add(table, name, r["live_bytes"], r["peak_bytes"],
                 r["peak_bytes"], r["at_peak_bytes"])

    def take_slab(self, r):
        self.objects("slab", function(r["site"]), r)

    def take_slab_cache(self, r):
        self.objects("slab_cache", re.sub("^[(].* bytes[)]$", "(no name)",
                                          r["cache"]), r)

    def take_slab_balance(self, r):
        self.has.add("slab")

    def figure(self, table, name, kib):
        self.add(table, name, kib, kib, kib, None, 1024)

    def take_baseline(self, r):
        self.figure("before", r["name"], r["size_kib"])

    def take_before_tag(self, r):
        n = r["live_bytes"]
        self.add("before_tag", function(r["name"]), n, n, n, None)

    def take_ram(self, r):
        self.figure("ram", f"{r['group']}: {r['name']}", r["size_kib"])

    def take_counters(self, r):
        for table in ("task", "module"):
            if r[table + "s_full"] or r[table + "s_recycled"]:
                self.open |= set(REST[table])

    def take_rest(self, r):
        for table in REST.get(r["of"], []):
            self.has.add(table)
            self.open.add(table)

    def totals(self, advice):
        h, total = self.head, advice.get("ram_kib")

        def used(free):
            return None if total is None or h[free] is None else \
                total - h[free]
        used_kib = advice.get("used_kib")
        self.add("total", "used", used("free_now_kib"), used_kib, used_kib,
                 None, 1024)
        self.figure("total", "used when tracing began", used("free_start_kib"))
        self.add("total", "traced", h["now_pages"], h["peak_pages"],
                 h["peak_pages"], None, self.page)

    def tables(self):
        lacks = set() if self.apart else {"image", "vmalloc"}
        return self.has - lacks


class Row:
    """One line of a difference. None: not known."""

    def __init__(self, name, spans):
        self.name, self.spans = name, spans
        least = [s[0] if s else 0 for s in spans]
        self.grown = least[1] - least[0]
        self.known = None not in spans

    def there(self, side):
        return self.spans[side] is not None and len(self.spans[side]) == 2

    def word(self):
        if not self.known:
            return "unknown"
        if not self.grown:
            return "same"
        if not self.there(0):
            return "came"
        if not self.there(1):
            return "went"
        return "grew" if self.grown > 0 else "shrank"


class Diff:
    def __init__(self, before, after, by="peak"):
        self.sides, self.by = (before, after), by
        self.none, self.tables = {}, {}
        for table in TABLES:
            why = self.why_not(table)
            if why:
                self.none[table] = why
            elif table in before.tables():
                self.tables[table] = sorted(
                    self.rows(table), key=lambda r: (
                        -abs(r.grown), r.name.encode("latin-1")))

    def why_not(self, table):
        has = [table in side.tables() for side in self.sides]
        sampled = [side.sampled for side in self.sides]
        if not any(has):
            return None
        if table in TRACED and sampled[0] != sampled[1]:
            return sampled.index(True), "sampled"
        if all(has):
            return None
        at = has.index(False)
        return at, "part of the modules" \
            if table in ("image", "vmalloc") else "none"

    def span(self, i, table, name):
        side = self.sides[i]
        held = side.rows[table].get(name)
        if not held:
            return None if table in side.open else (0,)
        least, most = held.span(self.by)
        if table != "module" or not side.apart or self.sides[1 - i].apart:
            return least, most
        parts = [side.rows[t][name] for t in ("image", "vmalloc")
                 if name in side.rows[t]]
        spans = [(least, most)] + [p.span(self.by) for p in parts]
        now = held.now + sum(p.now for p in parts)
        bound = None if None in [s[1] for s in spans] else \
            sum(s[1] for s in spans)
        if self.by == "now":
            return now, now
        return max([now] + [s[0] for s in spans]), bound

    def rows(self, table):
        names = set().union(*(side.rows[table] for side in self.sides))
        return [Row(name, [self.span(i, table, name) for i in (0, 1)])
                for name in names]

    def judge(self, fail):
        """(rows that grew by more, rows that may have)"""
        failed = doubtful = 0
        exact = all(s.complete == 1 for s in self.sides) or \
            all(s.sampled for s in self.sides)
        for table, rows in self.tables.items():
            for row in rows:
                if table == "ram" and re.match("all: |free:", row.name):
                    continue
                a, b = row.spans
                # One report has no room for it: the totals count it.
                if table == "before_tag" and None in row.spans:
                    continue
                least = None if not row.known or \
                    not (exact or table in ("before", "before_tag", "ram")) or \
                    a[-1] is None else b[0] - a[-1]
                most = None if b is None or b[-1] is None else \
                    b[-1] - (a[0] if a else 0)
                if least is not None and least > fail:
                    failed += 1
                elif most is None or most > fail:
                    doubtful += 1
        return failed, doubtful


# --- the lines of JSON that say it

def kib(value):
    return -((512 - value) // 1024) if value < 0 else (value + 512) // 1024


def json_rows(diff, minimum=0):
    """Lines of JSON, but for those of the reports and the last."""
    for table in TABLES:
        if table in diff.none:
            at, why = diff.none[table]
            yield dict(type="diff_none", table=table,
                       of=["before", "after"][at], why=why)
        left = []
        for row in diff.tables.get(table, []):
            if not row.grown:
                continue
            if abs(row.grown) < minimum:
                left.append(row)
                continue
            line = dict(type="diff", table=table, name=row.name,
                        change=row.word())
            for key, s in zip(("before", "after"), row.spans):
                line[key + "_kib"] = None if s is None else kib(s[0])
                if s and s[-1] != s[0]:
                    line[key + "_at_most_kib"] = \
                        None if s[1] is None else kib(s[1])
            yield line
        if left:
            known = [r.grown for r in left if r.known]
            yield dict(type="diff_left", table=table, rows=len(left),
                       unknown=len(left) - len(known),
                       grew_kib=kib(sum(g for g in known if g > 0)),
                       shrank_kib=kib(sum(g for g in known if g < 0)))
