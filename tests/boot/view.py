# SPDX-License-Identifier: MIT
"""A book of the kernel's against what `memstrack view` makes of it.

    view.py FACTS allocinfo|page_owner|stacks tasks|none

FACTS is what tests/boot/view.t sent: the book and the report in JSON. tasks:
records of page_owner tell them.
"""
import collections
import json
import re
import sys

import sent


def of_allocinfo(text):
    """(bytes, calls) in all and by module."""
    modules = collections.defaultdict(lambda: (0, 0))
    for line in text.splitlines()[2:]:
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
    for record in text.rstrip("\n").split("\n\n"):
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
        return ((head["bytes"], head["calls"]),
                {r["name"]: (r["bytes"], r["calls"]) for r in rows
                 if r["type"] == "alloc_module"}, {})
    return (head["now_pages"],
            {r["name"]: r["now_pages"] for r in rows if r["type"] == "module"},
            {r["pid"]: r["now_pages"] for r in rows if r["type"] == "task"})


def main(path, book, tasks):
    _, files = sent.read(path)
    text = files[f"{book}.text"].decode("latin-1")
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


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
