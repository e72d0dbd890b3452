/* SPDX-License-Identifier: MIT */
/*
 * source/perf/drain.c, the half that drains: rings of plain memory, filled as the
 * kernel fills them, come out as one stream in time order; what cannot be read
 * is counted and left behind (cases/perf_ring).
 */
#include "limits.h"
#include "cases.h"
#include "perf_fixture.h"

#define RING_BYTES 4096u
#define RINGS 7u
#define ALL UINT64_MAX

static struct {
	struct perf_event_mmap_page control[RINGS];
	unsigned char data[RINGS][RING_BYTES];
	struct perf_ring ring[RINGS];
	struct merge_entry heap[RINGS];
	struct tracefs points;
	struct perf perf;
} s;

/* Rings of which `at` bytes were written and read before. */
static void fresh(uint32_t rings, uint64_t at)
{
	memset(&s, 0, sizeof(s));
	points_make(&s.points);
	s.perf = (struct perf){
		.source = {
			.points = &s.points, .rings = rings,
			.ring_bytes = RING_BYTES,
		},
		.ring = s.ring, .merge = { .heap = s.heap },
		.capacity = rings, .has_tgids = has_tgids,
	};
	for (uint32_t i = 0; i < rings; i++) {
		s.ring[i] = (struct perf_ring){
			.control = &s.control[i], .data = s.data[i],
			.tail = at, .released = at, .cpu = i + 7,
		};
		s.control[i].data_head = s.control[i].data_tail = at;
	}
}

/* 0: the kernel sees no room. */
static int kernel_writes(uint32_t ring, const struct record *r)
{
	struct perf_event_mmap_page *c = &s.control[ring];

	if (r->len > RING_BYTES - (c->data_head - c->data_tail))
		return 0;
	for (size_t i = 0; i < r->len; i++)
		s.data[ring][(c->data_head + i) % RING_BYTES] = r->bytes[i];
	c->data_head += r->len;
	return 1;
}

/* A page taken by the CPU's task, whose number is the time. */
static int page(uint32_t ring, uint64_t time_ns)
{
	struct record r;

	page_sample(&r, ring, time_ns, time_ns);
	return kernel_writes(ring, &r);
}

static int all_given_back(void)
{
	for (uint32_t i = 0; i < s.perf.source.rings; i++)
		if (s.control[i].data_tail != s.control[i].data_head)
			return 0;
	return 1;
}

/* What comes next, "CPU@time", with a word if it is no page; "": nothing. */
static const char *next(void)
{
	static char text[80];
	struct event e = { .flags = 0 };
	const char *word = " other";

	if (!perf_next(&s.perf.source, &e))
		return "";
	if (e.type == EVENT_ALLOC && e.pfn == e.time_ns && e.cpu == e.tid + 7)
		word = "";
	else if (e.type == EVENT_LOST)
		word = " lost";
	else if (e.type == EVENT_COMM)
		word = e.name;
	else if (e.type == EVENT_REJECTED)
		word = " rejected";
	snprintf(text, sizeof(text), "%u%s@%llu", e.cpu - 7, word,
		 (unsigned long long)e.time_ns);
	return text;
}

/* All that comes, in order. */
static const char *all_before(uint64_t horizon_ns)
{
	static char got[OUTCOME_BYTES];
	const char *one;

	got[0] = '\0';
	perf_begin(&s.perf.source, horizon_ns);
	while (strlen(got) < sizeof(got) - 80 && *(one = next()))
		append(got, "%s%s", *got ? " " : "", one);
	return got;
}

/* What is written to ring N, "N: RECORD" or "N page TIME"; what comes then. */
static void step(const char *text, char *out)
{
	const unsigned int ring = (unsigned int)*text - '0';
	unsigned long long number;
	struct record r;

	if (sscanf(text, "new %llu", &number) == 1) {
		fresh((uint32_t)number, 0);
	} else if (sscanf(text, "%*u page %llu", &number) == 1) {
		must(page(ring, number));
	} else if (text[1] == ':') {
		record_of(&r, text + 3);
		must(kernel_writes(ring, &r));
	} else if (!strcmp(text, "begin")) {
		perf_begin(&s.perf.source, ALL);
	} else if (!strcmp(text, "next")) {
		append(out, "%s%s", *out ? " " : "", next());
	} else if (!strcmp(text, "fullest")) {
		page_sample(&r, 1, 1, 1);
		append(out, "; %zu pages", s.perf.source.used_bytes / r.len);
	} else {
		if (!sscanf(text, "until %llu", &number))
			number = ALL;
		append(out, "%s%s", *out ? "; " : "", all_before(number));
		if (s.perf.source.pending)
			append(out, " and more");
		if (s.perf.source.stalls)
			append(out, ", stalls %u",
			       (unsigned int)s.perf.source.stalls);
		if (number == ALL && !all_given_back())
			append(out, ", not given back");
	}
}

