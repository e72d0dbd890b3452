# SPDX-License-Identifier: MIT
"""What could not be given back, as model.py keeps it (applet/ledger/need.h).

Every instant is kept until the next sample tells what could have been given
back: of the samples before and behind it the smaller one counts. Swap is left
out: no case has some.
"""


class Instant:
    def __init__(self, m, time_ns):
        self.time_ns, self.bare = time_ns, m.used() - m.need.read()
        self.hard = None


class Need:
    def __init__(self, model):
        self.m, self.known, self.besides = model, False, 0
        self.open = []			# instants since the last sample
        self.worst = None

    def read(self):
        """Pages that were read from files since tracing began."""
        return sum(self.m.kinds.rows[k].now
                   for k in ("page cache", "loop/squashfs"))

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
        besides = e["free_pages"] - self.read()
        least = min(self.besides, besides) if self.known else besides
        for i in self.open:
            i.hard = i.bare - least
        if not self.known:	# only points of before
            self.open = []
            self.instant(now)
            if self.m.record:	# all of it may have been hard
                self.instant(self.m.used_peak_ns).bare = self.m.used_peak
        for i in self.open:
            i.hard = i.bare - least
            if self.worst is None or i.hard > self.worst.hard:
                self.worst = i
        self.known, self.besides, self.open = True, besides, []
        return "applied"

    def kib(self, instant):
        """Of all RAM; what was not settled yet has the last sample's."""
        if not self.known:
            return None
        m, hard = self.m, instant.hard
        if hard is None:
            hard = instant.bare - self.besides
        kib = m.t.page_size // 1024
        listed = min(m.pcp[0], m.pcp[-1]) if m.pcp else 0
        total = m.growth.start_ram * kib - m.growth.offline_kib()
        return max(total - (m.free[0][1] - hard + listed) * kib, 0)
