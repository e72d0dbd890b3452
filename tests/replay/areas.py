# SPDX-License-Identifier: MIT
"""Memory of vmalloc as model.py keeps it, and its part in the balance.

The areas are a dict by address. A trace knows its areas in one of two ways:
probes that tell each bulk allocation, or samples of vmallocinfo.
"""
import gen

STEP_KIB = 4 << 10		# of advice
NO_INODE = b"no inode was left, so files are missing"
PER_MODULE = 3			# areas that are told apart, per row of modules


class Held:
    """Pages now, at most, and when the most was used; perhaps a part of all
    that a row holds."""

    def __init__(self, whole=None):
        self.now = self.peak = self.at_peak = 0
        self.whole = whole

    def add(self, pages):
        self.now += pages
        self.peak = max(self.peak, self.now)
        if self.whole:
            self.whole.add(pages)

    def keep(self):
        self.at_peak = self.now

    def fold(self, gone):
        """Two rows that are one from now on."""
        self.now += gone.now
        self.at_peak += gone.at_peak
        self.peak = max(self.peak, self.now, self.at_peak)


class Caller(Held):
    """Known by an address, or else by what vmallocinfo calls it."""

    def __init__(self, addr, name, module):
        super().__init__()
        self.addr, self.name, self.module = addr, name, module
        self.images = Held()		# of these


class Area:
    """`task`: the process that took it; None where only samples show it."""

    def __init__(self, pages, module, image, caller, task):
        self.pages, self.module, self.caller = pages, module, caller
        self.image = image
        self.seen, self.before = False, False
        self.task = task

    def counted(self):
        return 0 if self.before else self.pages

    def holders(self):
        yield self.caller
        if self.image:
            yield self.caller.images
        yield self.module.image if self.image else self.module.vmalloc
        if self.task:
            yield self.task.vmalloc

    def add(self, pages):
        for held in self.holders():
            held.add(pages)


class Areas:
    def __init__(self, rows_of_modules, rows_of_tasks):
        self.capacity = PER_MODULE * rows_of_modules + rows_of_tasks
        self.callers_capacity = rows_of_modules
        self.at = {}			# base: Area
        self.other = Caller(None, b"(other)", None)
        self.callers = [self.other]
        self.total = Held()
        self.taken = self.others = self.cma = self.full = 0
        self.samples = 0
        self.charged = False		# some area, to a task
        self.other_freed = 0		# of `others`, which is a bound
        self.freed = 0			# of areas that are gone, and of CMA

    def add(self, base, pages, module, image, before=False, caller=None,
            task=None):
        if len(self.at) == self.capacity:
            self.full += 1
            return False
        area = self.at[base] = Area(pages, module, image,
                                    caller or self.other, task)
        area.before = before
        self.charged |= task is not None
        self.total.add(area.counted())
        area.add(area.counted())
        return True

    def drop(self, base):
        area = self.at.pop(base, None)
        if not area:
            return "ignored"
        self.total.add(-area.counted())
        area.add(-area.counted())
        return "applied"

    def task_goes(self, gone, heir):
        for area in self.at.values():
            if area.task is gone:
                area.task = heir

    # --- by probes ---

    def bulk(self, task, e):
        """`task`: who is in a vmalloc, perhaps; None in an interrupt."""
        if e["flags"] & gen.CMA:
            self.cma += e["pages"]
            return
        if task:
            task.bulk += e["pages"]
        if task and task.vmallocs:
            self.taken += e["pages"]
        else:
            self.others += e["pages"]

    def other_held(self):
        return max(0, self.others - self.other_freed)

    def alloc(self, task, e, own, loading, none):
        """What the task took since it entered is this area's: its own
        module's, or of the loading one, which is image until it is named."""
        pages, task.bulk = task.bulk, 0
        inside, task.vmallocs = task.vmallocs, int(task.vmallocs == 2)
        self.drop(e["base"])
        if not e["base"] or not pages:
            return "ignored"
        caller, module = task.caller or (None, None)
        if caller and (caller in e["chain"] or not e["chain"]):
            caller = self.caller(caller, b"", module)
        else:
            caller = None
        if not self.add(e["base"], pages, own or loading or none,
                        not own and bool(loading) and
                        (loading.state == "loading" or
                         loading.name == b"(other)"), caller=caller,
                        task=task.process):
            if inside:
                self.others += pages
                self.taken -= pages
            return "rejected"
        if not inside:		# its entry was lost
            self.others -= pages
            self.taken += pages
        return "applied"

    # --- by vmallocinfo ---

    def caller(self, addr, name, module):
        for c in self.callers[1:]:
            if (c.addr, c.name, c.module) == (addr, name, module):
                return c
        if len(self.callers) == self.callers_capacity:
            self.full += 1
            return self.other
        self.callers.append(Caller(addr, name, module))
        return self.callers[-1]

    def see(self, e, find_module, module_at, none):
        """`find_module` by its name, `module_at` by an address: or None."""
        old = self.at.get(e["base"])
        if not e["base"] or old and old.seen and e["flags"] & gen.SAMPLED:
            return "rejected"
        name, _, behind = e["name"].partition(b" ")
        module = find_module(behind[1:-1]) if len(behind) > 2 else None
        if old and e["flags"] & gen.SAMPLED and \
                old.pages != e["pages"]:
            self.drop(e["base"])	# another one since
        if e["base"] not in self.at and e["flags"] & gen.SAMPLED:
            text = None if module else module_at(e["base"])
            # The first sample shows what was there before.
            self.add(e["base"], e["pages"], module or text or none,
                     text is not None, not self.samples,
                     self.caller(None, name, module) if self.samples else None)
            if e["base"] in self.at:
                self.taken += self.at[e["base"]].counted()
        area = self.at.get(e["base"])
        if not area:
            return "ignored"
        area.seen = True
        area.add(-area.counted())
        if area.module is module:
            # Its own code asked, whose text was not known then.
            area.image = False
        elif not module and not area.image and area.module is not none:
            module = area.module	# it is gone, its name with it
        if area.caller is self.other and not area.before:
            area.caller = self.caller(None, name, module)
        area.add(area.counted())
        return "applied"

    def seen_all(self, e):
        self.samples += 1
        if e["flags"] & gen.SAMPLED:
            for base in [b for b, a in self.at.items() if not a.seen]:
                self.drop(base)
            for area in self.at.values():
                area.seen = False

    def module_goes(self, module, heir):
        for c in self.callers:
            if c.module is module:
                c.module = heir
                if c.addr:
                    c.addr, c.name = None, b"(gone)"


