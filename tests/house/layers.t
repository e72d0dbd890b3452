#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""What a file of applet/ may need, by its includes and by the names that its
object uses (nm). The objects are those of $BUILD/applet: `make all` comes
first.

Each directory uses only directories below it, and of these only the headers
that are listed here. This gives the program its shape:

  ledger/ and report/ get events, a session and memory, and nothing else;
  report/ reads the books and cannot change them (ledger/events.h);
  boot/, which must work when all else fails, only asks the tracer;
  source/ shows others only events, sessions and struct source, but not perf
  and tracefs.

ledger/, report/ and config/ do not call the system: they use no file, no clock,
and only the memory that they are given.

No two files need each other, neither directly nor through others. A source and
the header of the same name beside it are one file here; but a header that has
the name of its room, or whose name no source has, stands for itself.

And every source file names its license in a comment of its first line, or of the
second, where the first names an interpreter. It is that of LICENSE.
"""
import fnmatch
import graphlib
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.append(os.path.join(TOP, "tests", "replay"))

from harness import BUILD, Tap

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)

# What files of a room may include beside each other, the lowest room first.
ROOMS = {
    "base": "limits.h",
    "config": "limits.h base/base.h",
    "source": "limits.h base/*",
    "ledger": "limits.h base/base.h source/event.h",
    "report": """limits.h base/base.h config/config.h source/event.h
        ledger/ledger.h ledger/tables.h ledger/objects.h ledger/history.h""",
    "output": "limits.h base/* config/config.h report/report.h",
    "record": """limits.h base/* config/config.h source/event.h ledger/ledger.h
        ledger/events.h report/report.h output/output.h""",
    "host/formats": """limits.h base/base.h config/config.h source/event.h
        ledger/ledger.h ledger/history.h report/*""",
    "host/kmemtrace": """limits.h base/* config/config.h source/event.h
        ledger/events.h report/report.h output/output.h record/record.h""",
    "host/diff": """limits.h base/* config/config.h report/report.h output/output.h
        record/record.h""",
    "control": "limits.h base/* config/config.h output/output.h",
    "host/view": """limits.h base/* config/config.h source/event.h
        source/proc/proc.h ledger/* report/* output/output.h control/control.h""",
    "tracer": """limits.h base/* config/config.h source/* ledger/ledger.h
        ledger/events.h report/report.h output/output.h record/record.h
        control/control.h""",
    "host/estimate": """limits.h base/* config/config.h source/event.h
        source/proc/proc.h report/report.h""",
    "host/top": """limits.h base/* config/config.h control/control.h
        report/report.h""",
    "host/run": """limits.h base/* config/config.h source/* report/report.h
        output/output.h control/control.h tracer/tracer.h""",
    "boot": "limits.h base/* config/config.h control/control.h",
}
PURE = "ledger", "report", "config"
# Those compiled for each binary: where the objects of $BUILD/memstrack are.
EACH = {"main": "../main", "base/features": "../features"}
# What objects of these may use of others. The formats of a host are the one
# thing above that report/ calls, by a name of report.h.
ALLOWED = set("""arena_take parse_u64 parse_size print_to memcpy memset memcmp
    memmove memchr strlen strnlen strcmp strncmp length_to past_last find_text
    text_hash hash_bucket hash_buckets hash_bytes hash_init meminfo_sampled
    kept_names features report_write_of_host""".split())


# Formats without a comment, texts for people, data that tests compare byte by
# byte, and what debian/copyright speaks for.
WITHOUT = re.compile(r"""
    (^|/)(LICENSE|\.gitignore|external\.desc) $
    | \.(md|svg|xz) $
    | ^initramfs/packages/debian/ (?!rules$)
    | ^tests/replay/(golden|reports|view-golden)/
    | ^tests/(fuzz/corpus|unit/golden)/""", re.VERBOSE)
# How a comment begins and ends.
COMMENTS = [(r"\.[ch]$", "/* ", " */"), (r"\.[1-9]$", '.\\" ', ""),
            (r"", "# ", "")]


class Wrong(Exception):
    """What keeps the needs of a file from being known."""


def files_in(root):
    """Paths from root of all sources and headers."""
    return sorted(os.path.relpath(os.path.join(folder, name), root)
                  for folder, _, names in os.walk(root) for name in names
                  if name.endswith((".c", ".h", ".S")))


def stem(path):
    name = os.path.splitext(path)[0]
    folder, _, last = name.rpartition("/")
    return path if path.endswith(".h") and folder.split("/")[-1] == last else name


