# SPDX-License-Identifier: MIT
"""The timeline and the moment of the peak as model.py keeps them.

A point says who held most. If several held the same, it may name any of them,
so a name is compared with all that held that much.
"""
POINTS, STEP_NS = 128, 10_000_000
LARGEST = 3
LINE, SHORT = 900, 60		# bytes of a line, of a name on a crowded one


def short(name):
    """As a line of many names has it: whole escapes only."""
    room, kept = SHORT, ""
    for c in name:
        room -= 1 if " " <= c <= "~" and c not in "\\\"" else 6
        if room < 0:
            break
        kept += c
    return kept


class Moment:
    def __init__(self, m, time_ns, free_pages):
        self.figures = dict(time_ns=time_ns, free_kib=free_pages *
                            (m.t.page_size // 1024),
                            traced_pages=m.total.now,
                            areas_pages=m.areas.total.now)
        if m.slab.on:
            self.figures["live_bytes"] = m.slab.total.live_bytes
        self.kinds = [(k, row.now) for k, row in m.kinds.rows.items()
                      if row.now]
        self.need = m.need.instant(time_ns)
        self.modules = [(k, k.held.now) for k in m.modules if k.held.now]
        self.tasks = [(k, k.held.now) for k in m.tasks if k.held.now]


class Timeline:
    def __init__(self):
        self.points, self.step_ns = [], STEP_NS

    def sample(self, m, time_ns, free_pages):
        now = Moment(m, time_ns, free_pages)
        if len(self.points) == POINTS:
            self.points = self.points[::2]
            self.step_ns *= 2
        if not self.points or time_ns >= \
                self.points[-1].figures["time_ns"] + self.step_ns:
            self.points.append(now)


def wrong_largest(got, held, name_of):
    """`held`: (row, pages) of all that held some then."""
    pages = sorted((p for _, p in held), reverse=True)[:LARGEST]
    if [g["held_pages"] for g in got] != pages:
        return f"{got}, must be of {pages} pages"
    names = {(short(name_of(row)), p) for row, p in held}
    if any((g["name"], g["held_pages"]) not in names for g in got):
        return f"{got}, must be of {sorted(names)[:20]}"
    return None


def wrong_moment(what, row, moment, names):
    """`names`: of a module, of a task; "(gone)" where the row is another's."""
    for key, value in moment.figures.items():
        if row.get(key) != value:
            yield f"{what} {key}: {row.get(key)}, must be {value}"
    for kind, name_of in names.items():
        why = wrong_largest(row[kind], getattr(moment, kind), name_of)
        if why:
            yield f"{what} {kind}: {why}"


def at_the_peak(m):
    """Of rows that there still are; what was free, by the account."""
    most = m.most
    if not most:		# never more than at the start
        most = Moment(m, m.used_peak_ns, 0)
        most.modules = most.tasks = most.kinds = []
        most.figures.update(traced_pages=0, areas_pages=0)
        if m.slab.on:
            most.figures["live_bytes"] = 0
    most.kinds = [(k, row.at_peak) for k, row in m.kinds.rows.items()
                  if row.at_peak]
    most.modules = [x for x in most.modules if x[0] in m.modules]
    most.tasks = [x for x in most.tasks if x[0] in m.tasks]
    most.figures["free_kib"] = (max(
        m.free[0][1] + m.growth.at_peak - m.used_peak, 0) & 0xffffffff) * \
        (m.t.page_size // 1024)
    return most


def differences(m, kinds, lines, names):
    """Of a report's rows of each kind, and its lines, those that are not what
    they must be."""
    t = m.timeline
    peak = kinds.get("peak", [])
    if len(peak) != bool(m.free):
        yield f"{len(peak)} peaks"
    for row in peak:
        yield from wrong_moment("peak", row, at_the_peak(m), names)
    got = kinds.get("timeline", [])
    if len(got) != len(t.points):
        yield f"{len(got)} points of the timeline, must be {len(t.points)}"
    lines = [x for x in lines if x.startswith('{"type":"timeline"')]
    since = 0
    for i, (row, line, point) in enumerate(zip(got, lines, t.points)):
        yield from wrong_moment(f"point {i}", row, point, names)
        if row["unreclaimable_kib"] != m.need.at(point.need):
            yield f"point {i}: {row['unreclaimable_kib']} KiB could not be " \
                f"given back, must be {m.need.at(point.need)}"
        until = point.figures["time_ns"]
        loaded = sorted(short(names["modules"](k)) for k in m.modules
                        if k.name and since < k.load_ns <= until)
        since = until
        have = sorted(row["loaded"])
        if have != loaded and (len(line.rstrip("\n")) + SHORT + 8 <= LINE or
                               set(have) - set(loaded)):
            yield f"point {i}: loaded {have}, must be {loaded}"
