/* SPDX-License-Identifier: MIT */
/*
 * source/perf/decode.c: records of the kernel into events, those cut short
 * anywhere into none, and nothing read behind them.
 */
#include <errno.h>
#include "limits.h"
#include "perf_fixture.h"

struct decoder {
	struct tracefs points;
	struct event e;
};

/* `len` bytes in memory of exactly that size. */
static int decode(struct decoder *d, const struct record *r, size_t len)
{
	unsigned char *copy = malloc(len ? len : 1);
	int found;

	if (!copy)
		abort();
	memcpy(copy, r->bytes, len);
	memset(&d->e, 0x5a, sizeof(d->e));
	found = perf_decode(&d->points, has_tgids, copy, len, &d->e);
	free(copy);
	return found;
}

/* What must be there for the record to be taken, all else is spare. */
static void cut_off(struct decoder *d, const struct record *r, size_t needed,
		    const char *what)
{
	uint32_t wrong = 0;

	for (size_t len = 0; len < needed; len++)
		wrong += decode(d, r, len) > 0;
	tap_ok(!wrong, "%s: cut off anywhere it is none", what);
}

static void test_page(struct decoder *d)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, 0xffffffff81000001, 0xffffffffc0000002,
		PERF_CONTEXT_USER, 0x401000, PERF_CONTEXT_MAX,
	};
	const struct raw_page raw = {
		.type = ALLOC_ID, .flags = 8, .pfn = 0x1234, .order = 3,
	};
	struct record r;

	sample(&r, 20, 21, 999, chain, 6, &raw, sizeof(raw));
	tap_ok(decode(d, &r, r.len) == 1 && d->e.type == EVENT_ALLOC &&
	       d->e.tgid == 20 && d->e.tid == 21 && d->e.time_ns == 999 &&
	       d->e.pfn == 0x1234 && d->e.order == 3 &&
	       d->e.flags == EVENT_IRQ, "an allocation");
	tap_ok(d->e.chain_len == 3 && d->e.chain[0] == 0xffffffff81000001 &&
	       d->e.chain[1] == 0xffffffffc0000002 &&
	       d->e.chain[2] == 0x401000,
	       "its chain, innermost first, without the marks between");
	cut_off(d, &r, 24 + 8 + 6 * 8 + 4 + sizeof(raw), "an allocation");
	sample(&r, 20, 21, 999, (uint64_t[]){ PERF_CONTEXT_KERNEL, 7, 7, 8, 8 },
	       5, &raw, sizeof(raw));
	tap_ok(decode(d, &r, r.len) == 1 && d->e.chain_len == 3 &&
	       d->e.chain[0] == 7 && d->e.chain[1] == 8 && d->e.chain[2] == 8,
	       "an innermost frame that comes twice is one");
}

/* A sample of an event for which no chain is asked. */
static void bare_sample(struct record *r, const void *raw, uint32_t raw_bytes)
{
	begin(r, PERF_RECORD_SAMPLE, 0);
	trailer(r, 20, 21, 999);
	put_u32(r, raw_bytes);
	put(r, raw, raw_bytes);
	end(r);
}

/* The kernel fills the raw part up, so that it ends with the record. */
static void test_bare(struct decoder *d)
{
	const struct raw_page raw = {
		.type = FREE_ID, .pfn = 0x1234, .order = 2,
	};
	const uint32_t bytes = 28;
	uint64_t chain[CHAIN_FRAMES_MAX];
	uint32_t wrong = 0;
	struct record r;

	bare_sample(&r, &raw, bytes);
	tap_ok(r.len == 56 && decode(d, &r, r.len) == 1 &&
	       d->e.type == EVENT_FREE && d->e.tgid == 20 && d->e.tid == 21 &&
	       d->e.time_ns == 999 && d->e.pfn == 0x1234 && d->e.order == 2 &&
	       d->e.chain_len == 0, "a free without a chain, in 56 bytes");
	cut_off(d, &r, r.len, "a free without a chain");
	for (uint32_t i = 0; i < ARRAY_LEN(chain); i++)
		chain[i] = 0xffffffff81000000 + i;
	for (uint32_t frames = 0; frames < ARRAY_LEN(chain); frames++) {
		sample(&r, 1, 1, 1, chain, frames, &raw, bytes);
		wrong += decode(d, &r, r.len) != 1 || d->e.pfn != 0x1234 ||
			 d->e.chain_len != frames;
	}
	tap_ok(!wrong, "no count of frames is taken for a length");
}

