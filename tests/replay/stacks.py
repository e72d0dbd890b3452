# SPDX-License-Identifier: MIT
"""What folded stacks must say, by the report in JSON at level 3.

Read by the rules of flamegraph.pl, which documents its input so: frames joined
by semicolons, then whitespace and a number; lines that are alike are added up.
"""
import collections
import re

from harness import by_type, escaped

LINE = re.compile(r"^(.*)\s+?(\d+(?:\.\d*)?)$")
OFFSET = re.compile(r"(?<=[^)])\+0x[0-9a-f]+(/0x[0-9a-f]+)?")


def parse(text):
    """frames -> bytes; ValueError where flamegraph.pl would ignore a line."""
    stacks = collections.Counter()
    for line in text.splitlines():
        match = LINE.match(line)
        if not match or not match.group(1) or " " in match.group(1):
            raise ValueError(f"not a folded stack: {line}")
        frames = tuple(match.group(1).split(";"))
        if "" in frames[1:]:
            raise ValueError(f"an empty frame: {line}")
        stacks[frames] += int(match.group(2))
    return stacks


def name(raw):
    """A name of JSON, whose bytes are its characters."""
    return escaped(raw.replace(" ", "_").replace(";", ":"))


def frame(raw):
    code, _, module = raw.partition(" [")
    code = OFFSET.sub("", code)
    return name(code) + (f"_[{name(module[:-1])}]" if module else "")


def root_of(row):
    if row["type"] == "module":
        return name(row["name"])
    return name(row["comm"]) + ("" if row["state"] == "fixed" else
                                f"[{row['pid']}]")


def wanted_stacks(rows, owner, page):
    """Those of the modules, or of the tasks, that have frames."""
    stacks, root = collections.Counter(), None
    for row in rows:
        if row["type"] in ("task", "module"):
            root = root_of(row)
        elif row["type"] == "stack" and row["frames"] and \
                row["owner"].startswith(owner):
            frames = tuple(frame(f) for f in reversed(row["frames"]))
            stacks[(root, *frames)] += row["now_pages"] * page
    return +stacks


def wanted_roots(rows, page):
    """Bytes now of each module, or task."""
    sums = collections.Counter()
    for row in rows:
        sums[root_of(row)] += page * sum(row.get(k) or 0 for k in (
            "now_pages", "image_pages", "vmalloc_pages"))
    return sums


def roots(stacks):
    sums = collections.Counter()
    for frames, value in stacks.items():
        sums[frames[0]] += value
    return +sums


def framed(stacks):
    """Only what has a stack."""
    ours = ("(anonymous)", "(no_stack)", "(image)", "(vmalloc)", "(areas)")
    return collections.Counter({
        f: n for f, n in stacks.items()
        if len(f) > 1 and n and f[-1] not in ours and
        not {"(vmalloc)", "(areas)"} & set(f[:2]) and
        f[0] not in ("(note)", "(not_listed)")})


def differences(folded, peak, tasks, rows):
    """What three folded reports say otherwise than the rows in JSON."""
    kinds = by_type(rows)
    page = rows[0]["page_bytes"]

    def pages(kind, *keys):
        return sum(r[k] for r in kinds.get(kind, []) for k in keys)
    sampled = any(row.get("sampled") for row in rows)
    held = pages("kind", "now_pages") if sampled else \
        rows[0]["now_pages"] + pages("areas", "now_pages")
    most = pages("peak", "traced_pages", "areas_pages") \
        if "peak" in kinds and not sampled else None
    for text, want in (folded, held), (tasks, held), (peak, most):
        got = sum(parse(text).values())
        if want is not None and got != want * page:
            yield f"{got} bytes, must be {want * page}"
    if sampled:
        return
    for kind, text in ("module", folded), ("task", tasks):
        stacks = parse(text)
        want = wanted_stacks(rows, kind, page)
        if framed(stacks) != want:
            yield f"{kind}: {framed(stacks) - want} too much, " \
                f"{want - framed(stacks)} missing"
        want = wanted_roots(kinds.get(kind, []), page)
        if kind == "task":		# what is charged to none
            want["(areas)"] += page * (pages("areas", "now_pages") - sum(
                r.get("vmalloc_pages", 0) for r in kinds.get("task", [])))
        if roots(stacks) != +want:
            yield f"{kind}: {roots(stacks)} instead of {want}"
