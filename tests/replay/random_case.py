# SPDX-License-Identifier: MIT
"""A machine that does random things, from a seed."""
import random

import gen

KERNEL, READ_AHEAD = 0xc1000000, 0xc1001000
MODULES = 0xd0000000
AREAS = 0xe0000000
OBJECTS = 0xf0000000
CALLERS = [b"alloc_large_system_hash+0x1/0x2", b"kernel_clone+0xbf/0x430",
           b"module_alloc+0x5/0x50", b"n_tty_open+0x19/0xa0", b"x"]


def sampled(seed):
    """Areas by vmallocinfo alone: a kernel without probes."""
    return seed % 2 == 0


def opens(seed):
    """No entry of a load is seen."""
    return seed % 3 == 0


# More than there is room for; those that advice is made of are often there.
BASELINE = [b"Figure %d" % i for i in range(18)] + [
    b"Cached (initramfs)", b"Shmem", b"reserved", b"cma-reserved",
    b"page structs", b"hash tables", b"initrd (freed)", b"other (freed)",
    b"Percpu", b"unused huge pages", b"inodes (initramfs)"]


PARTS = [(group, b"part %d" % i) for i in range(11) for group in
         ("firmware", "kernel", "reserved", "before", "traced", "free")] + [
             ("all", b"present"), ("all", b"installed"),
             ("all", b"per-CPU area"), ("reserved", b"per-CPU areas"),
             ("before", b"per-CPU areas"), ("reserved", b"swiotlb"),
             ("reserved", b"crashkernel"), ("reserved", b"kfence"),
             ("reserved", b"node data"), ("all", b"a node's data"),
             ("all", b"per-CPU cgroup table")] * 9


FUNCTIONS = [b"allocate_slab", b"shmem_get_folio_gfp", b"filemap_fault",
             b"___kmalloc_large_node", b"__alloc_skb", b"pte_alloc_one",
             b"copy_process", b"__vmalloc_node_range", b"simple_write_begin",
             b"handle_mm_fault", b"loop_queue_work", b"do_sys_open"]