static void test_long_chain(struct decoder *d)
{
	uint64_t chain[CHAIN_FRAMES_MAX + 70];
	const struct raw_page raw = { .type = FREE_ID, .pfn = 5 };
	struct record r;

	for (uint32_t i = 0; i < ARRAY_LEN(chain); i++)
		chain[i] = 1000 + i;
	sample(&r, 1, 1, 1, chain, ARRAY_LEN(chain), &raw, sizeof(raw));
	tap_ok(decode(d, &r, r.len) == 1 && d->e.type == EVENT_FREE &&
	       d->e.chain_len == CHAIN_FRAMES_MAX && d->e.pfn == 5 &&
	       d->e.chain[CHAIN_FRAMES_MAX - 1] == 999 + CHAIN_FRAMES_MAX,
	       "a chain too long is cut at its outer end, the page is read");
	sample(&r, 1, 1, 1, chain, CHAIN_FRAMES_MAX, &raw, sizeof(raw));
	tap_ok(decode(d, &r, r.len) == 1 &&
	       d->e.chain_len == CHAIN_FRAMES_MAX, "one just long enough");
	sample(&r, 1, 1, 1, NULL, 0, &raw, sizeof(raw));
	tap_ok(decode(d, &r, r.len) == 1 && d->e.chain_len == 0,
	       "none at all");
}

static void put_at(struct record *r, size_t at, uint64_t value, size_t size)
{
	memcpy(r->bytes + at, &value, size);
}

static void test_absurd_counts(struct decoder *d)
{
	static const uint64_t counts[] = {
		6, UINT64_MAX, UINT64_MAX / 8 + 1, UINT64_MAX / 8,
		UINT64_C(1) << 61, UINT32_MAX,
	};
	static const uint32_t sizes[] = {
		41, UINT32_MAX, UINT32_MAX - 3, 1, 0,
	};
	const struct raw_page raw = { .type = ALLOC_ID, .pfn = 9 };
	struct record r;

	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		sample(&r, 1, 1, 1, NULL, 0, &raw, 36);
		put_at(&r, 24, counts[i], 8);
		tap_ok(decode(d, &r, r.len) == -EINVAL,
		       "a chain of %llu frames does not fit",
		       (unsigned long long)counts[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		sample(&r, 1, 1, 1, NULL, 0, &raw, 36);
		put_at(&r, 32, sizes[i], 4);
		tap_ok(decode(d, &r, r.len) == -EINVAL,
		       "raw data of %u bytes does not fit", sizes[i]);
	}
	put_at(&r, 32, 0, 4);
	tap_ok(decode(d, &r, 36) == -EINVAL, "nor none, at the record's end");
	put_at(&r, 32, 1, 4);
	tap_ok(decode(d, &r, 37) == -EINVAL, "nor half a number");
	sample(&r, 1, 1, 1, NULL, 0, &raw, 20);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.pfn == 9,
	       "as much as its fields need is enough");
	sample(&r, 1, 1, 1, NULL, 0, &raw, 16);
	tap_ok(decode(d, &r, r.len) == -EINVAL,
	       "what pads the record is not its data");
}

