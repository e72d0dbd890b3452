#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The tables of objects of slab: how many rows each level shows, in which order;
the size from which an object has pages of its own; and what is said when objects,
sites and caches find no room.
"""

import gen
from harness import Tap, Workplace, by_type

SITE, OBJECT = 0xc1000000, 0xd0000000
SITES = 13


def traced(slab_bytes=1 << 20):
    t = gen.Trace()
    t.layout["slab_bytes"] = slab_bytes
    t.memory(30000)
    return t


def many():
    """Site i had 100 * (i + 1) bytes for a while and holds 8 * (20 - i): those
    with most now had least at their peak, and the order is that of peaks. Each
    size is a cache."""
    t = traced()
    for i in range(SITES):
        t.kmalloc(OBJECT, SITE + i * 16, 100 * (i + 1), 100 * (i + 1))
        t.kfree(OBJECT, SITE)
        t.kmalloc(OBJECT + 0x1000 * (i + 1), SITE + i * 16, 8 * (20 - i),
                  8 * (20 - i))
    return t


def tables(work, *options):
    """Sites and bytes of caches that are shown, and how many are not."""
    kinds = by_type(work.rows(*options))
    rest = {r["of"]: r["rows"] for r in kinds.get("rest", [])}
    sites = [(int(r["site"].split()[0], 16) - SITE) // 16
             for r in kinds["slab"]]
    caches = [r["peak_bytes"] for r in kinds.get("slab_cache", [])]
    return sites, rest.get("slab", 0), caches, rest.get("slab_cache", 0)


def test_rows(tap, work):
    work.write(gen.encode(many()))
    sites = list(reversed(range(SITES)))
    caches = sorted([100 * (i + 1) for i in range(SITES)] +
                    [8 * (20 - i) for i in range(SITES)], reverse=True)
    for options, shown, of_caches in [
            (["--level=1"], 5, 0), (["--level=2"], 10, 10),
            (["--level=3"], SITES, 2 * SITES),
            (["--level=1", "--top=3"], 3, 3),
            (["--level=3", "--top=3"], 3, 3)]:
        # A table without rows tells of no rest either.
        want = (sites[:shown], SITES - shown, caches[:of_caches],
                of_caches and 2 * SITES - of_caches)
        what, got = " ".join(options), tables(work, *options)
        tap.ok(got == want, f"{what}: the rows with the highest peak", got,
               want)
        text = work.replay(*options)[1]
        rest = SITES - shown
        tap.ok(("slab objects by cache" in text) == (of_caches > 0) and
               (f"... and {rest} more sites" in text) == (rest > 0),
               f"{what}: the same as text", text)


def report(work, t):
    """The balance of a trace, its rows of sites and caches, and as text."""
    work.write(gen.encode(t))
    kinds = by_type(work.rows())
    return (kinds["slab_balance"][0], kinds.get("slab", []),
            kinds.get("slab_cache", []),
            work.replay("--level=3")[1])


def test_own_pages(tap, work):
    """kmalloc has caches up to two pages; a kmem_cache may have larger
    objects."""
    t = traced()
    for i, size in enumerate((4096, 8192, 8192 + 4096, 16384)):
        t.kmalloc(OBJECT + i * 65536, SITE, size, size)
    t.cache_alloc(OBJECT + 4 * 65536, SITE, 16384, 16384)
    b, _, caches, _ = report(work, t)
    tap.ok(b["page_objects"] == 2 and b["page_objects_bytes"] == 28672,
           "more than two pages: pages of its own", b)
    tap.same(sorted(r["cache"] for r in caches), [
        "(16384 bytes)", "(pages, 12288)", "(pages, 16384)", "kmalloc-4096",
        "kmalloc-8192"], "and no cache")


def test_no_room(tap, work):
    """Objects without a row, and sites: what is freed later may be one of
    these, so how many came from bulk is not known."""
    t = traced(1 << 18)
    t.slabinfo([(b"dentry", 64, 1, 1)])
    for i in range(6000):
        t.kmalloc(OBJECT + i * 64, SITE + i % 900 * 16, 64, 64)
    for i in range(9):
        t.cache_free(OBJECT + 0x1000000 + i * 64, SITE, name=b"dentry")
    b, sites, caches, text = report(work, t)
    live = sum(r["live_objects"] for r in caches)
    tap.ok(0 < live < 6000 and b["untracked"] == 6000 - live,
           "objects that find no room are counted", b, live)
    told = sum(r["allocs"] for r in sites if r["site"] == "(other)")
    tap.ok(0 < told == b["sites_full"] and
           sum(r["allocs"] for r in sites) == 6000,
           "what comes from sites that find none is (other)'s", b, told)
    tap.ok(b["bulk_objects"] is None and b["before_frees"] == 9,
           "then it is not known what was allocated in bulk", b)
    tap.ok(f"no room for {b['untracked']} objects, nor for the sites of "
           f"{b['sites_full']}: raise rd.memstrack.slab" in text,
           "told as text", text)


def test_no_cache(tap, work):
    """More caches in slabinfo than there is room for."""
    t = traced()
    t.slabinfo([(b"cache%d" % i, 64, 1, 1) for i in range(400)])
    t.slabinfo([(b"cache%d" % i, 64, 3, 2) for i in range(320)])
    b, _, _, text = report(work, t)
    tap.ok(b["caches_full"] == 80 and b["grown_objects"] == 640 and
           b["grown_pages"] == 320, "the balance is of those that have room",
           b)
    tap.ok("the balance is without 80 lines of slabinfo" in text, "told", text)


def test_no_row(tap, work):
    """More caches with objects, and more kinds of faults, than rows."""
    t = traced()
    for i in range(300):
        t.kmalloc(OBJECT + i * 4096, SITE, 8 + i, 8 + i)
    for i in range(50):
        t.kfree(OBJECT + i * 4096, SITE + i * 16)
        t.kfree(OBJECT + i * 4096, SITE + i * 16)
    b, _, caches, text = report(work, t)
    other = [r["allocs"] for r in caches if r["cache"] == "(other)"]
    tap.ok(other == [45] and "no room for the caches of 45 objects" in text,
           "caches that find no row are told", other, text)
    tap.ok(b["faults_full"] == 18 and
           "suspect 18 more, at other sites" in text, "faults, too", text)


def main():
    tap, work = Tap(), Workplace()
    for test in test_no_row, test_rows, test_own_pages, test_no_room, \
            test_no_cache:
        test(tap, work)
    tap.done()


main()
