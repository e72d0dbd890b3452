# SPDX-License-Identifier: MIT
"""What could not be given back, as model.py keeps it (applet/ledger/need.h).

Every instant is kept until the next sample tells what could have been given
back: of the samples before and behind it the smaller one counts. Of anonymous
pages that have room in swap, a share is free once they are swapped out; the last
sample's share is that of all instants.
"""
import areas


class Instant:
    def __init__(self, m, time_ns):
        self.time_ns, self.bare = time_ns, m.used() - m.need.read()
        self.swappable = m.need.swappable()
        self.swapped = m.need.swaps(self.swappable)
        self.hard = None

    def most(self):
        return self.bare - self.swapped


class Need:
    def __init__(self, model):
        self.m, self.known, self.besides = model, False, 0
        self.open = []			# instants since the last sample
        self.frees = 0			# of 1024 pages, by swap
        # An instant, its pages, and what the sample behind it was.
        self.worst, self.worst_pages, self.sample = None, 0, None
        self.sample_swappable = 0

    def read(self):
        """Pages that were read from files since tracing began."""
        return sum(self.m.kinds.rows[k].now
                   for k in ("page cache", "loop/squashfs"))

    def swappable(self):
        return min(self.m.kinds.rows["anonymous"].now,
                   self.m.kept.get(b"swap", 0))

    def swaps(self, pages):
        return pages * self.frees // 1024

    def see_swap(self):
        now, worst = self.swappable(), self.sample_swappable
        before = self.swaps(now), self.swaps(worst)
        self.frees = self.m.kept.get(b"swap-frees", 0)
        for i in self.open:
            i.swapped += self.swaps(now) - before[0]
        self.worst_pages -= self.swaps(worst) - before[1]

    def instant(self, time_ns):
        now = Instant(self.m, time_ns)
        self.open.append(now)
        return now

    def more_read(self, pages):
        """So many pages turn out to be such."""
        self.besides -= pages
        for i in self.open:
            i.bare -= pages

    def available(self, e):
        now = max(self.m.last_ns, e["time_ns"])
        if not self.m.free or any(
                e[k] >= 1 << 32 for k in ("free_pages", "rss_pages", "pages",
                                          "objects")):
            return "rejected"
        self.see_swap()
        besides = e["free_pages"] - self.read()
        least = min(self.besides, besides) if self.known else besides
        for i in self.open:
            i.hard = i.bare - least
        if not self.known:	# only points of before
            self.open = []
            self.instant(now)
            if self.m.record:	# all of it may have been hard
                peak = self.instant(self.m.used_peak_ns)
                peak.bare, peak.swapped = self.m.used_peak, 0
        for i in self.open:
            i.hard = i.bare - least
        most = max(self.open, key=Instant.most)
        pages = most.most() - least
        if self.worst is None or pages > self.worst_pages:
            self.worst, self.worst_pages, self.sample = most, pages, e
            self.sample_swappable = self.swappable()
        self.known, self.besides, self.open = True, besides, []
        return "applied"

    def at(self, instant):
        """What was not settled yet has the last sample's."""
        if not self.known:
            return None
        hard = instant.hard
        if hard is None:
            hard = instant.bare - self.besides
        return self.kib(hard - self.swaps(instant.swappable))

    def kib(self, hard):
        """Of all RAM."""
        m = self.m
        kib = m.t.page_size // 1024
        listed = min(m.pcp[0], m.pcp[-1]) if m.pcp else 0
        total = areas.start_kib(m) - m.growth.offline_kib()
        return max(total - (m.free[0][1] - hard + listed) * kib, 0)
