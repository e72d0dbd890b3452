# SPDX-License-Identifier: MIT
"""Writes recorded traces from a description, in any byte order and word size.

It is an encoder of applet/record/TRACE-FORMAT.md that shares nothing with the C
one. A case (cases/NAME.py) has one function build(t), which calls the methods
of Trace below. The same events then go to encode() and to model.py.

    gen.py cases/NAME.py FILE [little|big] [4|8]
"""
import runpy
import struct
import sys

MAGIC = b"\x89MEMSTRK"
FAILED = 2**64 - 1
IRQ, EXEC, INIT_TEXT, OPENS, PCP, KDUMP, CMA, SAMPLED, FOUND, THREAD = (
    1 << bit for bit in range(10))
(ALLOC, FREE, FORK, COMM, EXIT, TASK, LOAD_ENTER, MODULE_LOAD, LOAD_EXIT,
 MODULE_FREE, MODULE_RANGE, MEMORY, LOST, REJECTED, AREA_ENTER, BULK,
 AREA_ALLOC, AREA_FREE, AREA_SEEN, AREAS_SEEN, FIGURE, FUNCTION,
 FUNCTIONS_END, RAM) = range(1, 25)
INITCALL_START, INITCALL_FINISH, INITCALL_CALLER = 27, 28, 35
BEFORE_INIT = 34
INITRAMFS = 36
OBJECT_ALLOC, OBJECT_FREE, CACHE_SEEN = 37, 38, 39
KILL, KEPT, AVAILABLE = 40, 42, 43
FULL = 45
WHOLE, PART = 41, 1
IN_USE = 46
COMPACTS, COMPACTED, MOVE = 47, 48, 49
RANGE, GROWN = 50, 51
BLOCKS, WARNS = 52, 32768
MODULE_DIR, PHASE, HANDED, TAG = 53, 54, 55, 56
CACHE = 8192		# flag of objects
AHEAD = 16384		# flag of ALLOC
CACHE_SAMPLE, TASK_SAMPLE, MODULE_SAMPLE, KIND_SAMPLE = range(29, 33)
SOURCE = 33
UNPACK = 26
CUT = 4096		# flag of UNPACK
PASS_END = 1024
HEADER, SYMBOL, END, SLAB, PICTURE = 100, 101, 102, 103, 104
GROUPS = ["all", "firmware", "kernel", "reserved", "before", "traced", "free",
          "unknown", "offline"]
WITHIN = 256

TYPES = range(1, 57)	# of events


FIELDS = {}		# of a record: (name, how it is packed) each


def event(type, arguments, **optional):
    """A method of Trace that adds this event, of these arguments in order. Those
    with a colon are fields of its record."""
    words = [word.partition(":") for word in arguments.split()]
    FIELDS[type] = [(name, kind) for name, _, kind in words if kind]

    def method(self, *values, **more):
        self.add(type, **{**optional, **dict(zip([w[0] for w in words],
                                                 values)), **more})
    return method