def balance(m):
    """MemFree's fall, what explains it, what does not: as report/balance.h
    has it. None for what cannot be said."""
    keys = ("fall", "traced", "areas", "bulk", "cma", "before",
            "no_room", "pcp", "rest")
    if not m.free:
        return dict.fromkeys([k + "_pages" for k in keys] +
                             ["explained_permille"])
    a = m.areas
    fall = m.growth.fall()
    pcp = m.pcp[-1] - m.pcp[0] if m.pcp else 0
    gone = a.taken - a.total.now if a.taken else 0
    parts = [m.total.now - m.record_held, a.total.now, 0, a.cma,
             gone - m.before() + m.record_freed, m.untracked_pages, pcp]
    rest = fall - sum(parts)
    parts[2] = min(max(rest, 0), a.other_held())
    rest -= parts[2]
    row = dict(zip([k + "_pages" for k in keys], [fall, *parts, rest]))
    moved = max(map(abs, [fall, *parts]))
    row["explained_permille"] = None
    if moved:		# rounded, halves away from 0
        permille = (abs(moved - rest) * 1000 + moved // 2) // moved
        row["explained_permille"] = permille if rest <= moved else -permille
    return row


def unpacking(m, total, kib):
    """What the unpacking of the initramfs used: None where nothing tells."""
    f = m.figures
    if b"Cached (initramfs)" not in f or b"other (freed)" not in f:
        return None
    listed = m.pcp[0] if m.pcp else 0
    used = max(total - (m.free[0][1] + listed) * kib, 0)
    used = max(used - m.t.own_bytes // 1024, 0)
    return used + f.get(b"initrd (freed)", 0) + f[b"other (freed)"]


def start_kib(m):
    """All RAM at the start; MemTotal where it is not known."""
    if m.growth.start_ram >= 2**32 - 1:
        return m.t.mem_total_kib
    return m.growth.start_ram * (m.t.page_size // 1024)


def for_rootfs(m, total, content):
    """KiB of memory: half of it is rootfs, or so much of what is now."""
    f = m.figures
    fixed = f.get(b"reserved", 0) + f.get(b"cma-reserved", 0)
    limit = f.get(b"rootfs limit")
    if limit is None:
        return 2 * content + fixed
    if not limit or (total | content) >> 32:	# a ramfs, or made up
        return None
    return content * max(total - fixed, 0) // limit + fixed


def limits(m, total):
    """What rootfs and any other tmpfs that is a part of memory need for what
    they held: None where nothing tells."""
    f = m.figures
    files = f.get(b"Shmem", 0)
    if files <= f.get(b"Cached (initramfs)", 1 << 64) // 2:
        files = 0
    files = max(files, f.get(b"rootfs files", 0))
    if files and m.cut:		# the file that had no room
        files += m.cut["size"] // 1024
    rootfs = for_rootfs(m, total, files) if files else None
    inodes = f.get(b"rootfs inodes", 0)
    if inodes:
        fixed = f.get(b"reserved", 0) + f.get(b"cma-reserved", 0)
        rootfs = max(2 * inodes + fixed, rootfs or 0)
    other = f.get(b"tmpfs limit")
    return (rootfs,
            other + max(total - m.t.mem_total_kib, 0) if other else None)


def enough(used, scaled, total):
    """(what would be used of the memory that is enough; that memory, in KiB):
    it is a twentieth more, and of what was used `scaled` goes by its size. In
    fractions of 65536, as a kernel would reckon."""
    if scaled > total // 4 or total >> 44:
        scaled = 0
    part = scaled * 65536 // total if scaled else 0
    fixed = max(used - scaled, 0)
    memory = (fixed + fixed // 20) * 65536 // (65536 - part - part // 20)
    return fixed + memory * part // 65536, memory


def kept_kib(m, name):
    return m.kept.get(name, 0) * m.t.page_size // 1024


def idle(m):
    """KiB of contiguous memory that nothing movable filled at the worst
    moment; all that was free, if nobody told how much there is."""
    free, s = kept_kib(m, b"cma"), m.need.sample
    filled = m.figures.get(b"cma-reserved", 0) - free
    if filled < 0 or not s:
        return free
    movable = (s["rss_pages"] + s["pages"]) * m.t.page_size // 1024
    return max(free - max(movable - filled, 0), 0)


def advice(m):
    """What the moment that used most needs, in steps of 4 MiB; none where
    the balance does not hold, or nobody knows how much lost records are
    about."""
    if not m.free:
        return None
    kib, g = m.t.page_size // 1024, m.growth
    ram = start_kib(m)
    start = ram - g.offline_kib()
    fall, grown = g.fall_most, g.at_fall
    # More cannot be right.
    if fall < m.used_peak <= m.free[0][1] + g.at_peak:
        fall, grown = m.used_peak, g.at_peak
    total = start + grown * kib
    lowest = m.free[0][1] + grown - fall
    if m.pcp:			# pages on per-CPU lists are free too
        lowest += min(m.pcp[0], m.pcp[-1])
    lowest *= kib
    used = max(total - lowest, 0)
    unpack = unpacking(m, start, kib)
    rootfs, tmpfs = limits(m, start)
    scaled = None
    if b"page structs" in m.figures:
        scaled = m.figures[b"page structs"] + \
            m.figures.get(b"hash tables", 0) + g.structs_kib()
    hard, hard_ns = used, m.used_peak_ns
    if m.need.known:
        hard, hard_ns = m.need.kib(m.need.worst_pages), m.need.worst.time_ns
    marks = kept_kib(m, b"marks")
    kept = marks + max(kept_kib(m, b"apart") - max(g.pages * kib, 0), 0) + \
        idle(m)
    if unpack is not None:
        unpack += kept_kib(m, b"cma") - idle(m)
    needs = {"peak": hard + kept,
             "unpacking": None if unpack is None else unpack + kept,
             "rootfs": rootfs, "tmpfs": tmpfs}
    which = max(needs, key=lambda k: needs[k] or 0)

    def memory_for(most):
        # Page structs are for all RAM, online or not.
        more = marks if which in ("peak", "unpacking") and \
            marks <= (m.t.mem_total_kib + m.t.grown_kib()) // 20 else 0
        need, memory = enough(most, (scaled or 0) + more,
                              ram + max(g.came_kib(), 0))
        return need, -(-memory // STEP_KIB) * STEP_KIB
    need, memory = memory_for(needs[which])
    lost = m.head["lost"]
    rest = max(abs(balance(m)["rest_pages"]) - m.unseen, 0)
    good = lost == m.unseen_lost and \
        not (m.unpack and m.unpack["name"] == NO_INODE) and \
        rest * kib <= used // 20
    more = {}
    if good and lost:
        most = max(needs[which], hard + kept + m.unseen * kib)
        more["more_kib"] = memory_for(most)[1] - memory
    return {**more,"of": "crashkernel" if m.kdump else "memory",
            "ram_kib": total, "lowest_free_kib": lowest, "used_kib": used,
            "unreclaimable_kib": hard, "unreclaimable_ns": hard_ns,
            "reclaimable_kib": max(used - hard, 0) if m.need.known else None,
            "kept_kib": kept,
            "unpacking_kib": unpack, "rootfs_kib": rootfs,
            "tmpfs_kib": tmpfs,
            "scaled_kib": scaled, "need_kib": need,
            "advice_kib": memory if good else None, "for": which}
