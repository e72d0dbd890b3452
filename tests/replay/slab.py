# SPDX-License-Identifier: MIT
"""The objects of slab, computed from the same events: by site, module and cache.

An object is freed by its event, or settled when its address is handed out again,
or when it is freed as an object of another cache.
Events may come late: an allocation older than the last free of its address, or
than the object that lives there, is over already.
"""
import gen

NO_OBJECT = 16
SEEN_MAX = 320			# lines of slabinfo
SUMS = ("allocs", "frees", "requested_bytes", "allocated_bytes",
        "live_objects", "live_bytes", "peak_bytes", "at_peak_bytes",
        "cross_cpu_frees", "settled", "oldest_ns")


class Sums:
    def __init__(self):
        for name in SUMS:
            setattr(self, name, 0)
        self.caches = []

    def row(self, live, end_ns):
        times = [o["time_ns"] for o in live if self in o["sums"]]
        self.oldest_ns = end_ns - min(times) if times and end_ns else None
        return tuple(getattr(self, name) for name in SUMS)


class Slab:
    def __init__(self, model, on):
        self.model, self.on = model, on
        self.sites, self.modules, self.caches = {}, {}, {}
        self.total = Sums()
        self.live, self.freed = {}, {}	# by address
        self.faults = {}		# (kind, site, freed by): count
        self.before_frees = self.failed = self.late = 0
        self.seen, self.seen_full, self.started = {}, 0, False
        self.in_pass = set()
        self.unknown_of = {}		# frees by name
        self.whole_ns = 0		# None: not all is seen

    def whole(self, e):
        self.whole_ns = None if e["flags"] & gen.PART else e["time_ns"]
        return "applied"

    def certain(self, freed):
        """All was seen that happened to this memory since it was freed."""
        return not self.model.head["lost"] and self.whole_ns is not None \
            and freed["time_ns"] >= self.whole_ns

    def every(self):
        return [*self.sites.values(), *self.modules.values(),
                *self.caches.values(), self.total]

    def keep(self):
        for s in self.every():
            s.at_peak_bytes = s.live_bytes

    def begin(self, o):
        for s in o["sums"]:
            s.live_objects += 1
            s.live_bytes += o["bytes"]
            s.peak_bytes = max(s.peak_bytes, s.live_bytes)
        self.live[o["base"]] = o

    def end(self, o):
        for s in o["sums"]:
            s.live_objects -= 1
            s.live_bytes -= o["bytes"]
        del self.live[o["base"]]

    def fault(self, kind, site, freed_by, count=1):
        key = kind, site, freed_by
        self.faults[key] = self.faults.get(key, 0) + count

    def unknown(self, name, count=1):
        """Freed, and its allocation was not seen."""
        self.before_frees += count
        self.unknown_of[name] = self.unknown_of.get(name, 0) + count

    def new(self, e):
        cache = bool(e["flags"] & gen.CACHE)
        name = (e["cache"], e["allocated_bytes"], cache)
        module = None
        for addr in e["chain"] or [e["site"]]:
            module = module or self.model.runs_at(addr - 1)
        if not module and not e["flags"] & gen.IRQ:
            module = self.model.charged(e)[1]
        site = e["site"], tuple(e["chain"])
        sums = [self.sites.setdefault(site, Sums()),
                self.modules.setdefault(module or self.model.none, Sums()),
                self.caches.setdefault(name, Sums()), self.total]
        sums[0].caches.append(name)
        for s in sums:
            s.allocs += 1
            s.requested_bytes += e["size"]
            s.allocated_bytes += e["allocated_bytes"]
        if e["allocated_bytes"] < e["size"]:
            self.fault("short", site, None)
        return dict(base=e["base"], bytes=e["allocated_bytes"], site=site,
                    sums=sums, cache=cache, name=e["cache"], cpu=e["cpu"],
                    of=self.model.module_at(e["site"] - 1),
                    time_ns=e["time_ns"])

    def alloc(self, e):
        if not self.on:
            return "ignored"
        if e["base"] <= NO_OBJECT:
            self.failed += 1
            return "ignored"
        o = self.new(e)
        old, freed = self.live.get(e["base"]), self.freed.get(e["base"])
        if old and e["time_ns"] < old["time_ns"]:
            for s in o["sums"]:
                s.settled += 1
        elif freed and e["time_ns"] < freed["time_ns"]:
            doubt = freed.pop("doubt", None)
            if freed["site"] and not doubt:	# that free was another's
                for s in o["sums"]:
                    s.settled += 1
                return "applied"
            for s in o["sums"]:
                s.frees += 1
                s.cross_cpu_frees += freed["cpu"] != e["cpu"]
            if doubt:
                self.fault("double_free", freed["site"], freed["by"], -1)
            else:
                self.unknown(freed["name"], -1)
            freed.update(site=o["site"], cache=o["cache"])
        else:
            if old:
                for s in old["sums"]:
                    s.settled += 1
                self.end(old)
            self.freed.pop(e["base"], None)
            self.begin(o)
        return "applied"

    def strange(self, o, e):
        """The free tells of a cache that cannot have had this object."""
        if not e["name"]:
            return False
        if not o["cache"]:
            return b"kmalloc-" not in e["name"]
        if o["name"]:
            return o["name"] != e["name"]
        return e["name"] in self.seen and \
            self.seen[e["name"]][2] != o["bytes"]

    def free(self, e):
        if not self.on or e["base"] <= NO_OBJECT:
            return "ignored"
        cache = bool(e["flags"] & gen.CACHE)
        o, freed = self.live.get(e["base"]), self.freed.get(e["base"])
        last = o or freed
        if last and e["time_ns"] < last["time_ns"]:
            self.late += 1
            return "applied"
        now = dict(time_ns=e["time_ns"], cpu=e["cpu"], by=e["site"])
        strange = o and self.strange(o, e)
        if strange:		# it was gone before, without an event
            for s in o["sums"]:
                s.settled += 1
            self.end(o)
        if o and not strange:
            if o["cache"] != cache:
                self.fault("wrong_family", o["site"], e["site"])
            for s in o["sums"]:
                s.frees += 1
                s.cross_cpu_frees += o["cpu"] != e["cpu"]
            self.end(o)
            now.update(site=o["site"], cache=o["cache"])
        elif freed and freed["site"] and not freed["cache"] and \
                not cache and self.certain(freed):
            self.fault("double_free", freed["site"], e["site"])
            now.update(site=freed["site"], cache=False, doubt=True)
        else:
            name = e["name"] if e["name"] in self.seen else None
            self.unknown(name)
            now.update(site=None, cache=cache, name=name)
        self.freed[e["base"]] = now
        return "applied"

    def cache_seen(self, e):
        if not self.on:
            return "ignored"
        if not e["name"]:
            self.started = True
            for name in self.seen.keys() - self.in_pass:	# it is gone
                self.seen[name] = (self.seen[name][0], (0, 0),
                                   self.seen[name][2])
            self.in_pass = set()
            return "applied"
        if len(self.seen) == SEEN_MAX and e["name"] not in self.seen:
            self.seen_full += 1
            return "rejected"
        self.in_pass.add(e["name"])
        start = (0, 0) if self.started else (e["objects"], e["pages"])
        old = self.seen.get(e["name"])
        self.seen[e["name"]] = (
            old[0] if old else start, (e["objects"], e["pages"]),
            e["size"])		# it may have been made again
        return "applied"

    def cache_name(self, name):
        text, size, cache = name
        if text:
            return text.decode("latin-1")
        if not cache:
            pages = size > 2 * self.model.t.page_size
            return f"(pages, {size})" if pages else f"kmalloc-{size}"
        names = [n for n, seen in self.seen.items() if seen[2] == size]
        return names[0].decode("latin-1") if len(names) == 1 else \
            f"({size} bytes)"

    def balance(self):
        grown = [sum(now[i] - start[i] for start, now, _ in
                     self.seen.values()) for i in (0, 1)]
        large = [s for (_, size, cache), s in self.caches.items()
                 if not cache and size > 2 * self.model.t.page_size]
        objects = sum(s.live_objects for s in large)
        bulk = sum(max(0, self.unknown_of.get(name, 0) - start[0])
                   for name, (start, _, _) in self.seen.items())
        certain = not self.model.head["lost"]
        traced = self.total.live_objects - objects - \
            (self.before_frees - (bulk if certain else 0))
        return dict(
            bulk_objects=bulk if certain else None,
            caches_full=self.seen_full,
            grown_objects=grown[0] if self.seen else None,
            grown_pages=grown[1] if self.seen else None,
            traced_objects=traced, page_objects=objects,
            page_objects_bytes=sum(s.live_bytes for s in large),
            explained_permille=(max(traced, 0) * 1000 + grown[0] // 2)
            // grown[0] if grown[0] > 0 else None,
            before_frees=self.before_frees, failed_allocs=self.failed,
            late=self.late, untracked=0)


def differences(slab, kinds, module_name):
    """(what, rows of a report without symbols, rows that it must have)"""
    end_ns, live = slab.model.t.now_ns, slab.live.values()

    def got(kind, *keys):
        return [tuple(int(r[k].split()[0], 16) if k == "site" else r[k]
                      for k in keys + SUMS) for r in kinds.get(kind, [])]

    def caches_of(s):
        last = slab.cache_name(s.caches[-1])
        return last if len(set(s.caches)) == 1 else "(several)"

    yield "site", got("slab", "site", "cache"), [
        (addr, caches_of(s), *s.row(live, end_ns))
        for (addr, _), s in slab.sites.items()]
    yield "module of objects", got("slab_module", "module"), [
        (module_name(m), *s.row(live, end_ns))
        for m, s in slab.modules.items()]
    yield "cache", got("slab_cache", "cache"), [
        (slab.cache_name(name), *s.row(live, end_ns))
        for name, s in slab.caches.items()]
    faults = kinds.get("slab_fault", [])
    yield "fault", [
        (r["kind"], *(k in r and int(r[k].split()[0], 16)
                      for k in ("site", "freed_by")), r["count"])
        for r in faults if "site" in r], [
        (kind, site[0], by or False, count)
        for (kind, site, by), count in slab.faults.items() if count] + [
        ("live_reuse", addr, False, s.settled)
        for (addr, _), s in slab.sites.items() if s.settled]
    yield "unloaded", [(r["module"], r["count"], r["live_bytes"])
                       for r in faults if "module" in r], [
        (module_name(m), s.live_objects, s.live_bytes)
        for m, s in slab.modules.items()
        if m.state in ("gone", "failed") and s.live_objects]
