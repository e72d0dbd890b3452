# SPDX-License-Identifier: MIT
"""What folded stacks must say, by the report in JSON at level 3.

Read by the rules of flamegraph.pl, which documents its input so: frames joined
by semicolons, then whitespace and a number; lines that are alike are added up.
"""
import collections
import json
import re

LINE = re.compile(r"^(.*)\s+?(\d+(?:\.\d*)?)$")
OFFSET = re.compile(r"(?<=[^)])\+0x[0-9a-f]+(/0x[0-9a-f]+)?")
NOTE = ("(note)",)


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
    return "".join("_" if c == " " else ":" if c == ";" else
                   c if "!" <= c <= "~" and c != "\\" else f"\\x{ord(c):02x}"
                   for c in raw)


def frame(raw):
    code, _, module = raw.partition(" [")
    code = OFFSET.sub("", code)
    return name(code) + (f"_[{name(module[:-1])}]" if module else "")


def task_name(row):
    return name(row["comm"]) + ("" if row["state"] == "fixed" else
                                f"[{row['pid']}]")


class Account:
    """The sums that a report in JSON gives."""

    def __init__(self, text):
        self.lines = [json.loads(line) for line in text.splitlines()]
        self.head = self.lines[0]
        self.page = self.head["page_size"]
        self.sampled = any(l.get("sampled") for l in self.lines)
        self.stacks = {"module": collections.Counter(),
                       "task": collections.Counter()}
        if not self.sampled:
            self.read()

    def read(self):
        last = root = None
        for line in self.lines:
            if line["type"] == "task":
                root = task_name(line)
            elif line["type"] == "module":
                root = name(line["name"])
            elif line["type"] == "stack":
                last = dict(line, root=root)
                line["last"] = last
            elif line["type"] == "frames":
                last["frames"] += line["frames"]
        for line in self.of("stack"):
            last = line["last"]
            frames = tuple(frame(f) for f in reversed(last["frames"]))
            if line["now_pages"]:
                self.stacks[line["owner"].partition(":")[0]][
                    (last["root"],) + frames] += line["now_pages"] * self.page

    def of(self, kind):
        return [line for line in self.lines if line["type"] == kind]

    def vmalloc(self):
        return sum(c["pages"] for c in self.of("vmalloc")) * self.page

    def modules(self):
        """Bytes now of each module, all of them."""
        sums = collections.Counter()
        for row in self.of("module"):
            sums[name(row["name"])] += self.page * (
                row["now_pages"] + (row["image_pages"] or 0) +
                (row["vmalloc_pages"] or 0))
        return +sums

    def tasks(self):
        sums = collections.Counter()
        for row in self.of("task"):
            sums[task_name(row)] += row["now_pages"] * self.page
        sums["(vmalloc)"] += self.vmalloc()
        return +sums


def roots(stacks):
    sums = collections.Counter()
    for frames, value in stacks.items():
        sums[frames[0]] += value
    return +sums


def framed(stacks):
    """Only what has a stack."""
    ours = ("(anonymous)", "(no_stack)", "(image)", "(vmalloc)")
    return collections.Counter({
        f: n for f, n in stacks.items()
        if len(f) > 1 and n and f[-1] not in ours and
        "(vmalloc)" not in f[:2] and f[0] not in ("(note)", "(not_listed)")})


def differences(folded, peak, tasks, report):
    """What three folded reports say otherwise than the one in JSON."""
    account = Account(report)
    if account.sampled:
        kinds = sum(k["now_pages"] for k in account.of("kind")) * account.page
        for text in folded, tasks:
            if sum(parse(text).values()) != kinds:
                yield f"{sum(parse(text).values())} sampled, not {kinds}"
        return
    held = account.head["now_pages"] * account.page + account.vmalloc()
    now, by_task = parse(folded), parse(tasks)
    for what, stacks in ("folded", now), ("folded-tasks", by_task):
        if sum(stacks.values()) != held:
            yield f"{what}: {sum(stacks.values())} bytes, {held} are held"
    for peak_line in account.of("peak"):
        most = (peak_line["traced_pages"] +
                peak_line["vmalloc_pages"]) * account.page
        if sum(parse(peak).values()) != most:
            yield f"folded-peak: {sum(parse(peak).values())}, not {most}"
    for what, stacks, kind, rows in (
            ("folded", now, "module", account.modules()),
            ("folded-tasks", by_task, "task", account.tasks())):
        wanted = collections.Counter({
            f: n for f, n in account.stacks[kind].items() if len(f) > 1})
        if framed(stacks) != wanted:
            yield f"{what}: {framed(stacks) - wanted} too much, " \
                f"{wanted - framed(stacks)} missing"
        if roots(stacks) != rows:
            yield f"{what}: {roots(stacks)} instead of {rows}"
