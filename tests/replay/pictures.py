# SPDX-License-Identifier: MIT
"""What a picture of a trace must show, by the model of the same trace.

Expected.points has the figures of each point of the timeline, by name, in pages;
names that several rows share are left out, but their pages count in the totals.
"""
import collections

import model


def text(name):
    return name.split(b"\0")[0].decode("latin-1")


def escaped(name):
    """As a text shows it: printable ASCII."""
    return "".join(c if " " <= c <= "~" and c != "\\" else f"\\x{ord(c):02x}"
                   for c in name)


def task_name(k):
    return text(k.comm) + (f"[{k.tid}]" if k.tid else "")


class Point:
    def __init__(self, moment, m):
        f = moment.figures
        self.time_ns, self.free = f["time_ns"], f["free_pages"]
        self.traced, self.vmalloc = f["traced_pages"], f["vmalloc_pages"]
        self.slab_kib = f.get("slab_kib")
        self.modules = self.by_name(
            (text(k.name) or ("(loading)" if k.state == "loading" else
                              "(failed load)"), pages)
            for k, pages in moment.modules)
        self.tasks = self.by_name((task_name(k), pages)
                                  for k, pages in moment.tasks)

    @staticmethod
    def by_name(rows):
        names = collections.defaultdict(list)
        for name, pages in rows:
            names[name].append(pages)
        return {name: pages[0] for name, pages in names.items()
                if len(pages) == 1}


class Expected:
    def __init__(self, t):
        self.model = m = model.Model(t)
        self.page_kib = t.page_size // 1024
        self.points = [Point(p, m) for p in m.timeline.points]
        self.peak_ns = m.used_peak_ns
        names = [text(k.name) for k in m.modules]
        self.twice = {n for n in names if names.count(n) > 1}
        names = [task_name(k) for k in m.tasks]
        self.twice |= {n for n in names if names.count(n) > 1}
