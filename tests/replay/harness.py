# SPDX-License-Identifier: MIT
"""TAP and a way to run the applet, for the tests of this directory.

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

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "cases")
BUILD = os.environ.get("BUILD", os.path.join(HERE, "..", "..", "build"))
BINARY = os.environ.get("MEMSTRACK", os.path.join(BUILD, "memstrack"))
NATIVE = os.environ.get("NATIVE", os.path.join(BUILD, "native", "memstrack"))
# Browsers, servers and viewers, which must be downloaded, take part.
MATRIX = os.environ.get("MATRIX") == "all"
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

    def skip(self, name, why):
        self.run += 1
        print("ok", self.run, "-", name, "# SKIP", why)

    def golden(self, file, text, what):
        """As the file of golden/, which GOLDEN=write writes, for a human to
        read the differences."""
        path = os.path.join(HERE, "golden", file)
        if os.environ.get("GOLDEN") == "write":
            with open(path, "w", encoding="latin-1") as f:
                f.write(text)
        with open(path, encoding="latin-1") as f:
            self.ok(f.read() == text, what, text)

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

    def replay(self, *options, data=None, **more):
        if data is not None:
            self.write(data)
        return run("replay", self.path, *options, **more)

    def rows(self, *options):
        """The report in JSON."""
        return list(map(json.loads, self.replay(
            "--format=json", *options)[1].splitlines()))


def native():
    """The sanitized binary, or None."""
    return NATIVE if os.access(NATIVE, os.X_OK) else None


def sanitized():
    """The same, or the binary under test."""
    return native() or BINARY


def rows(report):
    return [json.loads(line) for line in report.splitlines()]


def golden(name, report=None):
    """What a report must be. GOLDEN=write writes this one instead, for a human
    to check; "" where there is none."""
    path = os.path.join(HERE, "golden", name)
    if report and os.environ.get("GOLDEN") == "write":
        with open(path, "w", encoding="latin-1") as f:
            f.write(report)
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
