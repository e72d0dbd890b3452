#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report for Prometheus: its form as the specification has it, its figures by
the report in JSON. MATRIX=all: its form by promtool, and what a real node_exporter
makes of the file."""
import lzma
import os
import socket
import subprocess
import sys
import time
import urllib.request

sys.dont_write_bytecode = True		# nothing is left in the source

import exposition
import gen
from harness import CASES, HERE, MATRIX, Tap, Workplace, native

GOLDEN = "boot", "initcalls", "names", "sampled_source"


def tool(package, program):
    """Where a program of Debian's is, or why it is not."""
    done = subprocess.run([os.path.join(HERE, "..", "images", "tool"),
                           package], capture_output=True, check=False)
    if done.returncode:
        return None, done.stderr.decode().strip().replace("\n", ": ")
    return os.path.join(done.stdout.decode().strip(), "usr", "bin",
                        program), None


def check_form(tap, promtool, name, text):
    what = f"{name}: promtool check metrics"
    if not MATRIX:
        return
    if not promtool[0]:
        tap.skip(what, promtool[1])
        return
    done = subprocess.run([promtool[0], "check", "metrics"],
                          input=text.encode("ascii"), capture_output=True,
                          check=False)
    said = done.stdout + done.stderr
    tap.ok(done.returncode == 0 and not said, what, said.decode())


def test_case(tap, work, promtool, name):
    work.write(gen.encode(gen.load(os.path.join(CASES, name + ".py")),
                          "little", 8))
    report = work.replay("--level=3", "--format=json")[1]
    status, text, errors = work.replay("--format=prometheus")
    tap.ok(status == 0, f"{name}: written", errors)
    if native():
        tap.ok(work.replay("--format=prometheus", "--level=3",
                           binary=native())[1] == text,
               f"{name}: with sanitizers and at any level")
    try:
        wrong = list(exposition.differences(text, report))
    except ValueError as error:
        wrong = [error]
    tap.ok(not wrong, f"{name}: as in JSON", *wrong[:20])
    check_form(tap, promtool, name, text)
    if name in GOLDEN:
        tap.golden(name + ".prom", text, f"{name}: as in golden/")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def scrape(address, exporter):
    """Its /metrics, as soon as it answers."""
    while exporter.poll() is None:
        try:
            with urllib.request.urlopen(f"http://{address}/metrics") as page:
                return page.read().decode()
        except OSError:
            time.sleep(0.1)
    return ""


def samples(page):
    """As numbers: node_exporter writes large ones with an exponent."""
    found = {}
    for line in page.splitlines():
        if line.startswith("memstrack_"):
            key, _, value = line.rpartition(" ")
            name, _, labels = key.partition("{")
            found[name, tuple(sorted(exposition.LABEL.findall(
                labels.rstrip("}"))))] = float(value)
    return found


def test_exporter(tap, work):
    """Of the file that memstrack writes beside a report."""
    what = "node_exporter: every sample of the file is scraped"
    program, why = tool("prometheus-node-exporter", "prometheus-node-exporter")
    if not program:
        tap.skip(what, why)
        return
    directory = os.path.join(work.directory.name, "textfile")
    os.mkdir(directory)
    file = os.path.join(directory, "memstrack.prom")
    work.write(gen.encode(gen.load(os.path.join(CASES, "boot.py"))))
    work.replay("-o", f"auto,{file}")
    with open(file, encoding="ascii") as f:
        text = f.read()
    address = f"127.0.0.1:{free_port()}"
    with subprocess.Popen(
            [program, "--collector.disable-defaults", "--collector.textfile",
             f"--collector.textfile.directory={directory}",
             f"--web.listen-address={address}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as exporter:
        page = scrape(address, exporter)
        exporter.kill()
    got, want = samples(page), samples(text)
    tap.ok(want and got == want, f"{what} ({len(got)})",
           set(got.items()) ^ set(want.items()))
    tap.ok("node_textfile_scrape_error 0" in page,
           "node_exporter: and it finds no error in it", page[:3000])


def test_rest(tap, work, promtool):
    """A program that calls itself as we call the rest is part of it."""
    with lzma.open(os.path.join(HERE, "0.1.0", "perf.trace.xz")) as f:
        work.write(f.read().replace(b"insmod", b"(rest)"))
    text = work.replay("--format=prometheus", "--top=2")[1]
    tap.ok(text.count('memstrack_task_peak_bytes{task="(rest)"}') == 1,
           "no series is there twice", text)
    check_form(tap, promtool, "a task (rest)", text)


def main():
    tap, work = Tap(), Workplace()
    promtool = tool("prometheus", "promtool") if MATRIX else None
    for path in sorted(os.listdir(CASES)):
        if path.endswith(".py"):
            test_case(tap, work, promtool, path[:-3])
    test_rest(tap, work, promtool)
    if MATRIX:
        test_exporter(tap, work)
    tap.done()


main()
