#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Reports of each level, shape and selection of rows, byte for byte.

REPORTS names cases of cases/ and options; what each prints is in reports/,
where the file has both for a name. GOLDEN=write writes these files again, for
a human to check. What cases.t shows of each case, level 3 without further
options, is not here.
"""
import os

from harness import HERE, main, rows

FOLDER = os.path.join(HERE, "reports")
LINE_BYTES = 900
REPORTS = """
distro
distro --level=1
distro --level=2
distro --level=2 --format=json
distro --format=line
distro --report=module_summary
distro --report=task_summary
distro --report=task_summary,module_top
distro --report=task_top:top=1
distro --report=task_top_json:top=2,task_top_json:top=1
distro --report=task_top_json:throttle=81
distro --report=proc_slab_static
distro --report=task_summary:throttle=81
distro --report=task_summary --cover=79
distro --report=module_summary --cover=79
distro --report=module_summary:throttle=50
distro --report=task_summary:top=1:sort_by_peak,task_summary:top=1
distro --report=task_summary,module_top --lines=16
distro --level=3 --lines=16
distro --format=json --stacks=2000
distro --format=json --modules=20
distro --format=json --tasks=40
distro --format=json --pages=64K
distro --format=json --mem=2M --stacks=1000
selection --level=1
selection --level=2
selection --level=3 --top=2
selection --level=2 --top=12
selection --level=1 --cover=35
selection --level=1 --cover=61
selection --level=1 --cover=99
selection --level=1 --cover=99 --top=1
selection --level=1 --format=json
selection --level=2 --format=json --top=2
selection --level=2 --format=json --cover=50
selection --format=folded --lines=16
selection --format=prometheus --lines=16
selection --report=module_top
selection --report=module_top:top=6:throttle=13
selection --report=task_top:top=1
selection --report=task_top_json:top=1
verdict_family --level=1
verdict_family --format=line
verdict_workers --level=1 --format=json
verdict_workers --level=2
trim --level=2 --top=20
frames --level=2 --top=20
frames --format=folded
full_stacks --report=module_top:top=10000
failed_loads --level=1
failed_loads --level=2 --format=json
lost --report=task_summary
late --level=2
leak --level=1
leak --level=2
leak --level=1 --top=1
leak --level=1 --cover=10
callers --level=1
callers --level=2
figures --level=2
ram --level=1
names --format=line
names --report=task_top_json
slab_rows --level=1
slab_rows --level=1 --top=3
slab_rows --level=1 --format=json
slab_rows --level=2
slab_rows --level=2 --format=json
slab_rows --level=3 --top=3 --format=json
sampled --report=module_summary
sampled --report=task_summary
sampled --report=task_top_json
"""


def wrong_lines(report):
    """A line that is no JSON, or lines that are longer than one may be."""
    try:
        rows(report)
    except ValueError as error:
        yield error
    yield from (f"{len(line)} bytes: {line}" for line in report.splitlines()
                if len(line) >= LINE_BYTES)


def test_report(tap, work, name, options):
    what = " ".join([name] + options)
    work.case(name)
    status, report, errors = work.replay(*options)
    tap.golden(os.path.join(FOLDER, "".join([name] + options)),
               report if status == 0 else f"status {status}", what, errors)
    if "--format=json" in options:
        tap.none(wrong_lines(report), f"{what}: each line is JSON")
    work.sanitized(tap, what, report, *options)


def test_reports(tap, work):
    reports = [line.split() for line in REPORTS.strip().split("\n")]
    for name, *options in reports:
        test_report(tap, work, name, options)
    left = set(os.listdir(FOLDER)) - {"".join(words) for words in reports}
    tap.none(left, "no golden report without a line of the table")


main(test_reports)
