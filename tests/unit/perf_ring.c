/* SPDX-License-Identifier: MIT */
/*
 * perf/drain.c, the half that drains: rings of plain memory, filled as the
 * kernel fills them, come out as one stream in time order; what cannot be read
 * is counted and left behind.
 */
#include <errno.h>
#include "limits.h"
#include "perf_fixture.h"
#include "random.h"

#define RING_BYTES 4096u
#define RINGS 3u

struct rings {
	struct perf_event_mmap_page control[RINGS];
	unsigned char *data[RINGS];	/* of exact size */
	struct perf_ring ring[RINGS];
	struct merge_entry heap[RINGS];
	struct tracefs points;
	struct perf perf;
};

static struct perf *fresh(struct rings *s, uint32_t rings)
{
	memset(s, 0, sizeof(*s));
	points_make(&s->points);
	s->perf = (struct perf){
		.source = {
			.points = &s->points, .rings = rings,
			.ring_bytes = RING_BYTES,
		},
		.ring = s->ring, .merge = { .heap = s->heap },
		.capacity = rings, .has_tgids = has_tgids,
	};
	for (uint32_t i = 0; i < rings; i++) {
		s->data[i] = malloc(RING_BYTES);
		if (!s->data[i])
			abort();
		memset(s->data[i], 0xa5, RING_BYTES);
		s->ring[i] = (struct perf_ring){
			.control = &s->control[i], .data = s->data[i],
		};
	}
	return &s->perf;
}

static void drop(struct rings *s)
{
	for (uint32_t i = 0; i < s->perf.source.rings; i++)
		free(s->data[i]);
}

/* As if so many bytes had been written and read before. */
static void start_at(struct rings *s, uint32_t ring, uint64_t at)
{
	s->control[ring].data_head = s->control[ring].data_tail = at;
	s->ring[ring].tail = s->ring[ring].released = at;
}

/* Room that the kernel sees. */
static uint64_t room(const struct rings *s, uint32_t ring)
{
	return RING_BYTES - (s->control[ring].data_head -
			     s->control[ring].data_tail);
}

static int kernel_writes(struct rings *s, uint32_t ring,
			 const struct record *r)
{
	uint64_t head = s->control[ring].data_head;

	if (r->len > room(s, ring))
		return 0;
	for (size_t i = 0; i < r->len; i++)
		s->data[ring][(head + i) % RING_BYTES] = r->bytes[i];
	s->control[ring].data_head = head + r->len;
	return 1;
}

static void page(struct rings *s, uint32_t ring, uint64_t time_ns)
{
	struct record r;

	page_sample(&r, 1 + ring, time_ns, time_ns);
	if (!kernel_writes(s, ring, &r))
		abort();
}

/* The next event is a page taken by the CPU's task at this time. */
static int next_is(struct rings *s, uint32_t ring, uint64_t time_ns)
{
	struct event e;

	memset(&e, 0x5a, sizeof(e));
	return perf_next(&s->perf.source, &e) == 1 && e.type == EVENT_ALLOC &&
	       e.time_ns == time_ns && e.pfn == time_ns && e.tid == 1 + ring;
}

static int no_more(struct rings *s)
{
	struct event e;

	return perf_next(&s->perf.source, &e) == 0;
}

static int all_given_back(const struct rings *s)
{
	for (uint32_t i = 0; i < s->perf.source.rings; i++)
		if (s->control[i].data_tail != s->control[i].data_head)
			return 0;
	return 1;
}

static void test_merge(void)
{
	struct rings s;

	fresh(&s, 3);
	perf_begin(&s.perf.source, UINT64_MAX);
	tap_ok(no_more(&s), "empty rings");
	page(&s, 0, 10);
	page(&s, 0, 40);
	page(&s, 2, 20);
	page(&s, 2, 30);
	page(&s, 2, 50);
	perf_begin(&s.perf.source, UINT64_MAX);
	tap_ok(next_is(&s, 0, 10) && next_is(&s, 2, 20) &&
	       next_is(&s, 2, 30) && next_is(&s, 0, 40) &&
	       next_is(&s, 2, 50) && no_more(&s),
	       "CPUs are merged by time, one of them silent");
	tap_ok(all_given_back(&s), "all space is given back");
	page(&s, 1, 60);
	page(&s, 0, 60);
	perf_begin(&s.perf.source, UINT64_MAX);
	tap_ok(next_is(&s, 0, 60) && next_is(&s, 1, 60) && no_more(&s),
	       "equal times: the first ring first");
	drop(&s);
}

