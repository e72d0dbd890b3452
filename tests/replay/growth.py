# SPDX-License-Identifier: MIT
"""RAM that comes while tracing, and memory that goes online or offline."""
PAGES_MOST = 1 << 44
RANGES_MAX = 32


def joined(ram):
    """[first, behind] of each range, in order, no two of which touch."""
    ranges = []
    for first, count in sorted(ram):
        if ranges and first <= ranges[-1][1]:
            ranges[-1][1] = max(ranges[-1][1], first + count)
        elif count:
            ranges.append([first, first + count])
    return ranges


class Growth:
    """A page table of so many bytes; who has no room in it."""

    def __init__(self, m):
        self.m = m
        self.ranges = joined(m.t.ram)	# as they are numbered
        self.ram = self.start_ram = self.table_ram = self.count()
        room = m.t.layout["pages_bytes"]
        # An array of all pages, or a hash: 7/8 of a power of two of slots.
        self.places = room // 4 if self.ram * 4 <= room else 0
        self.capacity = self.ram if self.places else self.hash_of(room)
        self.pages = self.at_peak = self.at_fall = self.fall_most = 0
        self.more = self.less = self.due = self.last_block = 0
        self.structs = 0
        self.times = []

    @staticmethod
    def hash_of(room):
        slots = 16
        while slots * 16 <= room:
            slots *= 2
        return slots - slots // 8

    def count(self):
        return sum(end - first for first, end in self.ranges)

    def number(self, pfn):
        """Of a page among all; None: outside."""
        before = 0
        for first, end in self.ranges:
            if first <= pfn < end:
                return before + pfn - first
            before += end - first
        return None

    def has_place(self, pfn):
        """In the array, if it is one."""
        return not self.places or self.number(pfn) < self.places

    def comes(self, e):
        first, end = e["pfn"], e["pfn"] + e["pages"]
        total = self.count() + e["pages"]
        if e["size"] >= 1 << 44 or first >= end or end >= 1 << 64 or \
                total >= 1 << 32 or \
                any(first < b and a < end for a, b in self.ranges):
            return "rejected"
        if self.ranges[-1][1] == first:
            self.ranges[-1][1] = end
        elif len(self.ranges) == RANGES_MAX:
            return "rejected"
        else:
            self.ranges.append([first, end])
        self.structs += e["size"]
        if total > self.places > 0:
            room = self.hash_of(self.places * 4)
            if room * 16 // 7 <= self.places and len(self.m.pages) <= room:
                self.places, self.capacity = 0, min(room, self.capacity)
        elif self.places:
            self.capacity = total
        return "applied"

    def told(self, e):
        more, m = e["result"], self.m
        if max(abs(more), e["pages"], abs(self.pages + more)) > PAGES_MOST:
            return "rejected"
        self.ram = e["pages"]
        if not more:
            return "applied"
        self.times.append(e["time_ns"])
        self.pages += more
        if more < 0:
            self.less -= more
            self.fall_most, self.at_fall = 0, self.pages
        else:
            self.more += more
            self.due += more
            back = min(self.last_block, self.due, m.head["before_frees"])
            self.due -= back
            m.head["before_frees"] -= back
            m.areas.other_freed = min(m.areas.other_freed,
                                      m.head["before_frees"])
        self.last_block = 0
        return "applied"

    def not_new(self, pages, order):
        """Of pages that are freed and nobody holds."""
        new = min(pages, self.due)
        self.due -= new
        if order >= 9:
            self.last_block = pages - new
        return pages - new

    def fall(self):
        return self.m.free[0][1] + self.pages - self.m.free[-1][1]

    def sampled(self):
        if self.fall() > self.fall_most:
            self.fall_most, self.at_fall = self.fall(), self.pages

    def structs_kib(self):
        return self.structs // 1024 + self.m.parts.get(
            (4, False, b"page structs of offline RAM"), 0)

    def offline_kib(self):
        """At the start."""
        return self.m.parts.get((8, False, b"offline"), 0)

    def came_kib(self):
        return (self.ram - self.start_ram) * self.m.t.page_size // 1024 \
            if self.ram else 0

    def row(self):
        kib = self.m.t.page_size // 1024
        return dict(first_ns=self.times[0], last_ns=self.times[-1],
                    more_kib=self.more * kib, less_kib=self.less * kib,
                    plugged_kib=self.ram * kib or None,
                    page_structs_kib=self.structs_kib()) \
            if self.times else None
