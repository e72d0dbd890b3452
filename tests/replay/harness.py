# SPDX-License-Identifier: MIT
"""TAP and a way to run the applet, for the tests of this directory.

MEMSTRACK is the binary under test. NATIVE (if it exists) is the same program
built with sanitizers; exit status 99 means that they found something. NATIVE
also checks every sum, by default after each event; `check` sets after how many
events.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "cases")
BUILD = os.path.join(HERE, "..", "..", "build")
BINARY = os.environ.get("MEMSTRACK", os.path.join(BUILD, "memstrack"))
NATIVE = os.environ.get("NATIVE", os.path.join(BUILD, "native", "memstrack"))
SANITIZER = 99
HANGS, HANGS_S = 124, 60
# Browsers, servers and viewers, which must be downloaded, take part.
MATRIX = os.environ.get("MATRIX") == "all"
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


class Workplace:
    """A directory for traces, and the applet run on them."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.directory.name, "trace")

    def write(self, data):
        with open(self.path, "wb") as f:
            f.write(data)

    def replay(self, *options, data=None, binary=BINARY, stdout=None,
               check=1):
        """(status, standard output, standard error), decoded as bytes are."""
        if data is not None:
            self.write(data)
        try:
            done = subprocess.run(
                [binary, "replay", self.path, *options],
                env=dict(ENVIRONMENT, CHECK_EVENTS=str(check)),
                stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE,
                timeout=HANGS_S, stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            return HANGS, "", f"runs after {HANGS_S} s"
        out = (done.stdout or b"").decode("latin-1")
        return done.returncode, out, done.stderr.decode("latin-1")

    def rows(self, *options):
        """The report in JSON."""
        return list(map(json.loads, self.replay(
            "--format=json", *options)[1].splitlines()))


def native():
    """The sanitized binary, or None."""
    return NATIVE if os.access(NATIVE, os.X_OK) else None
