/* SPDX-License-Identifier: MIT */
/*
 * source/perf/decode.c: records of the kernel into events, those cut short
 * anywhere into none, and nothing read behind them.
 */
#include <errno.h>
#include "exact.h"
#include "limits.h"
#include "perf_fixture.h"

static struct tracefs points;
static struct event e;

/* `len` bytes in memory of exactly that size. */
static int decode(const struct record *r, size_t len)
{
	unsigned char *copy = exact(r->bytes, len);
	int found;

	memset(&e, 0x5a, sizeof(e));
	found = perf_decode(&points, has_tgids, copy, len, &e);
	free(copy);
	return found;
}

/* What must be there for the record to be taken, all else is spare. */
static void cut_off(const struct record *r, size_t needed,
		    const char *what)
{
	uint32_t wrong = 0;

	for (size_t len = 0; len < needed; len++)
		wrong += decode(r, len) > 0;
	tap_ok(!wrong, "%s: cut off anywhere it is none", what);
}

static void test_page(void)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, 0xffffffff81000001, 0, 0xffffffffc0000002,
		PERF_CONTEXT_USER, 0x401000, PERF_CONTEXT_MAX,
	};
	const struct raw_page raw = {
		.type = ALLOC_ID, .flags = 8, .pfn = 0x1234, .order = 3,
	};
	struct record r;

	sample(&r, 20, 21, 999, chain, 7, &raw, sizeof(raw));
	tap_ok(decode(&r, r.len) == 1 && e.type == EVENT_ALLOC &&
	       e.tgid == 20 && e.tid == 21 && e.time_ns == 999 &&
	       e.pfn == 0x1234 && e.order == 3 &&
	       e.flags == EVENT_IRQ, "an allocation");
	tap_ok(e.chain_len == 3 && e.chain[0] == 0xffffffff81000001 &&
	       e.chain[1] == 0xffffffffc0000002 &&
	       e.chain[2] == 0x401000,
	       "its chain, innermost first, without marks and zeros");
	cut_off(&r, 24 + 8 + 7 * 8 + 4 + sizeof(raw), "an allocation");
	sample(&r, 20, 21, 999, (uint64_t[]){ PERF_CONTEXT_KERNEL, 7, 7, 8, 8 },
	       5, &raw, sizeof(raw));
	tap_ok(decode(&r, r.len) == 1 && e.chain_len == 3 &&
	       e.chain[0] == 7 && e.chain[1] == 8 && e.chain[2] == 8,
	       "an innermost frame that comes twice is one");
	/* What was there before counts for nothing: see decode(). */
	sample(&r, 20, 21, 999, (uint64_t[]){ 0x5a5a5a5a5a5a5a5a }, 1, &raw,
	       sizeof(raw));
	tap_ok(decode(&r, r.len) == 1 && e.chain_len == 1,
	       "nor is a single frame compared with one behind it");
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
static void test_bare(void)
{
	const struct raw_page raw = {
		.type = FREE_ID, .pfn = 0x1234, .order = 2,
	};
	const uint32_t bytes = 28;
	uint64_t chain[CHAIN_FRAMES_MAX];
	uint32_t wrong = 0;
	struct record r;

	bare_sample(&r, &raw, bytes);
	tap_ok(r.len == 56 && decode(&r, r.len) == 1 &&
	       e.type == EVENT_FREE && e.tgid == 20 && e.tid == 21 &&
	       e.time_ns == 999 && e.pfn == 0x1234 && e.order == 2 &&
	       e.chain_len == 0, "a free without a chain, in 56 bytes");
	cut_off(&r, r.len, "a free without a chain");
	for (uint32_t i = 0; i < ARRAY_LEN(chain); i++)
		chain[i] = 0xffffffff81000000 + i;
	for (uint32_t frames = 0; frames < ARRAY_LEN(chain); frames++) {
		sample(&r, 1, 1, 1, chain, frames, &raw, bytes);
		wrong += decode(&r, r.len) != 1 || e.pfn != 0x1234 ||
			 e.chain_len != frames;
	}
	tap_ok(!wrong, "no count of frames is taken for a length");
}