static void test_which(struct decoder *d)
{
	unsigned char raw[64] = { 0 };
	const uint32_t loc = 16u | 8u << 16;
	struct record r;

	memcpy(raw, &(uint16_t){ 357 }, 2);
	memcpy(raw + 12, &loc, 4);
	memcpy(raw + 16, "overlay", 8);
	sample(&r, 4, 4, 4, NULL, 0, raw, 24);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.type == EVENT_MODULE_LOAD &&
	       !strcmp(d->e.name, "overlay"), "a module is loaded");
	memcpy(raw, &(uint16_t){ 347 }, 2);
	memcpy(raw + 16, &(int64_t){ -2 }, 8);
	sample(&r, 4, 4, 4, NULL, 0, raw, 24);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.type == EVENT_LOAD_EXIT &&
	       d->e.result == -2, "a load returns");
	memcpy(raw, &(uint16_t){ 348 }, 2);
	sample(&r, 4, 4, 4, NULL, 0, raw, 40);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.type == EVENT_LOAD_ENTER,
	       "a load begins");
	memcpy(raw, &(uint16_t){ 12 }, 2);
	sample(&r, 4, 4, 4, NULL, 0, raw, 40);
	tap_ok(decode(d, &r, r.len) == -EINVAL, "a tracepoint never opened");
	memcpy(raw, &(uint16_t){ 0 }, 2);
	sample(&r, 4, 4, 4, NULL, 0, raw, 40);
	tap_ok(decode(d, &r, r.len) == -EINVAL,
	       "0 is no tracepoint, though some have no id here");
}

static void test_tasks(struct decoder *d)
{
	struct record r;

	task_record(&r, PERF_RECORD_FORK, 30, 31, 7, 500, 500);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.type == EVENT_FORK &&
	       d->e.tgid == 30 && d->e.tid == 31 && d->e.parent_tgid == 7 &&
	       d->e.parent_tid == 7 && d->e.time_ns == 500 && !d->e.flags,
	       "a fork: child and parent");
	cut_off(d, &r, 8 + 24, "a fork");
	task_record(&r, PERF_RECORD_EXIT, 30, 31, 7, 501, 501);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.type == EVENT_EXIT &&
	       d->e.tgid == 30 && d->e.tid == 31, "an exit");
	cut_off(d, &r, 8 + 24, "an exit");
}

/* The kernel reads the clock twice, for the body and for the trailer, some
 * 100 ns apart; records are merged by the trailer. */
static void test_task_time(struct decoder *d)
{
	struct record r;

	task_record(&r, PERF_RECORD_FORK, 30, 30, 7, 1100, 1000);
	decode(d, &r, r.len);
	tap_ok(d->e.time_ns == 1000, "a fork is as old as its trailer: %llu",
	       (unsigned long long)d->e.time_ns);
	task_record(&r, PERF_RECORD_EXIT, 30, 30, 7, 1100, 1000);
	decode(d, &r, r.len);
	tap_ok(d->e.time_ns == 1000, "so is an exit: %llu",
	       (unsigned long long)d->e.time_ns);
}

static void test_comm(struct decoder *d)
{
	struct record r;

	comm_record(&r, 9, "systemd-udevd", 0, 600);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.type == EVENT_COMM &&
	       d->e.tid == 9 && d->e.tgid == 9 && d->e.time_ns == 600 &&
	       !d->e.flags && !strcmp(d->e.name, "systemd-udevd"),
	       "a name");
	cut_off(d, &r, 8 + 8 + 16, "a name");
	comm_record(&r, 9, "sh", PERF_RECORD_MISC_COMM_EXEC, 601);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.flags == EVENT_EXEC &&
	       !strcmp(d->e.name, "sh"), "by exec");
	comm_record(&r, 9, "fifteen letters", 0, 602);
	tap_ok(decode(d, &r, r.len) == 1 &&
	       !strcmp(d->e.name, "fifteen letters"), "the longest");
	comm_record(&r, 9, "more than fifteen letters", 0, 603);
	tap_ok(decode(d, &r, r.len) == 1 &&
	       !strcmp(d->e.name, "more than fifte"), "a longer one is cut");
	begin(&r, PERF_RECORD_COMM, 0);
	put_u64(&r, 9);
	trailer(&r, 9, 9, 604);
	end(&r);
	tap_ok(decode(d, &r, r.len) == 1 && !d->e.name[0], "none");
}