static void test_horizon(void)
{
	struct rings s;

	fresh(&s, 2);
	page(&s, 0, 10);
	page(&s, 0, 30);
	page(&s, 1, 20);
	page(&s, 1, 40);
	perf_begin(&s.perf.source, 30);
	tap_ok(next_is(&s, 0, 10) && next_is(&s, 1, 20) && no_more(&s),
	       "what is stamped at the horizon waits");
	tap_ok(no_more(&s), "and goes on waiting");
	page(&s, 0, 35);
	perf_begin(&s.perf.source, 40);
	tap_ok(next_is(&s, 0, 30) && next_is(&s, 0, 35) && no_more(&s),
	       "until the next one");
	perf_begin(&s.perf.source, UINT64_MAX);
	page(&s, 0, 36);
	tap_ok(next_is(&s, 1, 40) && no_more(&s),
	       "what comes while draining waits, too");
	perf_begin(&s.perf.source, UINT64_MAX);
	tap_ok(next_is(&s, 0, 36) && no_more(&s) && all_given_back(&s),
	       "but not for ever");
	drop(&s);
}

/* Records lie across the ring's end at every byte of theirs. */
static void test_wrap(void)
{
	uint32_t wrong = 0;
	struct rings s;

	for (uint64_t at = 0; at < RING_BYTES + 256; at += 8) {
		fresh(&s, 1);
		start_at(&s, 0, at);
		for (uint64_t t = 1; t <= 12; t++)
			page(&s, 0, t);
		perf_begin(&s.perf.source, UINT64_MAX);
		for (uint64_t t = 1; t <= 12; t++)
			wrong += !next_is(&s, 0, t);
		wrong += !no_more(&s) || !all_given_back(&s);
		drop(&s);
	}
	tap_ok(!wrong, "wherever a ring starts: %u wrong", wrong);
	fresh(&s, 1);
	start_at(&s, 0, UINT64_MAX - 87);
	page(&s, 0, 1);
	page(&s, 0, 2);
	perf_begin(&s.perf.source, UINT64_MAX);
	tap_ok(next_is(&s, 0, 1) && next_is(&s, 0, 2) && no_more(&s),
	       "even where its positions wrap");
	drop(&s);
}

/* The head of a 32-bit kernel is 0 again after 4 GiB: before that the ring is
 * filled once, with records that must not be read again. */
static void test_wrap_32_bits(void)
{
	struct rings s;
	uint64_t t;

	fresh(&s, 1);
	start_at(&s, 0, (UINT64_C(1) << 32) - 2 * RING_BYTES);
	for (t = 1; t <= 200; t++) {
		/* As that kernel reads and writes them. */
		s.control[0].data_tail &= UINT32_MAX;
		page(&s, 0, t);
		s.control[0].data_head &= UINT32_MAX;
		perf_begin(&s.perf.source, UINT64_MAX);
		if (!next_is(&s, 0, t) || !no_more(&s))
			break;
	}
	tap_ok(t > 200 && !s.perf.source.stalls &&
	       s.control[0].data_head < 4 * RING_BYTES,
	       "a head of 32 bits wraps: record %u", (unsigned int)t);
	drop(&s);
}

/* A full ring, drained as far as the kernel needs. */
static void test_given_back(void)
{
	struct rings s;
	uint64_t n = 0, least = RING_BYTES;
	struct record r;

	fresh(&s, 1);
	page_sample(&r, 1, 1, 1);
	while (room(&s, 0) >= r.len)
		page(&s, 0, ++n);
	perf_begin(&s.perf.source, UINT64_MAX);
	for (uint64_t t = 1; t <= n; t++) {
		uint64_t held = s.ring[0].tail - s.control[0].data_tail;

		if (!next_is(&s, 0, t))
			break;
		if (RING_BYTES - held < least)
			least = RING_BYTES - held;
	}
	tap_ok(no_more(&s) && all_given_back(&s), "a full ring is emptied");
	tap_ok(least >= RING_BYTES - RING_BYTES / 8 - 256,
	       "and what is read is given back along the way");
	drop(&s);
}

