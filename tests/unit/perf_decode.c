/* SPDX-License-Identifier: MIT */
/*
 * source/perf/drain.c: records of the kernel into events, those cut short
 * anywhere into none. tests/fuzz/perf.c: nothing is read behind them.
 *
 * source/perf/hotplug.c: CPUs go and come by a list that is a file here. No
 * tracepoint is known, so no event opens: that is told as well.
 */
#include <inttypes.h>
#include <sys/mman.h>
#include "limits.h"
#include "followed.h"
#include "perf_fixture.h"

static struct tracefs points;
static struct event e;

static int decode(const struct record *r, size_t len)
{
	memset(&e, 0x5a, sizeof(e));
	return perf_decode(&points, has_tgids, r->bytes, len, &e);
}

/* How often less than all that must be there was taken for a record. */
static uint32_t cut_off(const struct record *r, size_t needed)
{
	uint32_t taken = 0;

	while (needed--)
		taken += decode(r, needed) > 0;
	return taken;
}

/* What an event of its type has, in words. */
static const char *words(void)
{
	static char text[300];
	char *at = text + sprintf(text, "type %u of %u/%u@%" PRIu64 " flags %u",
				  e.type, e.tgid, e.tid, e.time_ns, e.flags);

	if (e.type == EVENT_ALLOC || e.type == EVENT_FREE) {
		at += sprintf(at, " %" PRIx64 "+%u:", e.pfn, e.order);
		for (uint32_t i = 0; i < e.chain_len && i < 9; i++)
			at += sprintf(at, " %" PRIx64, e.chain[i]);
	} else if (e.type == EVENT_COMM) {
		sprintf(at, " %.20s", e.name);
	} else {
		sprintf(at, " by %u/%u", e.parent_tgid, e.parent_tid);
	}
	return text;
}

static void is(const struct record *r, size_t needed, const char *want,
	       const char *what)
{
	const uint32_t taken = cut_off(r, needed);

	tap_ok(decode(r, r->len) == 1 && !strcmp(words(), want) && !taken,
	       "%s: %s; cut off, it is taken %u times", what, words(), taken);
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
	is(&r, 24 + 8 + 7 * 8 + 4 + sizeof(raw), "type 1 of 20/21@999 flags "
	   "1 1234+3: ffffffff81000001 ffffffffc0000002 401000",
	   "an allocation, its chain without marks and zeros");
	sample(&r, 20, 21, 999, (uint64_t[]){ PERF_CONTEXT_KERNEL, 7, 7, 8, 8 },
	       5, &raw, sizeof(raw));
	is(&r, 0, "type 1 of 20/21@999 flags 1 1234+3: 7 8 8",
	   "an innermost frame that comes twice is one");
	/* What was there before counts for nothing: see decode(). */
	sample(&r, 20, 21, 999, (uint64_t[]){ 0x5a5a5a5a5a5a5a5a }, 1, &raw,
	       sizeof(raw));
	is(&r, 0, "type 1 of 20/21@999 flags 1 1234+3: 5a5a5a5a5a5a5a5a",
	   "nor is a single frame compared with one behind it");
}

