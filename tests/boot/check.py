# SPDX-License-Identifier: MIT
"""The counts of `memstrack report --check` against a recording of the same events
and the two texts of page_owner that it read.

    check.py FACTS

FACTS is what tests/boot/check.t sent. Nothing here is the program's: what was
held at the moment of the check is made of the recorded events one by one.
"""
import json
import re
import sys

import sent

RECORD = re.compile(
    r"Page allocated via order (\d+), .*? pid (\d+), tgid (\d+) \(.*\), "
    r"ts (\d+) ns(?:, free_ts \d+ ns)?\nPFN (\w+) ", re.S)


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
    for record in text.decode("latin-1").split("\n\n"):
        if not record.strip():
            continue
        order, pid, tgid, ts, pfn = RECORD.match(record).groups()
        found[int(pfn, 0)] = int(order), int(pid), int(tgid), int(ts)
    return found


def main(path):
    text, files = sent.read(path)
    rows = [json.loads(line[9:]) for line in text.splitlines()
            if line.startswith("recorded={")]
    head, says = rows[0], rows[1]
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
    texts = files["after"].decode("latin-1").split("\n\n")
    for row in rows[2:]:
        print(row)
        for record in texts:
            if f"PFN {row.get('pfn', 0):#x} " in record:
                print(record)
    sys.exit(counts != theirs or alone[0] != alone[1] or head["lost"] != 0 or
             len(held) != head["our_pages"] or says["migrated"] != 0 or
             counts["same_task"] < 3000)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
