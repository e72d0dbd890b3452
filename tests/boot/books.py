# SPDX-License-Identifier: MIT
"""What memstrack makes of the kernel's books, against the books themselves.

    books.py FACTS check                  the counts of report --check against a
                                          recording of the same events and the
                                          two texts of page_owner that it read
    books.py FACTS view BOOK tasks|none   a book against `memstrack view` of it;
                                          tasks: records of page_owner have them
    books.py FACTS tags REPORT FROM TO    the tags of a report in JSON against
                                          the texts of allocinfo before and
                                          after it began; the same text: of what
                                          stayed as it was

FACTS is what tests/boot/books.t sent. Nothing here is the program's: what was
held at the moment of the check is made of the recorded events one by one.
"""
import collections
import json
import re
import sys

import sent

RECORD = re.compile(
    r"Page allocated via order (\d+), .*? pid (\d+), tgid (\d+) \(.*\), "
    r"ts (\d+) ns(?:, free_ts \d+ ns)?\nPFN (\w+) ", re.S)


def page_owner(text):
    """Its records."""
    return [r for r in text.decode("latin-1").split("\n\n") if r.strip()]


def held_at(events, time_ns):
    """pfn -> (process, in an interrupt)."""
    held = {}
    for e in events:
        if e.time > time_ns:
            continue
        for page in range(e.pfn, e.pfn + (1 << e.order)):
            if e.type == sent.ALLOC:
                held[page] = e.tgid or e.tid, e.flags
            else:
                held.pop(page, None)
    return held


def book(text):
    """First page of a block -> its order, pid, process and time."""
    found = {}
    for record in page_owner(text):
        order, pid, tgid, ts, pfn = RECORD.match(record).groups()
        found[int(pfn, 0)] = int(order), int(pid), int(tgid), int(ts)
    return found


def check(text, files):
    rows = [json.loads(line[9:]) for line in text.splitlines()
            if line.startswith("recorded={")]
    head = rows[0]
    says = {k.removesuffix("_pages"): n for k, n in rows[1].items()}
    held = held_at(sent.events(sent.records(files["trace"])), head["time_ns"])
    before, after = (book(files[name]) for name in ("before", "after"))
    counts = dict.fromkeys(("changed", "not_held", "partial", "in_interrupt",
                            "same_task", "other_task"), 0)
    covered = set()
    for pfn, record in after.items():
        pages = range(pfn, pfn + (1 << record[0]))
        covered.update(pages)
        ours = {held.get(page) for page in pages}
        if before.get(pfn) != record:
            verdict = "changed"
        elif ours == {None}:
            verdict = "not_held"
        elif len(ours) > 1:
            verdict = "partial"
        else:
            tgid, in_irq = ours.pop()
            verdict = "in_interrupt" if in_irq else "same_task" \
                if tgid == record[2] else "other_task"
        counts[verdict] += len(pages)
    theirs = {
        "changed": says["theirs_changed"],
        "not_held": sum(says[k] for k in (
            "before_tracing", "in_bulk", "undated", "no_room", "outside_ram",
            "not_ours")),
        "partial": says["other_order"],
        "in_interrupt": says["in_interrupt"],
        "same_task": sum(says[k] for k in (
            "same", "loading", "no_chain", "book_no_chain", "code_gone",
            "deep_stack", "no_module_row", "other_module")),
        "other_task": says["other_task"],
    }
    alone = len(held.keys() - covered), \
        says["ours_changed"] + says["not_theirs"]
    for page in sorted(held.keys() - covered)[:20]:
        print(f"ours alone: {page:#x} {held[page]}")
    print(f"by the recording: {counts}, ours alone {alone[0]}, all {len(held)}")
    print(f"by the check:     {theirs}, ours alone {alone[1]}, all "
          f"{head['our_pages']}; {head['rounds']} rounds, lost {head['lost']}, "
          f"migrated {says['migrated']}")
    for row in rows[2:]:
        print(row)
        for record in page_owner(files["after"]):
            if f"PFN {row.get('pfn', 0):#x} " in record:
                print(record)
    sys.exit(counts != theirs or alone[0] != alone[1] or head["lost"] != 0 or
             len(held) != head["our_pages"] or says["migrated"] != 0 or
             counts["same_task"] < 3000)


def of_allocinfo(text):
    """(bytes, calls) in all and by module."""
    modules = collections.defaultdict(lambda: (0, 0))
    for line in text.decode("latin-1").splitlines()[2:]:
        size, calls, tag = line.split(None, 2)
        module = re.search(r" \[(\S+)\] func:", " " + tag)
        key = module[1] if module else "(no module)"
        old = modules[key]
        modules[key] = old[0] + int(size), old[1] + int(calls)
    modules = {k: v for k, v in modules.items() if v != (0, 0)}
    return tuple(map(sum, zip(*modules.values()))), modules, {}