static void test_lost(struct decoder *d)
{
	struct record r;

	lost_record(&r, 12345, 700);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.type == EVENT_LOST &&
	       d->e.lost == 12345 && d->e.time_ns == 700 && !d->e.flags,
	       "lost records");
	cut_off(d, &r, 8 + 16 + 16, "lost records");
}

static void test_others(struct decoder *d)
{
	static const uint32_t types[] = {
		PERF_RECORD_MMAP, PERF_RECORD_THROTTLE,
		PERF_RECORD_UNTHROTTLE, PERF_RECORD_READ, PERF_RECORD_AUX,
		0, 99, UINT32_MAX,
	};
	struct record r;

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		begin(&r, types[i], 0);
		put_u64(&r, 1);
		trailer(&r, 1, 1, 1);
		end(&r);
		tap_ok(decode(d, &r, r.len) == 0, "type %u is none of ours",
		       types[i]);
	}
	tap_ok(decode(d, &r, 7) == -EINVAL && decode(d, &r, 0) == -EINVAL,
	       "less than a header is no record");
}

/* Records without tgid and tid: the tid is in the raw data. */
static void test_without_tgids(struct decoder *d)
{
	static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0x1001, 0x2002 };
	const struct raw_page raw = {
		.type = ALLOC_ID, .pid = 21, .pfn = 0x1234, .order = 2,
	};
	struct record r;

	has_tgids = 0;
	sample(&r, 0, 0, 999, chain, 3, &raw, sizeof(raw));
	tap_ok(decode(d, &r, r.len) == 1 && d->e.type == EVENT_ALLOC &&
	       d->e.tgid == 0 && d->e.tid == 21 && d->e.time_ns == 999 &&
	       d->e.pfn == 0x1234 && d->e.chain_len == 2 &&
	       d->e.chain[1] == 0x2002, "without tgids: an allocation");
	cut_off(d, &r, 16 + 8 + 3 * 8 + 4 + sizeof(raw), "without tgids");
	bare_sample(&r, &raw, 28);
	tap_ok(r.len == 48 && decode(d, &r, r.len) == 1 && d->e.tid == 21 &&
	       d->e.order == 2 && !d->e.chain_len, "a bare one, in 48 bytes");
	cut_off(d, &r, r.len, "without tgids, a bare one");
	bare_sample(&r, &raw, 7);
	tap_ok(decode(d, &r, r.len) == -EINVAL, "raw data without a tid");
	task_record(&r, PERF_RECORD_FORK, 30, 31, 7, 1100, 1000);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.type == EVENT_FORK &&
	       d->e.tgid == 30 && d->e.tid == 31 && d->e.parent_tid == 7 &&
	       d->e.time_ns == 1000, "a fork has all its numbers");
	cut_off(d, &r, 8 + 24, "without tgids, a fork");
	comm_record(&r, 9, "sh", 0, 600);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.tid == 9 && d->e.tgid == 9 &&
	       d->e.time_ns == 600 && !strcmp(d->e.name, "sh"), "a name");
	lost_record(&r, 12345, 700);
	tap_ok(decode(d, &r, r.len) == 1 && d->e.lost == 12345 &&
	       d->e.time_ns == 700, "lost records");
	has_tgids = 1;
}

int main(void)
{
	struct decoder d;

	points_make(&d.points);
	test_page(&d);
	test_bare(&d);
	test_long_chain(&d);
	test_absurd_counts(&d);
	test_which(&d);
	test_tasks(&d);
	test_task_time(&d);
	test_comm(&d);
	test_lost(&d);
	test_others(&d);
	test_without_tgids(&d);
	return tap_plan_done();
}