/* The kernel fills the raw part up, so that it ends with the record. */
static void test_bare(void)
{
	const struct raw_page raw = {
		.type = FREE_ID, .pfn = 0x1234, .order = 2,
	};
	const uint32_t bytes = 28;
	uint64_t chain[CHAIN_FRAMES_MAX + 70];
	uint32_t wrong = 0;
	struct record r;

	sample(&r, 20, 21, 999, NULL, NO_CHAIN, &raw, bytes);
	is(&r, 56, "type 2 of 20/21@999 flags 0 1234+2:",
	   "a free without a chain, in 56 bytes");
	for (uint32_t i = 0; i < ARRAY_LEN(chain); i++)
		chain[i] = 0xffffffff81000000 + i;
	for (uint32_t frames = 0; frames < CHAIN_FRAMES_MAX; frames++) {
		sample(&r, 1, 1, 1, chain, frames, &raw, bytes);
		wrong += decode(&r, r.len) != 1 || e.pfn != 0x1234 ||
			 e.chain_len != frames;
	}
	tap_ok(!wrong, "no count of frames is taken for a length");
	sample(&r, 1, 1, 1, chain, ARRAY_LEN(chain), &raw, sizeof(raw));
	tap_ok(decode(&r, r.len) == 1 && e.chain_len == CHAIN_FRAMES_MAX &&
	       e.pfn == 0x1234 &&
	       !memcmp(e.chain, chain, CHAIN_FRAMES_MAX * sizeof(*chain)),
	       "a chain too long is cut at its outer end, the page is read");
	chain[0] = PERF_CONTEXT_MAX;
	sample(&r, 1, 1, 1, chain, CHAIN_FRAMES_MAX + 1, &raw, sizeof(raw));
	tap_ok(decode(&r, r.len) == 1 && e.chain_len == CHAIN_FRAMES_MAX &&
	       !memcmp(e.chain, chain + 1, CHAIN_FRAMES_MAX * sizeof(*chain)),
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
		{ 24, 8, UINT64_MAX / 8, 72 }, { 24, 8, UINT32_MAX, 72 },
		{ 24, 8, UINT64_C(1) << 61, 72 }, { 32, 4, 41, 72 },
		{ 32, 4, UINT32_MAX, 72 }, { 32, 4, UINT32_MAX - 3, 72 },
		{ 32, 4, 1, 72 }, { 32, 4, 1, 37 },
		{ 32, 4, 0, 72 }, { 32, 4, 0, 36 },
	};
	const struct raw_page raw = { .type = ALLOC_ID, .pfn = 9 };
	const struct raw_page enter = { .type = 387 }, unknown = { .type = 12 };
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
	sample(&r, 1, 1, 1, NULL, 0, &enter, 8);
	tap_ok(decode(&r, r.len) == 1 && e.type == EVENT_LOAD_ENTER,
	       "an event of common fields alone");
	sample(&r, 1, 1, 1, NULL, 0, &enter, 7);
	tap_ok(decode(&r, r.len) == -EINVAL, "not even these");
	sample(&r, 1, 1, 1, NULL, 0, &unknown, sizeof(unknown));
	tap_ok(decode(&r, r.len) == -EINVAL, "a tracepoint that is not open");
}

/* The kernel reads the clock twice, for the body of a fork and for its trailer,
 * some 100 ns apart; records are merged by the trailer. */
static void test_tasks(void)
{
	const size_t trailer_bytes = has_tgids ? 16 : 8;
	struct record r;

	task_record(&r, PERF_RECORD_FORK, 30, 31, 7, 600, 500);
	is(&r, 8 + 16 + trailer_bytes, "type 3 of 30/31@500 flags 0 by 7/7",
	   "a fork, child and parent");
	task_record(&r, PERF_RECORD_EXIT, 30, 31, 7, 601, 501);
	is(&r, 8 + 16 + trailer_bytes, "type 5 of 30/31@501 flags 0 by 7/7",
	   "an exit");
	lost_record(&r, 12345, 700);
	tap_ok(decode(&r, r.len) == 1 && e.type == EVENT_LOST && !e.flags &&
	       e.lost == 12345 && e.time_ns == 700 &&
	       !cut_off(&r, 8 + 16 + trailer_bytes), "lost records");
	comm_record(&r, 9, "sh", PERF_RECORD_MISC_COMM_EXEC, 600);
	is(&r, 8 + 8 + trailer_bytes, "type 4 of 9/9@600 flags 2 sh", "exec");
	comm_record(&r, 9, "more than fifteen letters", 0, 603);
	is(&r, 8 + 8 + trailer_bytes,
	   "type 4 of 9/9@603 flags 0 more than fifte", "a name that is cut");
	tap_ok(e.name[COMM_BYTES] == 0x5a, "and no more of it is written");
	begin(&r, PERF_RECORD_COMM, 0);
	put_u64(&r, 9);
	trailer(&r, 9, 9, 604);
	end(&r);
	is(&r, r.len, "type 4 of 9/0@604 flags 0 ", "no name");
}