def of_pages(text):
    """Pages in all, by module and by process."""
    modules, tasks = collections.Counter(), collections.Counter()
    for record in page_owner(text):
        order = re.match(r"Page allocated via order (\d+),", record)
        n = 1 << int(order[1]) if order else \
            int(re.search(r"(?:stack_count|nr_base_pages): (\d+)", record)[1])
        inside = re.findall(r"^ \S+ \[(\S+)\]$", record, re.M)
        modules[inside[0] if inside else "(no module)"] += n
        task = re.search(r", tgid (\d+) \(", record)
        if task:        # since 5.18
            tasks[int(task[1])] += n
    return sum(modules.values()), dict(modules), dict(tasks)


def said(view):
    rows = [json.loads(line) for line in view.splitlines()]
    head = rows[0]
    if head["books"] == "allocinfo":
        return ((head["live_bytes"], head["calls"]),
                {r["name"]: (r["live_bytes"], r["calls"]) for r in rows
                 if r["type"] == "alloc_module"}, {})
    return (head["now_pages"],
            {r["name"]: r["now_pages"] for r in rows if r["type"] == "module"},
            {r["pid"]: r["now_pages"] for r in rows if r["type"] == "task"})


def view(_, files, book, tasks):
    text = files[f"{book}.text"]
    ours = said(files[f"{book}.view"])
    theirs = (of_allocinfo if book == "allocinfo" else of_pages)(text)
    print(f"{book}: {len(text)} bytes; in all {ours[0]}, must be {theirs[0]}; "
          f"{len(ours[1])} modules, {len(ours[2])} processes")
    for what, a, b in zip(("module", "process"), ours[1:], theirs[1:]):
        for key in sorted(a.keys() | b.keys(), key=str):
            if a.get(key) != b.get(key):
                print(f"{what} {key}: {a.get(key)}, must be {b.get(key)}")
    told = book == "page_owner" and tasks == "tasks"
    sys.exit(ours != theirs or "planted1" not in ours[1] or
             told != bool(ours[2]))


def by_tag(text):
    """(function with its module, file:line) -> bytes."""
    found = collections.Counter()
    for line in text.decode("latin-1").splitlines()[2:]:
        size, place, module, function = re.match(
            r" *(-?\d+) +\d+ (\S+)( \[\S+\])? func:(\S+)", line).groups()
        found[function + (module or ""), place] += int(size)
    return found


BETWEEN = 4096


def tags(_, files, report, *texts):
    """Of one text the report is older: many tags hold the same since. Of two the
    report lies between them; what programs take and give back meanwhile is less
    than BETWEEN bytes beside them."""
    read = [json.loads(line)
            for line in files[f"{report}.json"].decode().splitlines()]
    rows = [r for r in read if r["type"] == "before_tag"]
    ends = [r for r in read if r["type"] == "before_tags"]
    wrong = len(rows) != 16 or rows != sorted(
        rows, key=lambda r: -r["live_bytes"])
    books = [by_tag(files[name]) for name in texts]
    print(f"{report}: {ends}, {len(books[0])} tags")
    same, shown = 0, set()
    for r in rows:
        keys = [k for k in books[1] if k[0] == r["name"] and
                k[1].endswith(r["place"])]
        shown.update(keys)
        held = [sum(book[k] for k in keys) for book in books]
        bad = not keys or (
            texts[0] != texts[1] and
            not min(held) - BETWEEN <= r["live_bytes"] <= max(held) + BETWEEN)
        same += held[0] == held[1] == r["live_bytes"]
        wrong = wrong or bad
        print(f"{r['name']} {r['place']}: {r['live_bytes']} of {held}"
              f"{' WRONG' if bad else ''}")
    least = rows[-1]["live_bytes"] if rows else 0
    for k in books[0].keys() - shown:
        if texts[0] != texts[1] and min(book[k] for book in books) > least:
            print(f"{k} is missing: {[book[k] for book in books]}")
            wrong = True
    sys.exit(wrong or same < 5 or len(ends) != 1 or
             ends[0]["wrong_lines"] != 0 or ends[0]["is_part"] != 0 or
             ends[0]["tags"] < 100)


if __name__ == "__main__":
    {"check": check, "view": view, "tags": tags}[sys.argv[2]](*sent.read(sys.argv[1]),
                                                *sys.argv[3:])
