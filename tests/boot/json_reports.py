# SPDX-License-Identifier: MIT
"""Reports in JSON, among other lines, from stdin: each is whole, and its modules
hold what its head says. Prints the other lines, then the reason of each report.
"""
import json
import sys

reports, inside = [], False
for line in sys.stdin:
    if not inside and not line.startswith("{"):
        print("text:", line, end="")
        continue
    row = json.loads(line)
    if row["type"] == "head":
        reports.append([])
    reports[-1].append(row)
    inside = row["type"] != "end"
for head, *rows, end in reports:
    assert end["type"] == "end", end
    assert end["records"] == len(rows) + 1, (end, len(rows))
    held = sum(row["now_pages"] for row in rows if row["type"] == "module" or
               (row["type"] == "rest" and row["of"] == "module"))
    assert held == head["now_pages"], (held, head)
print(*(report[0]["reason"] for report in reports), sep="\n")