static void test_long_chain(void)
{
	uint64_t chain[CHAIN_FRAMES_MAX + 70];
	const struct raw_page raw = { .type = FREE_ID, .pfn = 5 };
	struct record r;

	for (uint32_t i = 0; i < ARRAY_LEN(chain); i++)
		chain[i] = 1000 + i;
	sample(&r, 1, 1, 1, chain, ARRAY_LEN(chain), &raw, sizeof(raw));
	tap_ok(decode(&r, r.len) == 1 && e.type == EVENT_FREE &&
	       e.chain_len == CHAIN_FRAMES_MAX && e.pfn == 5 &&
	       e.chain[CHAIN_FRAMES_MAX - 1] == 999 + CHAIN_FRAMES_MAX,
	       "a chain too long is cut at its outer end, the page is read");
	chain[0] = PERF_CONTEXT_MAX;
	sample(&r, 1, 1, 1, chain, CHAIN_FRAMES_MAX + 1, &raw, sizeof(raw));
	tap_ok(decode(&r, r.len) == 1 &&
	       e.chain_len == CHAIN_FRAMES_MAX &&
	       e.chain[CHAIN_FRAMES_MAX - 1] == 1000 + CHAIN_FRAMES_MAX,
	       "a mark takes no room from one just long enough");
}

/* Counts that lead beyond the record, and raw data too short for an entry. */
static void test_absurd_counts(void)
{
	static const struct {
		size_t at, size;	/* in the record */
		uint64_t value;
		size_t len;
	} t[] = {
		{ 24, 8, 6, 72 }, { 24, 8, UINT64_MAX, 72 },
		{ 24, 8, UINT64_MAX / 8 + 1, 72 },
		{ 24, 8, UINT64_MAX / 8, 72 },
		{ 24, 8, UINT64_C(1) << 61, 72 }, { 24, 8, UINT32_MAX, 72 },
		{ 32, 4, 41, 72 }, { 32, 4, UINT32_MAX, 72 },
		{ 32, 4, UINT32_MAX - 3, 72 }, { 32, 4, 1, 72 },
		{ 32, 4, 0, 72 }, { 32, 4, 0, 36 }, { 32, 4, 1, 37 },
	};
	const struct raw_page raw = { .type = ALLOC_ID, .pfn = 9 };
	struct record r;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		sample(&r, 1, 1, 1, NULL, 0, &raw, 36);
		memcpy(r.bytes + t[i].at, &t[i].value, t[i].size);
		tap_ok(r.len == 72 && decode(&r, t[i].len) == -EINVAL,
		       "%llu %s, in %zu bytes",
		       (unsigned long long)t[i].value,
		       t[i].size == 8 ? "frames" : "bytes", t[i].len);
	}
	sample(&r, 1, 1, 1, NULL, 0, &raw, 20);
	tap_ok(decode(&r, r.len) == 1 && e.pfn == 9,
	       "as much as its fields need is enough");
	sample(&r, 1, 1, 1, NULL, 0, &raw, 16);
	tap_ok(decode(&r, r.len) == -EINVAL,
	       "what pads the record is not its data");
}

/* Events with only some fields. 12 was never opened; 0 is no tracepoint, though
 * some have no id here. */
static void test_which(void)
{
	static const struct {
		uint16_t id;
		uint32_t len, type;
	} t[] = {
		{ 357, 24, EVENT_MODULE_LOAD }, { 347, 24, EVENT_LOAD_EXIT },
		{ 348, 40, EVENT_LOAD_ENTER }, { 348, 8, EVENT_LOAD_ENTER },
		{ 348, 7, 0 }, { 12, 40, 0 }, { 0, 40, 0 },
	};
	const uint32_t loc = 16u | 8u << 16;
	unsigned char raw[64] = { 0 };
	struct record r;

	memcpy(raw + 12, &loc, 4);
	memcpy(raw + 16, "overlay", 8);
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		memcpy(raw, &t[i].id, 2);
		sample(&r, 4, 4, 4, NULL, 0, raw, t[i].len);
		tap_ok(decode(&r, r.len) == (t[i].type ? 1 : -EINVAL) &&
		       (!t[i].type || e.type == t[i].type) &&
		       (t[i].type != EVENT_MODULE_LOAD ||
			!strcmp(e.name, "overlay")),
		       "tracepoint %u of %u bytes", t[i].id, t[i].len);
	}
}

static void test_tasks(void)
{
	struct record r;

	/* The kernel reads the clock twice, for the body and for the trailer,
	 * some 100 ns apart; records are merged by the trailer. */
	task_record(&r, PERF_RECORD_FORK, 30, 31, 7, 600, 500);
	tap_ok(decode(&r, r.len) == 1 && e.type == EVENT_FORK &&
	       e.tgid == 30 && e.tid == 31 && e.parent_tgid == 7 &&
	       e.parent_tid == 7 && e.time_ns == 500 && !e.flags,
	       "a fork: child and parent");
	cut_off(&r, 8 + 24, "a fork");
	task_record(&r, PERF_RECORD_EXIT, 30, 31, 7, 601, 501);
	tap_ok(decode(&r, r.len) == 1 && e.type == EVENT_EXIT &&
	       e.tgid == 30 && e.tid == 31 && e.time_ns == 501, "an exit");
	cut_off(&r, 8 + 24, "an exit");
}

