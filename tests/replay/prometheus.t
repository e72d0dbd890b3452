#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""The report for Prometheus: its form as the specification has it, its figures by
the report in JSON. MATRIX=all: its form by promtool, and what a real node_exporter
makes of the file."""
import lzma
import os
import socket
import subprocess
import time
import urllib.request

import exposition
from harness import HERE, MATRIX, main, tool

PROMTOOL = tool("images/tool", "prometheus") if MATRIX else (None, None)
GOLDEN = "boot", "initcalls", "names", "sampled_source"


def check_form(tap, name, text):
    what, (tree, why) = f"{name}: promtool check metrics", PROMTOOL
    if why:
        tap.skip(what, why)
    elif tree:
        done = subprocess.run([tree + "/usr/bin/promtool", "check", "metrics"],
                              input=text.encode("ascii"), check=False,
                              capture_output=True)
        said = done.stdout + done.stderr
        tap.ok(done.returncode == 0 and not said, what, said.decode())


def test_case(tap, work, name):
    work.case(name)
    text = work.formatted(tap, name, "prometheus")
    tap.none(exposition.differences(text, work.rows()), f"{name}: as in JSON")
    check_form(tap, name, text)
    if name in GOLDEN:
        tap.golden(f"golden/{name}.prom", text, f"{name}: as in golden/")


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
    if not MATRIX:
        return
    what = "node_exporter: every sample of the file is scraped"
    tree, why = tool("images/tool", "prometheus-node-exporter")
    if why:
        tap.skip(what, why)
        return
    directory = work.at("textfile")
    os.mkdir(directory)
    work.case("boot")
    work.replay("-o", f"auto,{directory}/memstrack.prom")
    text = work.read("textfile/memstrack.prom")
    address = f"127.0.0.1:{free_port()}"
    with subprocess.Popen(
            [tree + "/usr/bin/prometheus-node-exporter",
             "--collector.disable-defaults", "--collector.textfile",
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


def test_rest(tap, work):
    """A program that calls itself as we call the rest is part of it."""
    with lzma.open(os.path.join(HERE, "golden-0.1.0", "perf.trace.xz")) as f:
        work.write(f.read().replace(b"insmod", b"(rest)"))
    text = work.replay("--format=prometheus", "--top=2")[1]
    tap.ok(text.count('memstrack_task_peak_bytes{task="(rest)"}') == 1,
           "no series is there twice", text)
    check_form(tap, "a task (rest)", text)


main(test_rest, test_exporter, each=test_case)