static void test_other_records(void)
{
	struct rings s;
	struct record r;
	struct event e;

	fresh(&s, 2);
	page(&s, 0, 5);
	begin(&r, PERF_RECORD_THROTTLE, 0);
	put_u64(&r, 1);
	trailer(&r, 1, 1, 6);
	end(&r);
	kernel_writes(&s, 0, &r);
	comm_record(&r, 9, "name", 0, 7);
	kernel_writes(&s, 0, &r);
	lost_record(&r, 3, 8);
	kernel_writes(&s, 1, &r);
	page(&s, 0, 9);
	perf_begin(&s.perf.source, UINT64_MAX);
	tap_ok(next_is(&s, 0, 5), "a page");
	tap_ok(perf_next(&s.perf.source, &e) == 1 && e.type == EVENT_COMM &&
	       e.time_ns == 7, "what is none of ours is passed over");
	tap_ok(perf_next(&s.perf.source, &e) == 1 && e.type == EVENT_LOST &&
	       e.lost == 3 && e.time_ns == 8, "lost records, in their time");
	tap_ok(next_is(&s, 0, 9) && no_more(&s) && all_given_back(&s),
	       "and the rest");
	drop(&s);
}

static void test_rejected(void)
{
	const struct raw_page raw = { .type = ALLOC_ID };
	uint64_t chain[300] = { 0 };
	struct rings s;
	struct record r;
	struct event e;

	fresh(&s, 1);
	sample(&r, 1, 1, 5, NULL, 0, &raw, 16);	/* no order */
	kernel_writes(&s, 0, &r);
	sample(&r, 1, 1, 6, chain, 300, &raw, sizeof(raw));
	kernel_writes(&s, 0, &r);
	begin(&r, PERF_RECORD_SAMPLE, 0);
	end(&r);
	kernel_writes(&s, 0, &r);
	page(&s, 0, 8);
	perf_begin(&s.perf.source, UINT64_MAX);
	tap_ok(perf_next(&s.perf.source, &e) == 1 && e.type == EVENT_REJECTED &&
	       e.time_ns == 5, "a record that does not fit its format");
	tap_ok(perf_next(&s.perf.source, &e) == 1 && e.type == EVENT_REJECTED &&
	       e.time_ns == 6, "one larger than any of ours");
	while (perf_next(&s.perf.source, &e) == 1 && e.type == EVENT_REJECTED)
		;
	tap_ok(e.type == EVENT_ALLOC && e.pfn == 8 && no_more(&s) &&
	       !s.perf.source.stalls, "what follows is read");
	drop(&s);
}

/* A size that no record has: the rest of the ring cannot be read. */
static void stall(uint16_t size, uint32_t before, const char *what)
{
	struct rings s;
	struct record r;

	fresh(&s, 2);
	for (uint32_t i = 0; i < before; i++)
		page(&s, 0, 10 + i);
	page_sample(&r, 1, 20, 20);
	memcpy(r.bytes + 6, &size, sizeof(size));
	kernel_writes(&s, 0, &r);
	page(&s, 0, 30);
	page(&s, 1, 40);
	perf_begin(&s.perf.source, UINT64_MAX);
	for (uint32_t i = 0; i < before; i++)
		next_is(&s, 0, 10 + i);
	tap_ok(next_is(&s, 1, 40) && no_more(&s), "%s: other rings go on",
	       what);
	tap_ok(s.perf.source.stalls == 1, "%s: it is counted", what);
	tap_ok(all_given_back(&s), "%s: its space is given back", what);
	page(&s, 0, 50);
	perf_begin(&s.perf.source, UINT64_MAX);
	tap_ok(next_is(&s, 0, 50) && no_more(&s), "%s: then it goes on",
	       what);
	drop(&s);
}

static void test_stalls(void)
{
	stall(4, 1, "a size below a header's, behind a page");
	stall(12, 1, "a size that is no multiple of eight");
	stall(8192, 1, "a size beyond what was written");
	stall(0, 0, "the first record has no size");
	stall(8192, 0, "the first record is beyond what was written");
}