static void test_comm(void)
{
	struct record r;

	comm_record(&r, 9, "systemd-udevd", 0, 600);
	tap_ok(decode(&r, r.len) == 1 && e.type == EVENT_COMM &&
	       e.tid == 9 && e.tgid == 9 && e.time_ns == 600 &&
	       !e.flags && !strcmp(e.name, "systemd-udevd"),
	       "a name");
	cut_off(&r, 8 + 8 + 16, "a name");
	comm_record(&r, 9, "sh", PERF_RECORD_MISC_COMM_EXEC, 601);
	tap_ok(decode(&r, r.len) == 1 && e.flags == EVENT_EXEC &&
	       !strcmp(e.name, "sh"), "by exec");
	comm_record(&r, 9, "fifteen letters", 0, 602);
	tap_ok(decode(&r, r.len) == 1 &&
	       !strcmp(e.name, "fifteen letters"), "the longest");
	comm_record(&r, 9, "more than fifteen letters", 0, 603);
	tap_ok(decode(&r, r.len) == 1 &&
	       !strcmp(e.name, "more than fifte") && e.name[COMM_BYTES] ==
	       0x5a, "a longer one is cut");
	begin(&r, PERF_RECORD_COMM, 0);
	put_u64(&r, 9);
	trailer(&r, 9, 9, 604);
	end(&r);
	tap_ok(decode(&r, r.len) == 1 && !e.name[0], "none");
}

static void test_lost(void)
{
	struct record r;

	lost_record(&r, 12345, 700);
	tap_ok(decode(&r, r.len) == 1 && e.type == EVENT_LOST &&
	       e.lost == 12345 && e.time_ns == 700 && !e.flags,
	       "lost records");
	cut_off(&r, 8 + 16 + 16, "lost records");
}

static void test_others(void)
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
		tap_ok(decode(&r, r.len) == 0, "type %u is none of ours",
		       types[i]);
	}
	tap_ok(decode(&r, 7) == -EINVAL && decode(&r, 0) == -EINVAL,
	       "less than a header is no record");
}

/* Records without tgid and tid: the tid is in the raw data. */
static void test_without_tgids(void)
{
	static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0x1001, 0x2002 };
	const struct raw_page raw = {
		.type = ALLOC_ID, .pid = 21, .pfn = 0x1234, .order = 2,
	};
	struct record r;

	has_tgids = 0;
	sample(&r, 0, 0, 999, chain, 3, &raw, sizeof(raw));
	tap_ok(decode(&r, r.len) == 1 && e.type == EVENT_ALLOC &&
	       e.tgid == 0 && e.tid == 21 && e.time_ns == 999 &&
	       e.pfn == 0x1234 && e.chain_len == 2 &&
	       e.chain[1] == 0x2002, "without tgids: an allocation");
	cut_off(&r, 16 + 8 + 3 * 8 + 4 + sizeof(raw), "without tgids");
	bare_sample(&r, &raw, 28);
	tap_ok(r.len == 48 && decode(&r, r.len) == 1 && e.tid == 21 &&
	       e.order == 2 && !e.chain_len, "a bare one, in 48 bytes");
	cut_off(&r, r.len, "without tgids, a bare one");
	bare_sample(&r, &raw, 7);
	tap_ok(decode(&r, r.len) == -EINVAL, "raw data without a tid");
	task_record(&r, PERF_RECORD_FORK, 30, 31, 7, 1100, 1000);
	tap_ok(decode(&r, r.len) == 1 && e.type == EVENT_FORK &&
	       e.tgid == 30 && e.tid == 31 && e.parent_tid == 7 &&
	       e.time_ns == 1000, "a fork has all its numbers");
	cut_off(&r, 8 + 24, "without tgids, a fork");
	comm_record(&r, 9, "sh", 0, 600);
	tap_ok(decode(&r, r.len) == 1 && e.tid == 9 && e.tgid == 9 &&
	       e.time_ns == 600 && !strcmp(e.name, "sh"), "a name");
	lost_record(&r, 12345, 700);
	tap_ok(decode(&r, r.len) == 1 && e.lost == 12345 &&
	       e.time_ns == 700, "lost records");
	has_tgids = 1;
}

int main(void)
{
	points_make(&points);
	test_page();
	test_bare();
	test_long_chain();
	test_absurd_counts();
	test_which();
	test_tasks();
	test_comm();
	test_lost();
	test_others();
	test_without_tgids();
	return tap_plan_done();
}