static void test_others(void)
{
	static const uint32_t types[] = {
		PERF_RECORD_MMAP, PERF_RECORD_THROTTLE, PERF_RECORD_READ,
		PERF_RECORD_AUX, 0, 99, UINT32_MAX,
	};
	uint32_t wrong = 0;
	struct record r;

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		task_record(&r, types[i], 1, 1, 1, 1, 1);
		wrong += decode(&r, r.len) != 0;
	}
	tap_ok(!wrong, "other types are none of ours: %u are", wrong);
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
	is(&r, 16 + 8 + 3 * 8 + 4 + sizeof(raw),
	   "type 1 of 0/21@999 flags 0 1234+2: 1001 2002", "without tgids");
	sample(&r, 0, 0, 999, NULL, NO_CHAIN, &raw, 28);
	is(&r, 48, "type 1 of 0/21@999 flags 0 1234+2:",
	   "a bare one, in 48 bytes");
	sample(&r, 0, 0, 999, NULL, NO_CHAIN, &raw, 7);
	tap_ok(decode(&r, r.len) == -EINVAL, "raw data without a tid");
	test_tasks();
}

/* --- hotplug.c --- */

#define RINGS 2u

static struct perf_ring rings[RINGS + 1];
static struct tracefs no_points;
static const struct source_kind kind = { .follow = perf_follow };
static struct perf perf = {
	.source = { .kind = &kind, .rings = RINGS, .points = &no_points },
	.ring = rings, .capacity = RINGS,
};

static int told_is(const char *list, const char *want)
{
	if (ftruncate(perf.cpus_fd, 0) ||
	    pwrite(perf.cpus_fd, list, strlen(list), 0) < 0)
		abort();
	return follows(&perf.source, want);
}

#define FULL "1:-28 "		/* ENOSPC */
#define CLOSED(cpu) cpu ":-2 "	/* ENOENT */

static void test_follow(void)
{
	static const struct {
		const char *list, *want;
		_Bool gone;	/* the first ring's CPU */
		uint32_t cpu;	/* of the first ring */
		const char *what;
	} t[] = {
		{ "0-2\n", FULL, 0, 0, "no ring for a CPU: that is told" },
		{ "0-2\n", "", 0, 0, "once" },
		{ "0-2,5\n", FULL "5:-28 ", 0, 0, "and with the next one" },
		{ "", "", 0, 0, "a list that cannot be read says nothing" },
		{ "x\n", "", 0, 0, "nor one of no numbers" },
		{ "2\n", "", 1, 0, "a CPU is gone" },
		{ "0,2\n", CLOSED("0"), 1, 0,
		  "it comes again, and its events do not open" },
		{ "0,2\n", "", 1, 0, "which is told once" },
		{ "2,7\n", CLOSED("7"), 1, 7, "another one takes its ring" },
	};

	perf.cpus_fd = memfd_create("online", 0);
	for (uint32_t i = 0; i < RINGS; i++)
		rings[i].cpu = i * 2;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		tap_ok(told_is(t[i].list, t[i].want) && !rings[1].gone &&
		       rings[0].gone == t[i].gone && rings[0].cpu == t[i].cpu,
		       "%s", t[i].what);
	perf.capacity++;
	tap_ok(told_is("2,7,9\n", CLOSED("9")) && rings[RINGS].cpu == 9 &&
	       perf.source.rings == RINGS + 1 && rings[RINGS].gone,
	       "or it gets a new one, as long as there is room");
	tap_ok(told_is("2,7-9\n", "8:-28 ") && told_is("2,7-9\n", ""),
	       "and no longer");
	perf.cpus_fd = -1;
	tap_ok(follows(&perf.source, ""), "without a list nothing is told");
}

int main(void)
{
	points_make(&points);
	test_page();
	test_bare();
	test_absurd_counts();
	test_tasks();
	test_others();
	test_without_tgids();
	test_follow();
	return tap_plan_done();
}