/* Type 0 is no record: it must not make the ring deaf. */
static void test_type_zero(void)
{
	struct rings s;
	struct record r;

	fresh(&s, 1);
	begin(&r, 0, 0);
	put_u64(&r, 1);
	trailer(&r, 1, 1, 5);
	end(&r);
	kernel_writes(&s, 0, &r);
	page(&s, 0, 6);
	perf_begin(&s.perf.source, UINT64_MAX);
	tap_ok(next_is(&s, 0, 6) || s.perf.source.stalls == 1,
	       "a record of type 0 is passed over, or counted");
	no_more(&s);
	tap_ok(all_given_back(&s), "and does not block its ring");
	drop(&s);
}

/* Random records on random rings, written as room allows, drained to random
 * horizons: all come out, each once, in time order. */
struct stream {
	struct rings s;
	struct random r;
	uint64_t now_ns, written, read, last_ns, backwards;
	uint64_t sum_written, sum_read;
};

static void random_write(struct stream *x)
{
	const struct raw_page raw = { .type = FREE_ID, .pfn = x->now_ns };
	uint64_t chain[12] = { 0 };
	uint32_t ring = random_below(&x->r, RINGS);
	struct record r;

	x->now_ns += random_below(&x->r, 3);
	switch (random_below(&x->r, 5)) {
	case 0:
		/* The clock is read once more for the body. */
		task_record(&r, PERF_RECORD_FORK, 7, 7, 1,
			    x->now_ns + random_below(&x->r, 4), x->now_ns);
		break;
	case 1:
		comm_record(&r, 7, "a name", 0, x->now_ns);
		break;
	default:
		sample(&r, 1, 1, x->now_ns, chain, random_below(&x->r, 12),
		       &raw, sizeof(raw));
	}
	if (!kernel_writes(&x->s, ring, &r))
		return;
	x->written++;
	x->sum_written += x->now_ns * (r.bytes[0] + 1u);
}

static void random_drain(struct stream *x, uint64_t horizon_ns)
{
	struct event e;

	perf_begin(&x->s.perf.source, horizon_ns);
	while (perf_next(&x->s.perf.source, &e)) {
		uint32_t type = e.type == EVENT_FORK ? PERF_RECORD_FORK :
				e.type == EVENT_COMM ? PERF_RECORD_COMM :
				e.type == EVENT_FREE ? PERF_RECORD_SAMPLE : 0;

		x->backwards += e.time_ns < x->last_ns ||
				e.time_ns >= horizon_ns;
		x->last_ns = e.time_ns;
		x->read++;
		x->sum_read += e.time_ns * (type + 1u);
	}
}

static void test_random(uint64_t seed)
{
	static struct stream x;

	memset(&x, 0, sizeof(x));
	x.r.state = seed;
	fresh(&x.s, RINGS);
	for (uint32_t i = 0; i < 2000; i++) {
		for (uint32_t n = random_below(&x.r, 40); n; n--)
			random_write(&x);
		/* What is written from now on is not older. */
		random_drain(&x, x.now_ns - random_below(&x.r, 20));
	}
	random_drain(&x, UINT64_MAX);
	tap_ok(x.read == x.written && x.written > 20000 &&
	       !x.s.perf.source.stalls, "seed %u: %llu of %llu records come out",
	       (unsigned int)seed, (unsigned long long)x.read,
	       (unsigned long long)x.written);
	tap_ok(x.sum_read == x.sum_written, "each as it went in");
	tap_ok(!x.backwards, "in time order: %llu are not",
	       (unsigned long long)x.backwards);
	tap_ok(all_given_back(&x.s), "and all space is given back");
	drop(&x.s);
}

int main(void)
{
	test_merge();
	test_horizon();
	test_wrap();
	test_wrap_32_bits();
	test_given_back();
	test_other_records();
	test_rejected();
	test_stalls();
	test_type_zero();
	for (uint64_t seed = 1; seed <= 3; seed++)
		test_random(seed);
	has_tgids = 0;
	test_merge();
	test_wrap();
	test_random(4);
	return tap_plan_done();
}