class Machine:
    def __init__(self, t, seed):
        self.t, self.random = t, random.Random(seed)
        self.struct_bytes = (64, 40, 36, 56)[seed % 4]
        self.came, self.objects = [], set()
        self.blocks = []		# (pfn, order), as the allocator has it
        self.tasks = {1: 1}		# tid: tgid
        self.loaded = {}		# name: base
        self.loading = {}		# tid: name or None
        self.gone = [1]			# tids that have exited
        self.sampled, self.opens = sampled(seed), opens(seed)
        self.areas = {}			# base: (pages, caller), as vmallocinfo
        self.free_pages, self.next_area = 20000, AREAS
        self.next_pfn, self.next_tid, self.next_base = 0x200, 100, MODULES

    def tid(self):
        return self.random.choice(sorted(self.tasks))

    def late_tid(self):
        """Now and then of one whose exit was already told."""
        if self.random.random() < 0.03:
            return self.random.choice(self.gone)
        return self.tid()

    def chain(self):
        r = self.random
        if r.random() < 0.3:
            return []
        frames = [KERNEL + 16 * r.randrange(12) for _ in
                  range(r.randrange(1, 7))]
        if self.loaded and r.random() < 0.5:
            base = self.loaded[r.choice(sorted(self.loaded))]
            frames.insert(r.randrange(len(frames)),
                          base + 8 * r.randrange(3))
        return frames

    def alloc(self):
        r = self.random
        order = min(int(r.expovariate(1.0)), 9)
        if r.random() < 0.03 and self.blocks:	# its free was not seen
            pfn = r.choice(self.blocks)[0] + r.randrange(3)
        elif self.came and r.random() < 0.3:
            pfn = r.choice(self.came) + r.randrange(0x400)
        else:
            pfn = self.next_pfn
            self.next_pfn += 1 << order
            if self.next_pfn > 0x7000:
                self.next_pfn = 0x200
        self.blocks.append((pfn, order))
        chain, flags = self.chain(), r.random() < 0.05
        if r.random() < 0.1:
            chain, flags = [KERNEL + 16 * r.randrange(3), READ_AHEAD], gen.AHEAD
        self.t.alloc(self.late_tid(), pfn, order, chain, flags=flags)

    def free(self):
        r = self.random
        if not self.blocks or r.random() < 0.02:
            self.t.free(self.tid(), r.randrange(0x40, 0x8200),
                        r.randrange(4))
            return
        i = r.randrange(len(self.blocks))
        self.blocks[i], self.blocks[-1] = self.blocks[-1], self.blocks[i]
        pfn, order = self.blocks.pop()
        if order and r.random() < 0.3:		# split, one half stays
            order -= 1
            self.blocks.append((pfn + (1 << order), order))
        self.t.free(self.tid(), pfn, order)

    def moves(self):
        """Or the free is another page's, or of another task, or is lost."""
        r = self.random
        tid = self.tid()
        if r.random() < 0.4:
            r.choice([self.t.compacts, self.t.compacted])(tid)
        if not self.blocks or r.random() < 0.3:
            return
        i = r.randrange(len(self.blocks))
        pfn, order = self.blocks[i]
        on = r.randrange(-600, 600)
        size = self.struct_bytes
        self.t.page_moves(tid, 0xc0000000 + pfn * size + 8 * (r.random() < 0.1),
                          on * size)
        if r.random() < 0.9:
            self.t.free(tid if r.random() < 0.9 else self.tid(), pfn, order)
            self.blocks[i] = max(pfn + on, 0), order

    def grow(self):
        """Memory comes, and goes online before or after that is known; or some
        goes offline, or RAM is removed."""
        r = self.random
        known = 0x7800 + 0x400 * len(self.came)
        if r.random() < 0.3:
            self.t.grows(-r.randrange(0x800), r.choice([known, known - 0x200]))
            return
        pfn = 0x9000 + 0x500 * len(self.came)
        self.came.append(pfn)
        self.t.ram_comes(pfn, 0x400, 0x10000)
        first = r.random() < 0.7
        if first:
            self.t.grows(0x400, known + 0x400)
        for half in pfn, pfn + 0x200:
            self.t.free(self.tid(), half, 9)
        if not first:
            self.t.grows(0x400, 0)

    def found(self):
        """A page whose free was lost, or was not, is found free."""
        if self.blocks:
            self.t.free(0, self.random.choice(self.blocks)[0],
                        flags=gen.FOUND)

    def fork(self):
        r = self.random
        parent = self.tid()
        if r.random() < 0.1:			# a number comes back
            tid = r.randrange(100, self.next_tid + 1)
        else:
            tid = self.next_tid = self.next_tid + 1
        tgid = self.tasks[parent] if r.random() < 0.3 else tid
        if tid == tgid or tgid in self.tasks:
            self.tasks[tid] = tgid
            self.loading.pop(tid, None)
            self.t.fork(tid, parent, tgid)

    def exit(self):
        if len(self.tasks) < 8:
            return
        tid = self.tid()
        del self.tasks[tid]
        self.loading.pop(tid, None)
        if self.random.random() < 0.9:		# else the record was lost
            self.t.exit(tid)
            self.gone.append(tid)

    def comm(self):
        self.t.comm(self.tid(), b"task-%d" % self.random.randrange(20))

    def name_module(self, tid):
        r = self.random
        number = r.randrange(40)
        name = self.loading[tid] = b"module_%d" % number if number else \
            b"zsmalloc"
        self.t.module_load(tid, name, gen.OPENS if self.opens else 0)
        self.loaded[name] = self.next_base
        self.t.module_range(name, self.next_base, 0x100)
        if r.random() < 0.5:
            self.areas[self.next_base] = (r.randrange(1, 50), CALLERS[2])
        self.next_base += 0x80 if r.random() < 0.1 else 0x200

    def load(self):
        r = self.random
        tid = self.tid()
        if tid not in self.loading:
            self.loading[tid] = None
            if not self.opens:
                self.t.load_enter(tid)
        elif self.loading[tid] is None and r.random() < 0.7 or \
                self.opens and r.random() < 0.05:
            self.name_module(tid)
        else:
            del self.loading[tid]
            self.t.load_exit(tid, -r.randrange(2))

    def unload(self):
        if self.loaded:
            name = self.random.choice(sorted(self.loaded))
            del self.loaded[name]
            self.t.module_free(self.tid(), name)

    def caller(self, chain):
        """Mostly of the chain; or another's, or not known."""
        r = self.random
        if r.random() < 0.1:
            return r.choice([None, KERNEL + 16 * r.randrange(12)])
        return r.choice(chain) if chain else KERNEL + 16 * r.randrange(12)

    def vmalloc(self):
        """Some fail, some end is lost, some have no page in bulk."""
        r = self.random
        tid, chain = self.tid(), self.chain()
        base, self.next_area = self.next_area, self.next_area + 0x1000
        bulks = [r.randrange(2, 101) for _ in range(r.randrange(4))]
        caller = r.choice(CALLERS)
        if self.loaded and r.random() < 0.4:
            caller += b" [" + r.choice(sorted(self.loaded)) + b"]"
        again = [b for b in self.areas if b >= AREAS]
        if again and bulks and r.random() < 0.1 and not self.sampled:
            base = r.choice(again)		# its end was lost
        if not self.sampled:
            if r.random() < 0.1:		# of something else
                self.t.bulk(tid, 7)
            if r.random() < 0.95:
                self.t.area_enter(tid, self.caller(chain))
            for pages in bulks:
                self.t.bulk(tid, pages)
            if r.random() < 0.1:
                base = 0
            if r.random() < 0.95:
                self.t.area_alloc(tid, base, chain)
        if base and bulks:
            self.areas[base] = (sum(bulks), caller)

    def vfree(self):
        if self.areas:
            base = self.random.choice(sorted(self.areas))
            del self.areas[base]
            if not self.sampled:
                self.t.area_free(self.tid(), base)

    def vmallocinfo(self):
        flags = gen.SAMPLED if self.sampled else 0
        self.t.vmallocinfo([(base, *area) for base, area in
                            sorted(self.areas.items())], flags)

    def functions(self):
        """Some of the kernel's functions tell a kind, some are not known."""
        r = self.random
        told = [(KERNEL + 16 * i - 8, 16, r.choice(FUNCTIONS))
                for i in r.sample(range(12), 9)]
        self.t.functions(told[:4] + told)	# it was interrupted

    def memory(self):
        r = self.random
        self.free_pages = max(0, self.free_pages + r.randrange(-99, 90))
        self.t.memory(self.free_pages)
        if r.random() < 0.2:
            self.t.memory(r.randrange(300), gen.PCP)
        if r.random() < 0.3:
            self.t.available(r.randrange(9000), r.randrange(99),
                             r.randrange(99), r.randrange(99))

    def bulk(self):
        r = self.random
        self.t.bulk(self.late_tid(), r.randrange(2, 200),
                    r.choice([0, gen.IRQ, gen.CMA, gen.CMA | gen.IRQ]))

    def object(self):
        """One in ten is not seen to be freed before its place is taken again."""
        r = self.random
        place, cpu = r.randrange(3000), r.randrange(4)
        site = KERNEL + 16 * r.randrange(40)
        if place in self.objects and r.random() < 0.9:
            self.objects.remove(place)
            self.t.kfree(OBJECTS + 4096 * place, site, cpu=cpu)
            return
        self.objects.add(place)
        size = 8 * r.randrange(1, 65)
        self.t.kmalloc(OBJECTS + 4096 * place, site, size - r.randrange(8),
                       size, cpu=cpu, tid=self.tid())

    def other(self):
        self.random.choice([
            lambda: self.t.figure(self.random.choice(BASELINE),
                                  self.random.randrange(99999)),
            lambda: self.t.part(*self.random.choice(PARTS),
                                self.random.randrange(99999),
                                self.random.random() < 0.2),
            lambda: self.t.unpack(b"write error", 9000 << 10,
                                  self.random.choice([0, 2250, 9999])),
            lambda: self.t.initramfs(b"/usr/lib/%d" % self.random.randrange(9),
                                     self.random.randrange(1 << 40)),
            lambda: self.t.unpack_last(b"/file",
                                       self.random.randrange(1 << 24),
                                       self.random.choice([0, 0, 2250])),
            lambda: self.t.full([
                (b"/%d" % i, self.random.randrange(1 << 40),
                 self.random.randrange(9999), self.random.choice([0, 50]),
                 self.random.randrange(99))
                for i in self.random.sample(range(6),
                                            self.random.randrange(7))]),
            lambda: self.t.in_use(self.random.choice([*sorted(self.loaded),
                                                      b"none"])),
            lambda: self.t.lost(self.random.randrange(100)),
            self.t.rejected,
            lambda: self.t.alloc(self.tid(), gen.FAILED,
                                 self.random.randrange(11), self.chain(),
                                 flags=self.random.choice([0, gen.WARNS])),
            lambda: self.t.blocks(1 << self.random.randrange(1, 11),
                                  self.random.randrange(99),
                                  self.free_pages),
            lambda: self.t.task(self.next_tid + 5000, b"from before", 7, 1),
        ])()


