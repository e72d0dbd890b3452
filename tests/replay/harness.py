# SPDX-License-Identifier: MIT
"""TAP, a way to run the applet, and what the tests of this directory share.

MEMSTRACK is the binary under test. NATIVE (if it exists) is the same program
built with sanitizers; exit status 99 means that they found something. NATIVE
also checks every sum, by default after each event; `check` sets after how many
events. A run of it costs ten times as much as one of MEMSTRACK. MATRIX=all: more
runs of both.

What hangs is ended by the limit of time of whatever runs the tests.
"""
import json
import os
import subprocess
import sys
import tempfile

import gen

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", room) for room in ("live", "boot")]
CASES = os.path.join(HERE, "cases")
NAMES = sorted(f[:-3] for f in os.listdir(CASES) if f.endswith(".py"))
BUILD = os.environ.get("BUILD", os.path.join(HERE, "..", "..", "build"))
BINARY = os.environ.get("MEMSTRACK", os.path.join(BUILD, "memstrack"))
NATIVE = os.environ.get("NATIVE", os.path.join(BUILD, "native", "memstrack"))
# Browsers, servers and viewers, which must be downloaded, take part.
MATRIX = os.environ.get("MATRIX") == "all"
QUICK = bool(os.environ.get("QUICK"))
SANITIZER = 99
ENVIRONMENT = dict(os.environ, LC_ALL="C",
                   ASAN_OPTIONS=f"exitcode={SANITIZER}:detect_leaks=0",
                   UBSAN_OPTIONS=f"exitcode={SANITIZER}")


class Tap:
    def __init__(self):
        self.run = self.failed = 0
        if not os.access(BINARY, os.X_OK):
            print(f"1..0 # SKIP no binary at {BINARY}")
            sys.exit(0)

    def ok(self, passed, name, *why):
        self.run += 1
        self.failed += not passed
        print("ok" if passed else "not ok", self.run, "-",
              name.replace("#", " "))
        for line in [] if passed else "\n".join(map(str, why)).split("\n"):
            print("#", line[:300])
        sys.stdout.flush()

    def none(self, wrong, name, *why):
        """Nothing is wrong; ValueError: what is read has another form."""
        try:
            wrong = list(wrong)
        except ValueError as error:
            wrong = [error]
        self.ok(not wrong, name, *why, *wrong[:10])

    def same(self, got, want, name, *why):
        """Two texts or lists are equal."""
        self.ok(got == want, name, *why, first_difference(got, want))

    def refused(self, done, status, why, name):
        """All that was said is one line, which says why."""
        got, out, errors = done
        self.ok(got == status and not out and errors.count("\n") == 1 and
                errors.startswith("memstrack: ") and why in errors,
                name, got, out, errors)

    def golden(self, path, text, name, *why):
        self.same(text, golden(path, text), name, *why)

    def skip(self, name, why):
        self.run += 1
        print("ok", self.run, "-", name, "# SKIP", why)

    def done(self):
        print(f"1..{self.run}")
        sys.exit(bool(self.failed))


def run(*arguments, binary=BINARY, check=1, stdin=None, stdout=None,
        data=None, before=None):
    """(status, standard output, standard error), decoded as bytes are. `data`
    is standard input; `before` runs in the new process."""
    if data is None:
        stdin = stdin or subprocess.DEVNULL
    done = subprocess.run(
        [binary, *arguments], env=dict(ENVIRONMENT, CHECK_EVENTS=str(check)),
        stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, stdin=stdin,
        input=data, preexec_fn=before, check=False)
    out = (done.stdout or b"").decode("latin-1")
    return done.returncode, out, done.stderr.decode("latin-1")


