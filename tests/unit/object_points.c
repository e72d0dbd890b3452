/* SPDX-License-Identifier: MIT */
/*
 * The events of slab objects, read from formats and records of real kernels:
 * source/tracefs/tracepoints.c.
 */
#include <errno.h>
#include <string.h>
#include "formats.h"
#include "source/tracefs/tracepoints.h"
#include "tap.h"

#define PTR UINT64_C(0xffff888012345680)
#define SITE UINT64_C(0xffffffff81abcdef)

struct raw {
	unsigned char bytes[96];
	size_t len;
};

static void put(struct raw *r, size_t at, const void *value, size_t size)
{
	memcpy(r->bytes + at, value, size);
	if (r->len < at + size)
		r->len = at + size;
}

static void put_u64(struct raw *r, size_t at, uint64_t value)
{
	put(r, at, &value, sizeof(value));
}

/* A string behind the fields, and its place and length in a field of its own. */
static void put_text(struct raw *r, size_t at, size_t behind, const char *text)
{
	const uint32_t len = (uint32_t)strlen(text) + 1;
	const uint32_t loc = len << 16 | (uint32_t)behind;

	put(r, at, &loc, sizeof(loc));
	put(r, behind, text, len);
}

static int parse(struct point *p, enum tracepoint tp, const char *format)
{
	return point_parse(p, tp, format, strlen(format));
}

static struct raw record(void)
{
	struct raw r = { .len = 0 };

	put_u64(&r, 8, SITE);
	put_u64(&r, 16, PTR);
	return r;
}

static void test_allocs(void)
{
	struct raw r = record();
	struct event e = { .name = "left over" };
	struct point p;

	tap_ok(!parse(&p, TP_KMALLOC, format_kmalloc), "kmalloc of 6.1");
	put_u64(&r, 24, 100);
	put_u64(&r, 32, 128);
	tap_ok(!point_decode(&p, r.bytes, r.len, &e) &&
	       e.type == EVENT_OBJECT_ALLOC && e.base == PTR &&
	       e.site == SITE && e.size == 100 && e.allocated_bytes == 128 &&
	       !e.flags && !e.name[0], "what it tells");
	tap_ok(point_decode(&p, r.bytes, 39, &e) == -EINVAL, "cut off");
	tap_ok(!parse(&p, TP_CACHE_ALLOC, format_cache_alloc) &&
	       !point_decode(&p, r.bytes, r.len, &e) &&
	       e.flags == EVENT_CACHE && !e.name[0],
	       "kmem_cache_alloc of 6.1: no name");
	tap_ok(!parse(&p, TP_CACHE_ALLOC, format_cache_alloc_named),
	       "kmem_cache_alloc of 7.2");
	r = record();
	put_u64(&r, 32, 190);
	put_u64(&r, 40, 192);
	put_text(&r, 24, 64, "dentry");
	tap_ok(!point_decode(&p, r.bytes, r.len, &e) && e.size == 190 &&
	       e.allocated_bytes == 192 && !strcmp(e.name, "dentry"),
	       "with its cache");
	tap_ok(point_decode(&p, r.bytes, 66, &e) == -EINVAL,
	       "the name is cut off");
}

static void test_frees(void)
{
	struct raw r = record();
	struct event e = { .name = "left over" };
	struct point p;

	tap_ok(!parse(&p, TP_KFREE, format_kfree) &&
	       !point_decode(&p, r.bytes, r.len, &e) &&
	       e.type == EVENT_OBJECT_FREE && e.base == PTR &&
	       e.site == SITE && !e.flags && !e.name[0], "kfree");
	tap_ok(!parse(&p, TP_CACHE_FREE, format_cache_free), "kmem_cache_free");
	put_text(&r, 24, 32, "maple_node");
	tap_ok(!point_decode(&p, r.bytes, r.len, &e) &&
	       e.flags == EVENT_CACHE && !strcmp(e.name, "maple_node"),
	       "with its cache");
	tap_ok(!parse(&p, TP_CACHE_FREE, format_kfree), "of 5.10, without");
	tap_ok(parse(&p, TP_KMALLOC, format_kfree) == -EINVAL && !p.id,
	       "an allocation without sizes is refused");
}

/* Also two ids with the same low bits. */
static void test_find(void)
{
	static struct tracefs t;

	t.point[TP_KFREE].id = 5;
	t.point[TP_KMALLOC].id = 5 + POINTS_BY_ID;
	t.by_id[5] = TP_KFREE + 1;
	tap_ok(point_find(&t, 5) == &t.point[TP_KFREE] &&
	       point_find(&t, 5 + POINTS_BY_ID) == &t.point[TP_KMALLOC] &&
	       !point_find(&t, 5 + 2 * POINTS_BY_ID) && !point_find(&t, 0),
	       "points are found by their ids");
}

int main(void)
{
	test_allocs();
	test_frees();
	test_find();
	return tap_plan_done();
}
