# SPDX-License-Identifier: MIT
"""What must be in the rows `ram` of a report: all RAM, each KiB once."""
import areas
import gen


def clamped(pages, kib):
    """Pages as a signed number, of which no machine has so many."""
    pages = (pages + 2**63) % 2**64 - 2**63
    return max(-1 << 52, min(pages * kib, 1 << 52))


def parts(m):
    """(group, name, KiB, of what it is a part or None), in any sequence; none
    where nobody told how much RAM there is."""
    told = {name: kib for (group, within, name), kib in m.parts.items()
            if group == 0 and not within}
    if not told.get(b"present") or not told.get(b"installed") or \
            not m.free:
        return []
    page_kib = m.t.page_size // 1024
    rows = [(group, name, kib, None if not within else
             "vmalloc" if group == 4 else "MemTotal")
            for (group, within, name), kib in m.parts.items()
            if group and kib]

    def held(*groups):
        return sum(row[2] for row in rows
                   if row[0] in groups and row[3] is None)
    installed = told.get(b"installed", 0)
    # As it is now; all else is as of the start.
    rows = [row for row in rows if row[0] != 8]
    rows.append((1, b"parts of pages",
                 max(installed - told[b"present"] - held(1) -
                     m.growth.offline_kib(), 0), None))
    installed += m.growth.came_kib()
    rows.append((8, b"offline", m.growth.offline_kib() +
                 m.growth.came_kib() - m.growth.pages * page_kib, None))
    rows.append((3, b"not told", max(told[b"present"] - m.t.mem_total_kib -
                                  held(2, 3), 0), None))
    # One page of each ring is not in its size.
    rows.append((4, b"rings of memstrack",
                 (m.t.layout["ring_bytes"] +
                  m.t.cpus[0] * m.t.page_size) // 1024, None))
    b = areas.balance(m)
    rows += [(group, name, clamped(pages, page_kib), None) for group, name, pages in [
        (4, b"freed since", b["before_pages"]),
        (4, b"no room in the page table", b["no_room_pages"]),
        (5, b"pages", b["traced_pages"]),
        (5, b"areas", b["areas_pages"]),
        (5, b"CMA", b["cma_pages"]), (5, b"other bulk", b["bulk_pages"]),
        (6, b"MemFree", m.free[-1][1]),
        (6, b"per-CPU lists", m.pcp[-1] if m.pcp else 0)]]
    rows = [row for row in rows if row[2]]
    known = sum(row[2] for row in rows if row[3] is None)
    return [(0, b"installed", installed, None), *rows,
            (7, b"unknown", installed - known, None)]


def rows(m, reported):
    """(what a report has, what it must have)"""
    have = [(r["group"], r["name"], r["size_kib"], r.get("part_of"))
            for r in reported]
    total = sum(r["size_kib"] for r in reported
                if "part_of" not in r and r["group"] not in ("all",))
    if reported and total != reported[0]["size_kib"]:
        have.append(("sum", total, "is not", reported[0]["size_kib"]))
    return have, [(gen.GROUPS[group], name.decode("latin-1"), kib, within)
                  for group, name, kib, within in parts(m)]
