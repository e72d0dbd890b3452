# SPDX-License-Identifier: MIT
"""sampled.py REPORT CACHES: a report of /proc, sampled, is true of the machine.
CACHES has the slab caches as the guest counted them, a line each: name, pages.
"""
import json
import sys

lines, caches = (open(name).read().splitlines() for name in sys.argv[1:])
lines = [json.loads(line) for line in lines]
real = {name: int(pages) for name, pages in map(str.split, caches)}
head, end = lines[0], lines[-1]
rows = [o for o in lines if o["type"] in ("module", "task", "kind", "cache")]
assert head["source"] == "sampled" and head["allocs"] is None and \
    head["now_pages"] is None, head
assert end["type"] == "end" and end["records"] == len(lines) - 1, end
assert len(rows) > 10 and all(o["sampled"] == 1 for o in rows), rows

# The kinds are all memory in use, and the rows of RAM all RAM.
ram = [o for o in lines if o["type"] == "ram"]
lists = sum(o["size_kib"] for o in ram if o["name"] == "per-CPU lists")
used = (head["mem_total_kib"] - head["free_now_kib"] - lists) // 4
held = sum(o["now_pages"] for o in lines
           if o["type"] == "kind" or
           (o["type"] == "rest" and o["of"] == "kind"))
assert abs(used - held) <= 256, (used, held)
parts = sum(o["size_kib"] for o in ram[1:] if "part_of" not in o)
assert parts == ram[0]["size_kib"], (parts, ram)
unknown = sum(o["size_kib"] for o in ram if o["group"] == "unknown")
# 7.x keeps 4 MiB in the mempool of bio_integrity_initfn(), untold.
unknown -= 4096 * (int(head["kernel"].split(".")[0]) >= 7)
assert abs(unknown) <= ram[0]["size_kib"] // 50, (unknown, ram)

# The largest slab caches are as the guest has them; no larger one is missing.
shown = {o["name"]: o for o in rows if o["type"] == "cache"}
least = min(o["peak_pages"] for o in shown.values())
wrong = [(name, o["now_pages"], real.get(name)) for name, o in shown.items()
         if abs(o["now_pages"] - real.get(name, 0)) > real[name] // 20 + 16]
missing = [(name, pages) for name, pages in real.items()
           if name not in shown and pages > least + least // 20 + 16]
assert len(shown) == 16 and not wrong and not missing, (shown, wrong, missing)