def includes(root, paths):
    """(file, what it includes), both from root."""
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as f:
            names = INCLUDE.findall(f.read())
        for name in names:
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            found = [p for p in (beside, name) if p in paths]
            if not found:
                raise Wrong(f"{path} includes {name}, which is nowhere")
            yield path, found[0]


def nm(tool, files):
    """{object: its (kind, name)}"""
    out = subprocess.run([tool, "-g", "-A", *files], capture_output=True,
                         encoding="utf-8", check=False)
    if out.returncode:
        raise Wrong(out.stderr.strip() + " (make all?)")
    read = {file: [] for file in files}
    for line in out.stdout.splitlines():
        file, symbol = line.rsplit(":", 1)
        read[file].append(symbol.split()[-2:])
    return read


def objects(folder, paths, each=None):
    """{file: (names that its object defines, those that it uses of others)}.
    Objects for the optimisation at link time alone are read by gcc-nm."""
    names = [stem(path) for path in paths if not path.endswith(".h")]
    files = {os.path.join(folder, (each or {}).get(name, name) + ".o"): name
             for name in names}
    read = nm("nm", files)
    unread = [file for file, names in read.items() if not names or any(
        name.startswith("__gnu_lto") for _, name in names)]
    if unread:
        read.update(nm("gcc-nm", unread))
    for file, names in read.items():
        if not names:
            raise Wrong(f"{file}: no symbols")
    return {files[file]: ({name for kind, name in names if kind not in "Uwv"},
                          {name for kind, name in names if kind in "Uwv"})
            for file, names in read.items()}


# --- the license

def sources():
    """Paths of all that belongs to the source, with git or without."""
    done = subprocess.run("git ls-files -c -o --exclude-standard", cwd=TOP,
                          shell=True, check=False, capture_output=True,
                          encoding="utf-8")
    paths = done.stdout.splitlines() if not done.returncode else [
        os.path.relpath(os.path.join(folder, name), TOP)
        for folder, _, names in os.walk(TOP) for name in names]
    return sorted(p for p in paths if not WITHOUT.search(p) and
                  not p.startswith(("build/", ".git/")) and
                  os.path.isfile(os.path.join(TOP, p)))


def named(path, text):
    before, after = next((before, after) for pattern, before, after in COMMENTS
                         if re.search(pattern, path))
    if text.startswith("#!"):
        text = text.partition("\n")[2]
    return text.startswith(f"{before}SPDX-License-Identifier: MIT{after}\n")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8", newline="") as f:
        return f.read()


def unlicensed(tap):
    paths = sources()
    kinds = {os.path.splitext(path)[1] for path in paths}
    tap.ok(read("LICENSE").startswith("MIT License\n"),
           "LICENSE is the MIT license")
    tap.ok({".c", ".h", ".py", ".sh", ".t", ".8", ""} <= kinds,
           "sources of each kind were found", kinds)
    mark = "# SPDX-License-Identifier: MIT\n"
    tap.ok(not named("a.c", "int a;\n") and
           not named("a", "#!/bin/sh\n\n" + mark) and
           named("a", "#!/bin/sh\n" + mark),
           "one that does not name it is found out")
    tap.none((p for p in paths if not named(p, read(p))),
             f"each of {len(paths)} source files names the license")


# --- rooms

def room_of(path):
    """host/ holds a room for each tool."""
    return os.path.dirname(path) if path.startswith("host/") else \
        path.split("/")[0]


def strangers(rooms, included):
    """What a file includes of another room and may not."""
    for path, name in included:
        room = room_of(path)
        if room in rooms and not any(
                fnmatch.fnmatchcase(name, like)
                for like in [room + "/*", *rooms[room].split()]):
            yield f"{path} includes {name}"


def upside_down(rooms):
    """What is listed and is no lower room's."""
    lower = ["limits.h"]
    for room, patterns in rooms.items():
        for pattern in patterns.split():
            if not any(fnmatch.fnmatchcase(pattern, p) for p in lower):
                yield f"{room} may include {pattern}"
        lower.append(room + "/*")


def homeless():
    applet = os.path.join(TOP, "applet")
    tools = {"host/" + name for name in os.listdir(os.path.join(applet, "host"))}
    return (set(os.listdir(applet)) | tools) - set(ROOMS) - {
        "host", "README.md", "main.c", "limits.h", "memstrack.8",
        "memstrack-report.7", "memstrack-tools.8"}


