"""A machine that does anything, from a seed: 20,000 events by default."""
import random

KERNEL = 0xc1000000
MODULES = 0xd0000000


class Machine:
    def __init__(self, t, seed):
        self.t, self.random = t, random.Random(seed)
        self.blocks = []		# (pfn, order), as the allocator has it
        self.tasks = {1: 1}		# tid: tgid
        self.loaded = {}		# name: base
        self.loading = {}		# tid: name or None
        self.gone = [1]			# tids that have exited
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
        else:
            pfn = self.next_pfn
            self.next_pfn += 1 << order
            if self.next_pfn > 0x7000:
                self.next_pfn = 0x200
        self.blocks.append((pfn, order))
        self.t.alloc(self.late_tid(), pfn, order, self.chain(),
                     flags=r.random() < 0.05)

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

    def load(self):
        r = self.random
        tid = self.tid()
        if tid not in self.loading:
            self.loading[tid] = None
            self.t.load_enter(tid)
        elif self.loading[tid] is None and r.random() < 0.7:
            name = self.loading[tid] = b"module_%d" % r.randrange(40)
            self.t.module_load(tid, name)
            self.loaded[name] = self.next_base
            self.t.module_range(name, self.next_base, 0x100)
            self.next_base += 0x80 if r.random() < 0.1 else 0x200
        else:
            del self.loading[tid]
            self.t.load_exit(tid, -r.randrange(2))

    def unload(self):
        if self.loaded:
            name = self.random.choice(sorted(self.loaded))
            del self.loaded[name]
            self.t.module_free(self.tid(), name)

    def other(self):
        self.random.choice([
            lambda: self.t.memory(self.random.randrange(10000, 20000)),
            lambda: self.t.lost(self.random.randrange(100)),
            self.t.rejected,
            lambda: self.t.alloc(self.tid(), 2**64 - 1, 9, self.chain()),
            lambda: self.t.task(self.next_tid + 5000, b"from before", 7, 1),
        ])()


def build(t, seed, events=20000, **layout):
    t.layout.update(dict(nodes=1 << 17, owners=1 << 17, tasks=8192,
                         modules=4096), **layout)
    t.ram = [(0x100, 0x3000), (0x3200, 0x4800)]
    m = Machine(t, seed)
    acts = [m.alloc, m.free, m.fork, m.exit, m.comm, m.load, m.unload,
            m.other]
    while len(t.events) < events:
        m.random.choices(acts, [45, 40, 3, 2.5, 2, 4, 0.5, 1])[0]()