class Trace:
    """What a machine did, one call an event; time goes on by itself."""

    def __init__(self):
        self.page_size = 4096
        self.kernel = b"6.1.0-test"
        self.mem_total_kib = 196608
        self.start_ns = self.now_ns = 1_000_000_000
        self.layout = dict(nodes=4096, owners=2048, tasks=256, modules=64,
                           symbols=512, pages_bytes=1 << 20,
                           ring_bytes=1 << 18, slab_bytes=0)
        self.ram = [(0x100, 0x8000)]
        self.step_ns = 1000
        self.events, self.symbols = [], []
        self.cpus = (1, 1)
        self.reason = b"SIGTERM"
        self.cmdline, self.history = b"", 0
        self.notes = []
        self.own_bytes, self.cpu_ns = 786432, 12_345_678
        self.tgid = {}

    def late(self, at_ns, event, *args, **more):
        """What happened then, and comes now."""
        now_ns, self.now_ns = self.now_ns, at_ns - self.step_ns
        event(*args, **more)
        self.now_ns = now_ns

    def add(self, type, tid=0, tgid=None, flags=0, **fields):
        self.now_ns += self.step_ns
        if tgid is None:
            tgid = self.tgid.get(tid, tid)
        self.events.append(dict(type=type, tid=tid, tgid=tgid, flags=flags,
                                time_ns=self.now_ns, **fields))

    free = event(FREE, "tid pfn:Q order", order=0)
    comm = event(COMM, "tid name flags", flags=EXEC)
    load_enter = event(LOAD_ENTER, "tid")
    module_load = event(MODULE_LOAD, "tid name flags")
    load_exit = event(LOAD_EXIT, "tid result:q", result=0)
    module_free = event(MODULE_FREE, "tid name")
    module_range = event(MODULE_RANGE, "name base:W size:W tid flags")
    memory = event(MEMORY, "free_pages:Q flags")
    # A task compacts memory until it has; it moves a page and will free its old
    # place: where that one's page struct is, and the new one's behind it.
    compacts = event(COMPACTS, "tid")
    compacted = event(COMPACTED, "tid")
    page_moves = event(MOVE, "tid base:W result:q")
    bulk = event(BULK, "tid pages:Q flags")
    area_free = event(AREA_FREE, "tid base:W")
    lost = event(LOST, "lost:Q")
    rejected = event(REJECTED, "")
    source = event(SOURCE, "name")
    sample_cache = event(CACHE_SAMPLE, "name pages:Q")
    sample_module = event(MODULE_SAMPLE, "name pages:Q")
    initramfs = event(INITRAMFS, "name size:Q")
    # What the kernel said, bytes in rootfs, pages it may hold.
    unpack = event(UNPACK, "name size:Q pages:Q")
    # Of the last file, what it lacks; inodes, if none was left.
    unpack_last = event(UNPACK, "name size:Q pages:Q", flags=CUT, pages=0)
    # The record from before init begins; the second time: it ends.
    before_init = event(BEFORE_INIT, "pages:Q lost:Q", pages=0, lost=0)
    initcall = event(INITCALL_START, "tid base:W")
    initcall_end = event(INITCALL_FINISH, "tid base:W result:q", result=0)
    # An initcall; without flags the function that calls them.
    initcall_function = event(INITCALL_CALLER, "base:W size:W flags",
                              flags=INIT_TEXT)
    # RAM comes; the allocator has so many pages more, of so many in all.
    ram_comes = event(RANGE, "pfn:Q pages:Q size:Q")
    grows = event(GROWN, "result:q pages:Q")
    # A phase of the boot begins.
    phase = event(PHASE, "name")
    # In use before tracing, by code; without a name: all tags, lines not
    # understood.
    tag = event(TAG, "name size:Q objects:Q lost:Q flags", lost=0)
    # The OOM killer has chosen this task.
    kill = event(KILL, "result:q")
    # Of swap, huge pages or watermarks, so many.
    kept = event(KEPT, "name pages:Q")
    # So many pages the kernel has given out in all.
    handed = event(HANDED, "pages:Q")
    # Pages of files that could be given back; anonymous, tmpfs, slab.
    available = event(AVAILABLE, "free_pages:Q rss_pages:Q pages:Q objects:Q")
    # So many pages in one piece were not to be had: the largest block instead.
    blocks = event(BLOCKS, "size:Q pages:Q free_pages:Q")
    # All is traced from now on; or with PART, some is not.
    whole = event(WHOLE, "flags")

    def alloc(self, tid, pfn, order=0, chain=(), **more):
        self.add(ALLOC, tid, pfn=pfn, order=order, chain=list(chain), **more)

    def fork(self, tid, parent, tgid=None):
        """A process, or with tgid a thread of that one."""
        self.tgid[tid] = tgid or tid
        self.add(FORK, tid, parent_tid=parent,
                 parent_tgid=self.tgid.get(parent, parent))

    def fork_by_tid(self, tid, parent, flags=0):
        """As of a source that knows no processes; THREAD: of the parent's."""
        self.add(FORK, tid, tgid=0, flags=flags, parent_tid=parent,
                 parent_tgid=0)

    def full(self, mounts):
        """A look at all: (path, bytes, pages, inodes, unseen pages) each."""
        now = self.now_ns + self.step_ns
        for name, size, pages, inodes, unseen in [*mounts, (b"", 0, 0, 0, 0)]:
            self.now_ns = now - self.step_ns
            self.add(FULL, name=name, size=size, pages=pages, objects=inodes,
                     lost=unseen)

    def exit(self, tid):
        self.add(EXIT, tid)
        self.tgid.pop(tid, None)

    def task(self, tid, name, rss_pages=0, parent=0):
        self.add(TASK, tid, parent_tid=parent, parent_tgid=parent,
                 rss_pages=rss_pages, name=name)

    def area_enter(self, tid, caller=None):
        self.add(AREA_ENTER, tid, chain=[caller] if caller else [])

    def area_alloc(self, tid, base, chain=()):
        self.add(AREA_ALLOC, tid, base=base, chain=list(chain))

    def vmalloc(self, tid, base, bulks, chain=(), caller=None):
        """The whole of it: 100 pages a bulk allocation at most."""
        self.area_enter(tid, caller)
        for pages in bulks:
            self.bulk(tid, pages)
        self.area_alloc(tid, base, chain)

    def vmallocinfo(self, areas, flags=0):
        """All of it: (base, pages, caller) each."""
        for base, pages, name in areas:
            self.add(AREA_SEEN, flags=flags, base=base, pages=pages,
                     name=name)
        self.add(AREAS_SEEN, flags=flags)

    def grown_kib(self):
        """By how much MemTotal is more at the end."""
        return sum(e["result"] for e in self.events
                   if e["type"] == GROWN and
                   abs(e["result"]) <= 1 << 44) * (self.page_size // 1024)

    def sampled(self):
        """Is it a trace of samples?"""
        return any(e["type"] in (CACHE_SAMPLE, TASK_SAMPLE, MODULE_SAMPLE,
                                 KIND_SAMPLE) for e in self.events)

    def sample_task(self, tid, name, rss_pages, peak_pages, parent=0):
        self.add(TASK_SAMPLE, tid, name=name, parent_tgid=parent,
                 rss_pages=rss_pages, pages=peak_pages)

    def sample_kinds(self, meminfo, used):
        """Lines of /proc/meminfo, in pages, and the end of the pass."""
        for name, pages in meminfo.items():
            self.add(KIND_SAMPLE, name=name.encode(), pages=pages)
        self.add(KIND_SAMPLE, name=b"", pages=used, flags=PASS_END)

    def sample_kills(self, kills):
        self.add(KIND_SAMPLE, name=b"oom_kill", pages=kills)

    def figure(self, name, kib):
        self.add(FIGURE, size=kib * 1024, name=name)

    def part(self, group, name, kib, within=False):
        """Of RAM; in words, as in a report."""
        self.add(RAM, flags=GROUPS.index(group) | (WITHIN if within else 0),
                 size=kib * 1024, name=name)

    def in_use(self, module):
        self.add(IN_USE, name=module)

    def module_dir(self, module, directory):
        """Where its file is, below /lib/modules/RELEASE/kernel."""
        self.add(MODULE_DIR, name=module + b" " + directory)

    def functions(self, functions):
        """All that tell a kind of memory: (base, size, name) each."""
        for base, size, name in functions:
            self.add(FUNCTION, base=base, size=size, name=name)
        self.add(FUNCTIONS_END)

    def kmalloc(self, base, site, size, allocated, flags=0, cpu=0, tid=0,
                chain=(), cache=b""):
        self.add(OBJECT_ALLOC, tid, flags=flags, base=base, site=site,
                 size=size, allocated_bytes=allocated, cpu=cpu,
                 cache=cache, chain=list(chain))

    def cache_alloc(self, base, site, size, allocated, flags=0, **more):
        self.kmalloc(base, site, size, allocated, flags | CACHE, **more)

    def kfree(self, base, site, flags=0, cpu=0, name=b""):
        self.add(OBJECT_FREE, flags=flags, base=base, site=site, cpu=cpu,
                 name=name)

    def cache_free(self, base, site, cpu=0, name=b""):
        self.kfree(base, site, CACHE, cpu, name)

    def slabinfo(self, caches):
        """All of it: (name, bytes of an object, objects, pages) each."""
        for name, size, objects, pages in caches:
            self.add(CACHE_SEEN, name=name, size=size, objects=objects,
                     pages=pages)
        self.add(CACHE_SEEN, name=b"", size=0, objects=0, pages=0)

    def unknown(self, type, payload=b""):
        self.events.append(dict(type=type, payload=payload))

    def symbol(self, addr, start, name):
        self.symbols.append((addr, start, name))


FIELDS |= {
    ALLOC: [("pfn", "Q")], FORK: [("parent_tid", "I"), ("parent_tgid", "I")],
    TASK: [("parent_tid", "I"), ("parent_tgid", "I"), ("rss_pages", "Q")],
    AREA_ALLOC: [("base", "W")], AREA_SEEN: [("base", "W"), ("pages", "Q")],
    FIGURE: [("size", "Q")], RAM: [("size", "Q")],
    TASK_SAMPLE: [("parent_tgid", "I"), ("rss_pages", "Q"), ("pages", "Q")],
    KIND_SAMPLE: [("pages", "Q")], FUNCTION: [("base", "W"), ("size", "W")],
    OBJECT_ALLOC: [("base", "W"), ("site", "W"), ("size", "Q"),
                   ("allocated_bytes", "Q"), ("cpu", "I")],
    OBJECT_FREE: [("base", "W"), ("site", "W"), ("cpu", "I")],
    CACHE_SEEN: [("size", "Q"), ("objects", "Q"), ("pages", "Q")],
    FULL: [("size", "Q"), ("pages", "Q"), ("objects", "Q"), ("lost", "Q")],
}


class Encoder:
    def __init__(self, order, word_bytes):
        self.mark = "<" if order == "little" else ">"
        self.word = {4: "I", 8: "Q"}[word_bytes]
        self.word_bytes = word_bytes

    def pack(self, kinds, *values):
        return struct.pack(self.mark + kinds.replace("W", self.word), *values)

    def record(self, type, body):
        return self.pack("I", type << 16 | len(body) + 4) + body

    def string(self, text):
        return self.pack("H", len(text)) + text

    def event(self, e):
        if "payload" in e:
            return self.record(e["type"], e["payload"])
        body = self.pack("IQII", e["tid"], e["time_ns"], e["tgid"],
                         e["flags"] | min(e.get("order", 0), 255) << 24)
        for name, kind in FIELDS.get(e["type"], []):
            body += self.pack(kind, e[name])
        if "cache" in e:
            body += self.string(e["cache"])
        for addr in e.get("chain", []):
            body += self.pack("W", addr)
        return self.record(e["type"], body + e.get("name", b""))

    version = 1

    def prelude(self):
        return MAGIC + self.pack("IIII", 0x01020304, self.version,
                                 self.word_bytes, 1)

    def header(self, t):
        y = t.layout
        body = self.pack("IIIIII", t.page_size, y["nodes"], y["owners"],
                         y["tasks"], y["modules"], y["symbols"])
        body += self.pack("QQQQ", y["pages_bytes"], y["ring_bytes"],
                          t.mem_total_kib, t.start_ns)
        body += self.string(t.kernel)
        for first, count in t.ram:
            body += self.pack("QQ", first, count)
        return self.record(HEADER, body)

    def end(self, t):
        body = self.pack("IIQQQQQ", *t.cpus, t.start_ns, t.now_ns,
                         t.mem_total_kib + t.grown_kib(), t.own_bytes,
                         t.cpu_ns)
        body += self.string(t.reason)
        for note in t.notes:
            body += self.string(note)
        return self.record(END, body)

    def records(self, t):
        yield self.prelude()
        yield self.header(t)
        if t.layout["slab_bytes"]:
            yield self.record(SLAB, self.pack("Q", t.layout["slab_bytes"]))
        if t.cmdline or t.history:
            yield self.record(PICTURE, self.pack("I", t.history) + t.cmdline)
        for e in t.events:
            yield self.event(e)
        for addr, start, name in t.symbols:
            yield self.record(SYMBOL, self.pack("WW", addr, start) + name)
        yield self.end(t)


def folded(n, last):
    """The difference, as 64 bits, of which the sign is the lowest bit."""
    n = (n - last) % 2**64
    return (2**64 - n) * 2 - 1 if n >> 63 else n * 2


def sevens(n):
    """Seven bits a byte, the lowest first."""
    return bytes([n & 127 | 128]) + sevens(n >> 7) if n > 127 else bytes([n])


class Packer(Encoder):
    """Version 2, with packed events. Chains take turns at a few places."""
    version = 2
    places = 5

    def __init__(self, order, word_bytes):
        super().__init__(order, word_bytes)
        self.time = self.pfn = self.frame = self.turn = 0
        self.task = (0, 0)
        self.chains = {}

    def record(self, type, body):
        return b"\0" + super().record(type, body)

    def sized(self, name, n):
        change = folded(n, getattr(self, name))
        setattr(self, name, n)
        size = next(i for i in range(4) if change >> (8 << i) == 0)
        return size, change.to_bytes(1 << size, "little")

    def chain(self, chain):
        for place, known in self.chains.items():
            if known == chain:
                return 0, bytes([place])
        place = self.turn % self.places
        self.turn += 1
        if len(chain) <= 48:
            self.chains[place] = chain
        body = bytes([place, len(chain)])
        for frame in chain:
            body += sevens(folded(frame, self.frame))
            self.frame = frame
        return 32, body

    def event(self, e):
        if "payload" in e or e["type"] not in (ALLOC, FREE):
            return super().event(e)
        has, sizes, body = 1, 0, b""
        if e["type"] == FREE:
            has |= 2
        if (e["tid"], e["tgid"]) != self.task:
            self.task = (e["tid"], e["tgid"])
            has |= 4
            body += sevens(e["tid"]) + sevens(e["tgid"])
        flags = e["flags"] | min(e.get("order", 0), 255) << 24
        if flags:
            has |= 8
            body += sevens(flags)
        sizes, change = self.sized("time", e["time_ns"])
        body += change
        if e["pfn"] == FAILED:
            has |= 64
        else:
            size, change = self.sized("pfn", e["pfn"])
            sizes |= size << 2
            body += change
        if e.get("chain"):
            is_new, chain = self.chain(list(e["chain"]))
            has |= 16 | is_new
            body += chain
        return bytes([has, sizes]) + body


def text(name):
    """As JSON carries any byte: one code point each, up to the end byte."""
    return name.split(b"\0")[0].decode("latin-1")


def encode(t, order="little", word_bytes=8, encoder=Encoder):
    return b"".join(encoder(order, word_bytes).records(t))


def load(path):
    t = Trace()
    runpy.run_path(path)["build"](t)
    return t


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    order = sys.argv[3] if len(sys.argv) > 3 else sys.byteorder
    word = int(sys.argv[4]) if len(sys.argv) > 4 else 8
    with open(sys.argv[2], "wb") as out:
        out.write(encode(load(sys.argv[1]), order, word))