# What advice and savings are made of; the least, of all KiB of a machine.
ADVISED = [b"Cached (initramfs)", b"inodes (initramfs)", b"Shmem", b"reserved",
           b"cma-reserved", b"page structs", b"hash tables",
           b"initrd (freed)", b"other (freed)", b"unused huge pages",
           b"rootfs files", b"rootfs limit", b"rootfs inodes", b"tmpfs limit"]
KEPT = [b"cma", b"cma", b"marks", b"apart", b"swap"]


def some(r, most):
    """Any number up to it, the small ones as often as the large."""
    return r.randrange(most >> r.randrange(12)) if most >> 12 else most


def advised(t, seed):
    """A boot whose figures are any. At its end free memory has fallen by what
    the events show, or by about a twentieth more of what is in use; or records
    were lost, and a bound of their pages may be known."""
    r = random.Random(seed)
    pages = r.choice([1 << 14, 1 << 16, 1 << 18, 1 << 28, 2**32 - 1])
    size = min(pages, 1 << 18)
    t.ram = [(0x100, pages)]
    t.step_ns = r.choice([1000, 4_000_000])
    t.mem_total_kib = size * 4 - r.randrange(size // 8)
    free = size - r.randrange(size // 2)
    t.memory(free)
    if r.random() < 0.5:
        t.memory(r.randrange(size // 64), gen.PCP)
    t.functions([(KERNEL, 0x100, b"filemap_add_folio"),
                 (KERNEL + 0x100, 0x100, b"shmem_alloc_folio")])
    for name in r.sample(ADVISED, r.randrange(len(ADVISED))):
        t.figure(name, some(r, size * 2))
    for group, name in r.sample(PARTS, 60):
        t.part(group, name, some(r, size))
    for _ in range(4):			# any flags, any size
        t.add(gen.RAM, flags=r.choice([1, 2, 3, r.randrange(512)]),
              size=1 << r.randrange(64), name=b"made up")
    took = 0
    for i in range(r.randrange(1, 40)):
        order = r.randrange(10)
        t.alloc(200, 0x200 + 512 * i, order, r.choice(
            [[], [], [KERNEL + 0x10], [KERNEL + 0x110], [KERNEL + 0x310]]))
        took += 1 << order
        if r.random() < 0.2:
            t.kept(r.choice(KEPT), some(r, size // 8))
        if r.random() < 0.1:
            t.kept(b"swap-frees", r.randrange(1025))
        if r.random() < 0.2:
            t.available(some(r, size), *[some(r, size // 16)
                                         for _ in range(3)])
        if r.random() < 0.1:
            t.memory(max(free - took, 0))
    lost = r.random() < 0.3
    if lost:
        t.lost(r.randrange(1, 100))
        t.handed(max(took + r.choice([-9, some(r, size // 8)]), 0))
    rest = (size - free + took) // 20 + r.randrange(-2, 3)
    t.memory(max(free - took + r.choice([0, 0, rest, -rest]), 0))
    if lost and r.random() < 0.2:
        t.lost(1)


HELD_BACK = gen.ALLOC, gen.FREE, gen.OBJECT_ALLOC, gen.OBJECT_FREE


def hold_back(events, r):
    """One of these in thirty comes up to forty events after its time, as of a
    CPU that stood still."""
    for i in range(len(events) - 40):
        if events[i]["type"] in HELD_BACK and r.random() < 1 / 30:
            events.insert(i + r.randrange(1, 40), events.pop(i))


DIRS = (b"drivers/net/ethernet", b"drivers/net/wireless", b"drivers/nvme/host",
        b"drivers/net", b"crypto", b"fs")


def build(t, seed, events, **layout):
    t.layout.update(dict(nodes=1 << 17, owners=1 << 17, tasks=8192,
                         modules=4096, slab_bytes=1 << 20), **layout)
    t.step_ns = 8_000_000_000 // events	# the timeline's step doubles
    t.ram = [(0x100, 0x3000), (0x3200, 0x4800)]
    if seed % 2 and "pages_bytes" not in layout:
        # An array that becomes a hash.
        t.layout["pages_bytes"] = 4 * 0x7800
    t.page_size = 4096 << 2 * (seed // 2 % 3)	# 4, 16 or 64 KiB
    t.mem_total_kib *= t.page_size // 4096
    m = Machine(t, seed)
    acts = [m.alloc, m.free, m.fork, m.exit, m.comm, m.load, m.unload,
            m.other, m.vmalloc, m.vfree, m.memory, m.bulk, m.vmallocinfo,
            m.found, m.moves, m.grow, m.object]
    m.vmallocinfo()
    for i in range(m.random.randrange(20)):
        t.tag(b"code_%d mm/x.c:%d" % (i, i), 1 << (40 - i), i, 0, i & 1)
    t.tag(b"", 0, 20)
    known_at = events // 3 * (seed % 3)		# at once, later, or late
    known = False
    while len(t.events) < events:
        if not known and len(t.events) >= known_at:
            m.functions()
            known = True
        m.random.choices(acts, [45, 40, 3, 2.5, 2, 4, 0.5, 1.5,
                                2, 1.8, 2, 0.3, 0.1, 1, 1, 0.2, 40])[0]()
    for name in sorted(m.loaded):
        if m.random.random() < 0.8:
            t.module_dir(name, m.random.choice(DIRS[:1 + seed % 6]))
    if not layout:	# with small tables a late event may find no room
        hold_back(t.events, m.random)