class Workplace:
    """A directory for traces, and the applet run on them."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory()
        self.path = self.at("trace")

    def at(self, name):
        return os.path.join(self.directory.name, name)

    def write(self, data, name="trace"):
        if isinstance(data, str):
            data = data.encode("latin-1")
        with open(self.at(name), "wb") as f:
            f.write(data)
        return self.at(name)

    def read(self, name):
        with open(self.at(name), encoding="latin-1") as f:
            return f.read()

    def case(self, name):
        """Writes this one of cases/."""
        trace = case(name)
        self.write(gen.encode(trace))
        return trace

    def replay(self, *options, data=None, **more):
        if data is not None:
            self.write(data)
        return run("replay", self.path, *options, **more)

    def json(self, *options, **more):
        """(status, report, standard error)"""
        return self.replay("--level=3", "--format=json", *options, **more)

    def rows(self, *options):
        return rows(self.json(*options)[1])

    def formatted(self, tap, name, form, sanitized=True):
        """The trace in this format, which is the same at any level."""
        status, text, errors = self.replay("--format=" + form)
        tap.ok(status == 0, f"{name}: {form}", errors)
        if sanitized and has_turn(name, form):
            self.sanitized(tap, f"{name}: {form}, at any level", text,
                           "--format=" + form, "--level=3")
        return text

    def drawn(self, tap, name, form, text):
        """What `view` draws of the report in JSON is this picture, too."""
        path = self.write(self.replay("--format=json")[1], "report.json")
        status, got, errors = run(
            "view", path, "--format=" + form,
            binary=sanitized() if has_turn(name, form) else BINARY)
        tap.ok(not status and not errors, f"{name}: the report is read",
               errors)
        tap.same(got, text, f"{name}: {form} of the report in JSON")

    def sanitized(self, tap, what, text, *options, check=100000, **more):
        """cases.t has every sum of the books checked after each event."""
        if native():
            got = self.replay(*options, binary=native(), check=check,
                              **more)[1]
            tap.same(got, text, f"{what}: the same with sanitizers")


def main(*tests, each=None, work=None):
    """The whole of a test: `each` with every case, then the others."""
    tap, work = Tap(), work or Workplace()
    for name in NAMES if each else ():
        each(tap, work, name)
    for test in tests:
        test(tap, work)
    tap.done()


def case(name):
    return gen.load(os.path.join(CASES, name + ".py"))


def native():
    """The sanitized binary, or None."""
    return NATIVE if os.access(NATIVE, os.X_OK) else None


def has_turn(name, form):
    """Every fourth case with sanitizers, of each format other ones."""
    return MATRIX or (NAMES.index(name) + len(form)) % 4 == 0


def sanitized():
    """native(), or the binary under test."""
    return native() or BINARY


def rows(report):
    return [json.loads(line) for line in report.splitlines()]


def head_of(report):
    return json.loads(report.split("\n")[0]) if report else {}


def by_type(rows):
    """{type: rows}; frames in lines of their own are with their stack."""
    kinds = {}
    for row in rows:
        if row["type"] == "frames":
            kinds["stack"][-1]["frames"] += row["frames"]
        else:
            kinds.setdefault(row["type"], []).append(row)
    return kinds


def escaped(name, more=""):
    """As a text shows it: printable ASCII."""
    return "".join(c if " " <= c <= "~" and c not in "\\" + more else
                   f"\\x{ord(c):02x}" for c in name)


def printable(text):
    return all(" " <= c <= "~" or c == "\n" for c in text)


def golden(path, text=None):
    """What a report must be; "" where there is no such file. GOLDEN=write
    writes this one instead, for a human to check."""
    path = os.path.join(HERE, path)
    if text and os.environ.get("GOLDEN") == "write":
        with open(path, "w", encoding="latin-1") as f:
            f.write(text)
    try:
        with open(path, encoding="latin-1") as f:
            return f.read()
    except OSError:
        return ""


def first_difference(got, want):
    """Of two texts, or two lists."""
    got, want = (x.split("\n") if isinstance(x, str) else list(x)
                 for x in (got, want))
    pairs = zip(got + ["(end)"], want + ["(end)"])
    return next((f"got  {a}\nwant {b}" for a, b in pairs if a != b), "")


def tool(name, *arguments):
    """What a program of tests/ prints, and why it failed: one is None."""
    done = subprocess.run([os.path.join(HERE, "..", name), *arguments],
                          capture_output=True, check=False)
    if done.returncode:
        return None, done.stderr.decode().strip().replace("\n", ": ")
    return done.stdout.decode().strip(), None


def chromium(work, *options):
    done = subprocess.run(
        ["nice", "-n", "19", "chromium", "--headless", "--no-sandbox",
         "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--allow-file-access-from-files", "--hide-scrollbars",
         f"--user-data-dir={work.at('chromium')}", *options],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode("utf-8", "replace")


def page(work, find, *options):
    """What find() finds in a page when its scripts have run. On a busy machine
    Chromium may end before it has: then once more."""
    for seconds in 5, 20, 60, 120:
        found = find(chromium(work, "--dump-dom", *options,
                              f"--virtual-time-budget={seconds * 1000}"))
        if found:
            break
    return found