def impure(read):
    """Names that the pure rooms use and may not; `read`: of objects()."""
    pure = [names for path, names in read.items()
            if path.startswith(tuple(room + "/" for room in PURE))]
    return set().union(*(used for _, used in pure)) - ALLOWED - \
        set().union(*(defines for defines, _ in pure))


# --- circles

def needs_of(root, read=None):
    """{file: {file that it needs: [why]}}; `read`: of objects(), else they lie
    there."""
    paths = files_in(root)
    needs = {stem(path): {} for path in paths}
    for path, name in includes(root, paths):
        if stem(name) != stem(path):
            needs[stem(path)].setdefault(stem(name), []).append(
                "includes " + os.path.basename(name))
    if read is None:
        read = objects(root, paths)
    defined = {name: path for path, (defines, _) in read.items()
               for name in defines}
    for user, (_, names) in read.items():
        for name in sorted(names & defined.keys()):
            needs[user].setdefault(defined[name], []).append("calls " + name)
    return needs


def circle(needs):
    """One, beginning with its first file by name; none where there is none."""
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError as e:
        way = e.args[1][:0:-1]		# who needs, then what it needs
        way = way[way.index(min(way)):] + way[:way.index(min(way))]
        yield way[0] + "".join(
            f" -> {to} ({', '.join(needs[at][to][:3])})"
            for at, to in zip(way, way[1:] + way[:1]))


def made(files, *flags):
    """The circle of such files, compiled. They are {path: text}."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            file = os.path.join(root, path)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "w", encoding="utf-8") as f:
                f.write(text)
            if path.endswith(".c"):
                subprocess.run(["gcc", *flags, "-iquote", root, "-c", path,
                                "-o", stem(path) + ".o"], cwd=root, check=True)
        return list(circle(needs_of(root)))


# What high/b.c does is told by low/a.h: only its include points down.
MIXED = {
    "low/a.h": "int b(int);\nint a(int);\n",
    "low/a.c": '#include "a.h"\nint a(int n) { return n ? b(n - 1) : 0; }\n',
    "high/b.c": '#include "low/a.h"\nint b(int n) { return n; }\n',
}
STRAIGHT = {
    "a.h": "int b(int);\n",
    "a.c": '#include "a.h"\nint a(int n) { return b(n); }\n',
    "b.c": "int b(int n) { return n; }\n",
    "api.h": "int a(int);\nint b(int);\n",
    "main.c": '#include "api.h"\nint main(void) { return a(b(1)); }\n',
}


def said(function, *arguments):
    try:
        return list(function(*arguments))
    except (Wrong, OSError, subprocess.CalledProcessError) as e:
        return [str(e)]


def main():
    tap = Tap()
    applet, built = (os.path.join(top, "applet") for top in (TOP, BUILD))
    paths = files_in(applet)
    included = list(includes(applet, paths))
    for room in ROOMS:
        mine = [pair for pair in included if pair[0].startswith(room + "/")]
        tap.ok(mine, f"{room}/ was read")
        tap.none(strangers(ROOMS, mine), f"{room}/ includes only what it may")
    read = objects(built, paths, EACH)
    both = ["high/b -> low/a (includes a.h) -> high/b (calls b)"]
    for name, got, want in [
            ("no room may include a later one", upside_down(ROOMS), []),
            ("every file lies in a room", homeless(), []),
            ("an include that is not allowed is found",
             strangers({"low": "limits.h"}, [("low/in/a.h", "high/b.h")]),
             ["low/in/a.h includes high/b.h"]),
            ("one that is allowed is not",
             strangers({"low": "high/*"}, [("low/in/a.h", "high/b.h")]), []),
            ("a list upside down is found",
             upside_down({"ledger": "base/arena.h", "base": ""}),
             ["ledger may include base/arena.h"]),
            ("no object of ledger/, report/ and config/ calls the system",
             impure(read), []),
            ("one that does is found out",
             impure({"ledger/file": read["output/file"]}) & {"write"},
             ["write"]),
            ("a circle of a call and an include is found", said(made, MIXED),
             both),
            ("in objects that only the linker can read as well",
             said(made, MIXED, "-flto", "-fno-fat-lto-objects"), both),
            ("where there is none, none", said(made, STRAIGHT), []),
            ("an include that is nowhere is said",
             said(made, {"a.h": '#include "lost.h"\n'}),
             ["a.h includes lost.h, which is nowhere"]),
            ("no circles in applet/",
             said(lambda: circle(needs_of(applet, read))), [])]:
        tap.same(list(got), want, name)
    unlicensed(tap)
    tap.done()


main()
