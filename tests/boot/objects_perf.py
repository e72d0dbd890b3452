# SPDX-License-Identifier: MIT
"""Compares the sites of a module: ours, and perf kmem's by raw address.

    objects_perf.py FACTS     prints "site ADDRESS" for each that both have, and
                              "differs ..." for each difference
"""
import json
import re
import sys


def symbols(lines):
    """Addresses of the module's functions, by name."""
    rows = (line.split("=", 1)[1].split() for line in lines
            if line.startswith("symbol="))
    return {row[2]: int(row[0], 16) for row in rows}


def ours(lines, address):
    sites = {}
    for line in lines:
        if not line.startswith("ours="):
            continue
        row = json.loads(line[5:])
        name, offset = re.match(r"(.*)\+(0x[0-9a-f]+) ", row["site"]).groups()
        sites[address[name] + int(offset, 16)] = (
            row["allocs"], row["requested_bytes"], row["allocated_bytes"],
            row["cross_cpu_frees"])
    return sites


def perfs(lines):
    """address | allocated/each | requested/each | hits | ping-pong | waste"""
    sites = {}
    for line in lines:
        if line.startswith("perf=0x"):
            words = line[5:].replace("|", " ").split()
            total = lambda word: int(word.split("/")[0])
            sites[int(words[0], 16)] = (
                int(words[3]), total(words[2]), total(words[1]),
                int(words[4]))
    return sites


def main():
    with open(sys.argv[1], encoding="latin-1") as f:
        lines = f.read().splitlines()
    mine, theirs = ours(lines, symbols(lines)), perfs(lines)
    print("# address: hits, requested, allocated, freed on another CPU")
    for address in sorted(mine):
        print(f"# {address:#x}: ours {mine[address]}, "
              f"perf kmem {theirs.get(address)}")
        if address in theirs:
            print(f"site {address:#x}")
        if mine[address] != theirs.get(address):
            print(f"differs {address:#x}")


main()
