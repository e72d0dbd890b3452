#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""exact.py REPORTS TRACE EXPECTED: what touch.c computed for each of its marks
against the report of that mark. Prints a line for each: "ok" or "not ok", and
what is wrong. TRACE is the tracer's recording.
"""
import struct
import sys

import losses
import report

ALLOC, FREE = 1, 2	# record types of TRACE-FORMAT.md
FAILED = 2 ** 64 - 1	# an allocation's page

# Slab and page tables, and a fork's own: charged to the task too, but when they
# need a new page is not ours to say.
KERNEL = ("allocate_slab", "new_slab", "kmem_cache_alloc", "___slab_alloc",
          "pte_alloc", "__pte_alloc", "__pmd_alloc", "__pud_alloc",
          "__p4d_alloc", "tlb_remove_table", "tlb_next_batch", "copy_process")
# By what frames the classes of touch.c are known.
CLASSES = (("pipe_resize", "order"), ("pipe_write", "pipe"),
           ("huge_pmd", "huge"), ("handle_mm_fault", "copied"))


def class_of(frames):
    if any(f.startswith(KERNEL) for f in frames):
        return "kernel"
    text = " ".join(frames)
    return next((kind for name, kind in CLASSES if name in text),
                "other" if frames else "anon")


class Held:
    """What a task holds, by class."""

    def __init__(self, task):
        stacks = task["stacks"] if task else ()
        self.stacks = [(class_of(s["frames"]), s) for s in stacks]
        self.total = task["now_pages"] if task else 0
        self.total_peak = task["peak_pages"] if task else 0

    def sum(self, key, *kinds):
        return sum(s[key] for kind, s in self.stacks if kind in kinds)

    def others(self, kinds):
        return [s for kind, s in self.stacks if kind not in kinds]


class Recording:
    """When a page of a process was freed by somebody else. The kernel may hold
    a reference to a page for a moment, because it looks at what could be
    reclaimed or moved (kdamond, kswapd, kcompactd). If the process frees the
    page meanwhile, only the kernel's own thread does it really, later."""

    def __init__(self, path, pids):
        self.frees, owner = [], {}
        for type, record in losses.records(path):
            if type not in (ALLOC, FREE):
                continue
            _, time, tgid, flags, pfn = struct.unpack_from("=IQIIQ", record, 4)
            if pfn == FAILED:
                continue
            for page in range(pfn, pfn + (1 << (flags >> 24))):
                pid = owner.pop(page, None)
                if type == ALLOC and tgid in pids:
                    owner[page] = tgid
                elif type == FREE and pid and tgid and tgid not in pids:
                    self.frees.append((time, pid))

    def late(self, pid, until_ns, since_ns=0):
        """Pages of a process that somebody else freed meanwhile."""
        return sum(owner == pid and since_ns < time <= until_ns
                   for time, owner in self.frees)


def wrong_with(got, base, kind, kinds, now, peak, late, late_ever):
    """Pages that somebody else freed only after the report are still held."""
    more = got.sum("now_pages", kind) - base.sum("now_pages", kind)
    if not now <= more <= now + late:
        yield f"{more} pages instead of {now}"
    more = got.sum("peak_pages", kind) - base.sum("now_pages", kind)
    if not peak <= more <= peak + late_ever:
        yield f"peak {more} instead of {peak}"
    others = [x.others(kinds | {"kernel"}) for x in (got, base)]
    more, less = (sum(s["now_pages"] for s in stacks) for stacks in others)
    if more != less:
        yield f"and {more - less} pages by other ways: {others[0]}"
    if got.total_peak < base.total + peak:
        yield f"the task's own peak is {got.total_peak}"


def exact(reports, freed, lines):
    """Each line: mark, pid, class, how, pages now, peak, what. The report of
    mark N is the one N after the first."""
    base, marks = {}, 0
    for mark, pid, kind, how, now, peak, what in lines:
        marks = int(mark)
        r = reports[marks]
        got = Held(r.task(int(pid)))
        until = reports[marks + 1].head["end_ns"]
        late = freed.late(int(pid), until, r.head["end_ns"])
        kinds = {words[2] for words in lines if words[1] == pid}
        wrong = [f"{full}: {r.counters[full]}" for full in
                 ("stacks_full", "owners_full", "owners_recycled", "lost")
                 if r.counters[full]]
        if how == "base":
            base[pid, kind] = got
        elif how == "more":
            wrong += wrong_with(got, base[pid, kind], kind, kinds, int(now),
                                int(peak), late, freed.late(int(pid), until))
        elif how == "gone" and got.sum("now_pages", kind) > late:
            wrong.append(f"still {got.sum('now_pages', kind)} pages")
        if how in ("more", "gone") or wrong:
            yield wrong, f"{what}: {kind} {now} now, {peak} peak" + \
                f", {late} freed late" * (late > 0)
    # One before the first mark, one at the tracer's end.
    if len(reports) != marks + 2:
        yield [f"{len(reports)} reports"], "a report for each mark"


def main():
    with open(sys.argv[3], encoding="ascii") as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    pids = {int(line[1]) for line in lines}
    reports, books = [], []
    for r in report.each(sys.argv[1]):
        books += report.unbalanced(r)
        r.rows = {"task": [t for t in r.rows["task"] if t["pid"] in pids]}
        reports.append(r)
    for wrong, what in [(books, "all reports are whole and balance"),
                        *exact(reports, Recording(sys.argv[2], pids), lines)]:
        print("not ok" if wrong else "ok", what)
        print("".join(f"# {line}\n" for line in wrong), end="")


if __name__ == "__main__":
    main()