/* The head of a 32-bit kernel is 0 again after 4 GiB: before that the ring is
 * filled once, with records that must not be read again. */
static void test_wrap(void)
{
	uint64_t t = 0;
	char want[16];
	int comes_out;

	fresh(1, UINT64_MAX - 87);
	page(0, 1);
	page(0, 2);
	tap_ok(!strcmp(all_before(ALL), "0@1 0@2"),
	       "positions of 64 bits wrap");
	fresh(1, (UINT64_C(1) << 32) - 2 * RING_BYTES);
	do {
		/* As that kernel reads and writes them. */
		s.control[0].data_tail &= UINT32_MAX;
		page(0, ++t);
		s.control[0].data_head &= UINT32_MAX;
		snprintf(want, sizeof(want), "0@%u", (unsigned int)t);
		comes_out = !strcmp(all_before(ALL), want);
	} while (comes_out && t < 200);
	tap_ok(comes_out && !s.perf.source.stalls &&
	       s.control[0].data_head < 4 * RING_BYTES,
	       "a head of 32 bits wraps: record %u", (unsigned int)t);
}

/* A full ring, drained as far as the kernel needs. */
static void test_given_back(void)
{
	uint64_t n = 0, most = 0;

	fresh(1, 0);
	while (page(0, n + 1))
		n++;
	perf_begin(&s.perf.source, ALL);
	for (; *next(); n--) {
		const uint64_t kept = s.ring[0].tail - s.control[0].data_tail;

		most = kept > most ? kept : most;
	}
	tap_ok(!n && all_given_back(), "a full ring is emptied");
	tap_ok(most && most <= RING_BYTES / 8 + 256,
	       "and what is read is given back along the way");
}

/* Random records on random rings, written as room allows, drained to random
 * horizons: all come out, each once, in time order. Rings begin, and records
 * wrap, anywhere. */
struct stream {
	struct random r;
	uint64_t now_ns, written, left, last_ns, wrong;
	uint64_t left_ns;	/* the sum of their times */
};

static void random_write(struct stream *x)
{
	struct raw_page raw = { .type = FREE_ID };
	uint64_t chain[12] = { 0 };
	char text[80];
	struct record r;

	raw.pfn = x->now_ns += random_below(&x->r, 3);
	/* For the body of a fork the clock is read once more. */
	if (random_one_in(&x->r, 5))
		snprintf(text, sizeof(text), "fork 7 1 7 1 :%" PRIu64
			 " @1/1/%" PRIu64, x->now_ns + random_below(&x->r, 4),
			 x->now_ns);
	else if (random_one_in(&x->r, 4))
		snprintf(text, sizeof(text), "comm 7 7 'a name' _ @7/7/%"
			 PRIu64, x->now_ns);
	else
		text[0] = '\0';
	if (*text)
		record_of(&r, text);
	else
		sample(&r, 1, 1, x->now_ns, chain, random_below(&x->r, 12),
		       &raw, sizeof(raw));
	if (!kernel_writes(random_below(&x->r, RINGS), &r))
		return;
	x->written++;
	x->left++;
	x->left_ns += x->now_ns;
}

static void random_drain(struct stream *x, uint64_t horizon_ns)
{
	struct event e;

	perf_begin(&s.perf.source, horizon_ns);
	while (perf_next(&s.perf.source, &e)) {
		x->wrong += e.time_ns < x->last_ns || e.time_ns >= horizon_ns ||
			    (e.type == EVENT_FREE ? e.pfn != e.time_ns :
			     e.type != EVENT_FORK && e.type != EVENT_COMM);
		x->last_ns = e.time_ns;
		x->left--;
		x->left_ns -= e.time_ns;
	}
}

static void test_random(uint64_t seed)
{
	struct stream x = { .r = { seed } };

	fresh(RINGS, seed * 8);
	for (uint32_t i = 0; i < 2000; i++) {
		for (uint32_t n = random_below(&x.r, 40); n; n--)
			random_write(&x);
		/* What is written from now on is not older. */
		random_drain(&x, x.now_ns - random_below(&x.r, 20));
	}
	random_drain(&x, ALL);
	tap_ok(!x.left && !x.left_ns && x.written > 20000 && !x.wrong &&
	       !s.perf.source.stalls && all_given_back(),
	       "seed %u: of %u records %u do not come out, %u are wrong",
	       (unsigned int)seed, (unsigned int)x.written,
	       (unsigned int)x.left, (unsigned int)x.wrong);
}

int main(void)
{
	each_step("perf_ring", NULL, step);
	test_wrap();
	test_given_back();
	test_random(1);
	test_random(2);
	has_tgids = 0;
	each_step("perf_ring", "horizon", step);
	test_random(3);
	return tap_plan_done();
}
