#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No two files of applet/ need each other, neither directly nor through others.

A source and the header of the same name beside it are one file here; a header
without such a source stands for itself. A file needs the files that it
includes, and those that define the functions and data that its object uses
(nm), whatever header declares them. The objects are those of $BUILD/applet:
`make all` comes first.
"""
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.dont_write_bytecode = True		# nothing is left in the source
sys.path.append(os.path.join(TOP, "tests", "replay"))

from harness import Tap

BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


class Wrong(Exception):
    """What keeps the needs of a file from being known."""


def files_in(root):
    """Paths from root of all sources and headers."""
    return sorted(os.path.relpath(os.path.join(folder, name), root)
                  for folder, _, names in os.walk(root) for name in names
                  if name.endswith((".c", ".h", ".S")))


def stem(path):
    return os.path.splitext(path)[0]


def add_includes(needs, root, paths):
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as f:
            names = INCLUDE.findall(f.read())
        for name in names:
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            found = [p for p in (beside, name) if p in paths]
            if not found:
                raise Wrong(f"{path} includes {name}, which is nowhere")
            if stem(found[0]) != stem(path):
                needs[stem(path)].setdefault(stem(found[0]), []).append(
                    "includes " + os.path.basename(name))


def symbols(path):
    """Names that an object defines, and those that it uses of others. Objects
    for the optimisation at link time alone are read by gcc-nm."""
    def nm(tool):
        out = subprocess.run([tool, "-g", path], capture_output=True,
                             encoding="utf-8", check=False)
        if out.returncode:
            raise Wrong(out.stderr.strip() + " (make all?)")
        return [line.split()[-2:] for line in out.stdout.splitlines() if line]
    read = nm("nm")
    if not read or any(name.startswith("__gnu_lto") for _, name in read):
        read = nm("gcc-nm")
    if not read:
        raise Wrong(f"{path}: no symbols")
    return ({name for kind, name in read if kind not in "Uwv"},
            {name for kind, name in read if kind in "Uwv"})


def add_calls(needs, objects, paths):
    defined, used = {}, {}
    for path in paths:
        if not path.endswith(".h"):
            defines, used[stem(path)] = symbols(
                os.path.join(objects, stem(path) + ".o"))
            defined.update(dict.fromkeys(defines, stem(path)))
    for user, names in used.items():
        for name in sorted(names & defined.keys()):
            needs[user].setdefault(defined[name], []).append("calls " + name)


def needs_of(root, objects):
    """{file: {file that it needs: [why]}}"""
    paths = files_in(root)
    if not paths:
        raise Wrong(f"{root}: no sources")
    needs = {stem(path): {} for path in paths}
    add_includes(needs, root, paths)
    add_calls(needs, objects, paths)
    return needs


def way_back(needs, start):
    """The shortest way from a file to itself, or None."""
    before, waiting = {}, [start]
    while waiting:
        at = waiting.pop(0)
        for to in sorted(needs[at]):
            if to not in before:
                before[to] = at
                waiting.append(to)
    if start not in before:
        return None
    way = [before[start]]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]


def circles(needs):
    """One through each file that is on any, each told once."""
    found = {}
    for start in sorted(needs):
        way = way_back(needs, start)
        if way:
            first = way.index(min(way))
            way = way[first:] + way[:first]
            found[tuple(way)] = way[0] + "".join(
                f" -> {to} ({', '.join(needs[at][to][:3])})"
                for at, to in zip(way, way[1:] + way[:1]))
    return list(found.values())


def made(files, *flags):
    """The circles of such files, compiled. They are {path: text}."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)),
                        exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                f.write(text)
            if path.endswith(".c"):
                subprocess.run(["gcc", *flags, "-iquote", root, "-c", path],
                               cwd=root, check=True)
                os.replace(os.path.join(root, os.path.basename(stem(path))) +
                           ".o", os.path.join(root, stem(path) + ".o"))
        return circles(needs_of(root, root))


GUARDED = "#ifndef {0}\n#define {0}\n{1}\n#endif\n"
INCLUDES = {
    "low/a.h": GUARDED.format("A", '#include "b.h"'),
    "low/b.h": GUARDED.format("B", '#include "high/c.h"'),
    "high/c.h": GUARDED.format("C", '#include "low/a.h"'),
    "high/d.c": '#include "low/a.h"\nint d;\n',
}
CALLS = {
    "x/a.c": "int b(int);\nint a(int n) { return n ? b(n - 1) : 0; }\n",
    "x/b.c": "int a(int);\nint b(int n) { return n ? a(n - 1) : 0; }\n",
}
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
        return function(*arguments)
    except (Wrong, OSError, subprocess.CalledProcessError) as e:
        return [str(e)]


def main():
    called = ["x/a -> x/b (calls b) -> x/a (calls a)"]
    tests = [
        ("a circle of includes is found", said(made, INCLUDES),
         ["high/c -> low/a (includes a.h) -> low/b (includes b.h) -> "
          "high/c (includes c.h)"]),
        ("a circle of calls", said(made, CALLS), called),
        ("in objects that only the linker can read as well",
         said(made, CALLS, "-flto", "-fno-fat-lto-objects"), called),
        ("one of a call and an include", said(made, MIXED),
         ["high/b -> low/a (includes a.h) -> high/b (calls b)"]),
        ("where there is none, none", said(made, STRAIGHT), []),
        ("an include that is nowhere is said",
         said(made, {"a.h": '#include "lost.h"\n'}),
         ["a.h includes lost.h, which is nowhere"]),
        ("no circles in applet/",
         said(lambda: circles(needs_of(os.path.join(TOP, "applet"),
                                       os.path.join(BUILD, "applet")))), []),
    ]
    tap = Tap()
    for name, got, wanted in tests:
        tap.ok(got == wanted, name, *got or ["none"])
    tap.done()


if __name__ == "__main__":
    main()
