# SPDX-License-Identifier: MIT
"""Groups of modules and of tasks that stand out, from the model's books
(applet/report/group.h, applet/report/verdict.h)."""
import collections
import re

import kinds
import moments
from gen import text


def name_of(table, k):
    return text(k.comm if table == "task" else k.name)


def serves(m, k):
    """Who holds pages for others is no culprit, and in no group."""
    return k.name in kinds.COMPRESSORS if k in m.modules else \
        getattr(k, "parent", 0) == 2 and k.comm.startswith(b"kswapd")


def groups(table, held):
    """Tasks of one name; modules whose names begin with the same letters:
    (name, rows)."""
    rows = sorted((row for row in held if name_of(table, row[0])),
                  key=lambda row: name_of(table, row[0]))
    while rows:
        first = name_of(table, rows[0][0])
        begin = re.match("[A-Za-z]{2,}_?|", first)[0] if table == "module" \
            else ""
        group = [row for row in rows
                 if (name_of(table, row[0]).startswith(begin) if begin else
                     name_of(table, row[0]) == first)]
        yield begin + "*" if begin else first, group
        rows = [row for row in rows if row not in group]


def above(k, levels):
    return b"/".join(k.dir.split(b"/")[:levels])


def directories(held):
    """Modules of one directory, of two levels: (its name, rows)."""
    rows = collections.defaultdict(list)
    for k, pages in held:
        if k.dir and k.name:
            rows[text(above(k, 2))].append((k, pages))
    return rows.items()


def most_from(group):
    """The deepest directory, of three levels at most, that more than half of the
    modules come from, or ""."""
    for levels in 3, 2, 1:
        count = collections.Counter(
            above(k, levels) for k, _ in group[1] if k.dir)
        for directory, n in count.items():
            if 2 * n > len(group[1]):
                return text(directory)
    return ""


def of_rows(group):
    return sum(pages for _, pages in group[1])


def standing_out(m, table):
    """(name, [(row, pages)]) at the peak, or None. A row that stands out itself
    must be less than half of its group."""
    most = moments.at_the_peak(m)
    taken = most.figures["traced_pages"] + most.figures["areas_pages"]
    held = [(k, pages) for k, pages in
            (most.modules if table == "module" else most.tasks)
            if pages and not serves(m, k) and
            k not in (m.none, m.module_other, m.other, m.irq)]
    single = max((pages for _, pages in held), default=0)
    if taken * (m.t.page_size // 1024) * 50 < m.t.mem_total_kib or not taken:
        return None
    single = single if single * 4 >= taken else 0
    found = list(groups(table, held))

    def best_of(all_groups):
        best = max((g for g in all_groups if len(g[1]) > 1), key=of_rows,
                   default=("", []))
        return best if best[1] and of_rows(best) * 4 >= taken and \
            of_rows(best) >= 2 * single else None
    best = best_of(found)
    if best or table == "task":
        return best
    best = best_of(directories(held))
    every = "", [row for g in found for row in g[1]]
    if not best and not single and len(every[1]) > 1 and \
            of_rows(every) * 2 >= taken:
        best = every
    return best
