#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Each number of the reports for programs has its unit in its name.

A quantity ends in _pages, _kib or _bytes, a time in _ns; whatever else is a
number is a count, a state or a number of something, and listed here. The names
are those of all golden reports, and those that the sources write: some records
have no golden report.
"""
import collections
import glob
import json
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
UNITS = re.compile(r"(.*)_(pages|kib|bytes|ns|permille)")
COUNTS = set("""
allocs frees failed_allocs cross_cpu_frees before_frees seen applied ignored
rejected lost late settled untracked bad_records outside_ram events before_init
before_init_lost frames unnamed_frames records records_cut book_records rows
runs rounds count inodes calls sites slots oom_kills processes running
wrong_lines unknown_pairs differences cgroup_max_events cgroup_oom_kills besides
live_objects leak_objects bulk_objects page_objects grown_objects traced_objects
cpus_traced cpus_online full_frames failed unknown allocation_records
silent_records points spans tags
stacks_rows owners_rows tasks_rows modules_rows symbols_rows
tasks_full modules_full ranges_full functions_full areas_full stacks_full
owners_full sites_full caches_full faults_full full_sites inaccurate_sites
negative_sites tasks_recycled tasks_recycled_peak modules_recycled
modules_recycled_peak owners_recycled owners_recycled_peak
""".split())
STATES = set("""
complete sampled in_use is_full is_part rootfs_full kinds_known at_most at_least more
oom_victim is_peak is_row accurate whole doubtful certain clock_known
""".split())
NUMBERS = set("""
level pid ppid tgid task_pid our_pid signal exit_status order row addr line
pfn
""".split())
# The kernel's own sums (taskstats): memory by time.
OTHERS = {"rss_mib_us", "vm_mib_us"}
# Rows hold pages, objects of slab hold bytes. "used" is of huge pages and of
# all memory, "before" is what was taken before tracing, or a side of a
# comparison.
BOTH = {"peak", "at_peak", "used", "before"}


def walk(value, name=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from walk(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner, name)
    elif isinstance(value, (int, float)):
        yield name


def of_goldens():
    """{name: one file that has it}"""
    names = {}
    for folder in "tests/replay/*golden*", "tests/replay/reports", \
            "tests/replay/golden/diff", "tests/unit/golden":
        for path in glob.glob(os.path.join(ROOT, folder, "*")):
            if not os.path.isfile(path):
                continue
            with open(path, encoding="latin-1") as f:
                for line in f:
                    if not line.startswith('{"type":"'):
                        continue
                    for name in walk(json.loads(line)):
                        names.setdefault(name, os.path.relpath(path, ROOT))
    return names


def of_sources():
    names = {}
    for path in glob.glob(os.path.join(ROOT, "applet", "**", "*.[ch]"),
                          recursive=True):
        if path.endswith(("chrome.c", "sections.c")):
            continue	# formats of others
        with open(path, encoding="utf-8") as f:
            text = f.read()
        found = re.findall(r'\\"([a-z_]+)\\":(?:%[ui]|[0-9])', text)
        for words in re.findall(
                r'(?:json_|put_|line_)(?:numbers?|signed|tgid)\(&?[\w>.-]+,'
                r'(?:\s*"%[ui]",)?\s*((?:"[^"]*"\s*)+),', text):
            found += "".join(re.findall(r'"([^"]*)"', words)).split()
        # A list with a name of its own.
        for words in re.findall(
                r'(?:names\[\] =|_KEYS)[\s\\]*((?:"[^"]*"[\s\\]*)+)', text):
            found += "".join(re.findall(r'"([^"]*)"', words)).split()
        for name in filter(str.isidentifier, found):
            names.setdefault(name, os.path.relpath(path, ROOT))
    return names


def wrong(names):
    for name, path in sorted(names.items()):
        if not UNITS.fullmatch(name) and \
                name not in COUNTS | STATES | NUMBERS | OTHERS:
            yield f"{path}: {name} has no unit and is no count"


def in_two_units(names):
    units = collections.defaultdict(set)
    for name in names:
        found = UNITS.fullmatch(name)
        if found and found[2] in ("pages", "kib", "bytes"):
            units[found[1]].add(found[2])
    for stem, of in sorted(units.items()):
        if len(of) > 1 and stem not in BOTH:
            yield f"{stem} is in {', '.join(sorted(of))}"


def check(number, what, complaints):
    print("not " * bool(complaints) + f"ok {number} - {what}",
          *complaints, sep="\n# ", flush=True)


GOLDENS, SOURCES = of_goldens(), of_sources()
check(1, f"{len(GOLDENS)} names of numbers in golden reports",
      [*wrong(GOLDENS)] if len(GOLDENS) > 100 else ["too few"])
check(2, f"{len(SOURCES)} names of numbers in the sources",
      [*wrong(SOURCES)] if len(SOURCES) > 150 else ["too few"])
check(3, "no quantity is in two units", [*in_two_units({**GOLDENS, **SOURCES})])
check(4, "no name is listed in vain", sorted(
    (COUNTS | STATES | NUMBERS | OTHERS) - set(GOLDENS) - set(SOURCES)))
print("1..4")
