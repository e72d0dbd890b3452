#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""What is said when objects of slab, their sites and their caches find no room.
(Which rows each level shows, and which objects have pages of their own:
cases/slab_rows.py.)
"""
import gen
from harness import by_type, main

SITE, OBJECT = 0xc1000000, 0xd0000000


def traced(slab_bytes=1 << 20):
    t = gen.Trace()
    t.layout["slab_bytes"] = slab_bytes
    t.memory(30000)
    return t


def report(work, t):
    """The balance of a trace, its rows of sites and caches, and as text."""
    work.write(gen.encode(t))
    kinds = by_type(work.rows())
    return (kinds["slab_balance"][0], kinds.get("slab", []),
            kinds.get("slab_cache", []),
            work.replay("--level=3")[1])


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


main(test_no_row, test_no_room, test_no_cache)
