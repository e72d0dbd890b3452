/*
 * source/tracefs.c: what is read of each tracepoint's format, what of a raw
 * record, and what is refused.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "../../applet/limits.h"
#include "../../applet/source/tracefs.h"
#include "formats.h"
#include "tap.h"

static int parse(struct point *p, enum tracepoint tp, const char *text)
{
	return point_parse(p, tp, text, strlen(text));
}

/* The raw record in memory of its exact size. */
static int decode(const struct point *p, const void *raw, size_t len,
		  struct event *e)
{
	unsigned char *copy = malloc(len ? len : 1);
	int error;

	if (!copy)
		abort();
	memcpy(copy, raw, len);
	memset(e, 0x5a, sizeof(*e));
	error = point_decode(p, copy, len, e);
	free(copy);
	return error;
}

static void test_parse(void)
{
	static const struct {
		enum tracepoint tp;
		const char *text;
		uint32_t id, type;
	} t[] = {
		{ TP_ALLOC, format_alloc, 653, EVENT_ALLOC },
		{ TP_ALLOC, format_alloc_6_1, 542, EVENT_ALLOC },
		{ TP_ALLOC, format_alloc_5_10, 459, EVENT_ALLOC },
		{ TP_ALLOC, format_alloc_32, 300, EVENT_ALLOC },
		{ TP_ALLOC, format_alloc_s390, 301, EVENT_ALLOC },
		{ TP_FREE, format_free, 655, EVENT_FREE },
		{ TP_MODULE_LOAD, format_module_load, 357, EVENT_MODULE_LOAD },
		{ TP_MODULE_FREE, format_module_free, 356, EVENT_MODULE_FREE },
		{ TP_ENTER_FINIT_MODULE, format_enter, 348, EVENT_LOAD_ENTER },
		{ TP_ENTER_INIT_MODULE, format_enter, 348, EVENT_LOAD_ENTER },
		{ TP_EXIT_FINIT_MODULE, format_exit, 347, EVENT_LOAD_EXIT },
		{ TP_EXIT_INIT_MODULE, format_exit, 347, EVENT_LOAD_EXIT },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct point p;
		int error = parse(&p, t[i].tp, t[i].text);

		tap_ok(!error && p.id == t[i].id &&
		       p.type == t[i].type && p.flags.size == 1 &&
		       p.flags.offset == 2, "%s, id %u",
		       tracepoint_name(t[i].tp), p.id);
	}
}

static void test_refused(void)
{
	static const struct {
		enum tracepoint tp;
		const char *text, *why;
	} t[] = {
		{ TP_ALLOC, format_alloc_old, "pages without a pfn" },
		{ TP_FREE, format_alloc_old, "nor freed ones" },
		{ TP_ALLOC, format_exit, "another event's" },
		{ TP_MODULE_LOAD, format_free, "a module without a name" },
		{ TP_EXIT_FINIT_MODULE, format_enter, "no result" },
		{ TP_FREE, "name: x\nformat:\n" FORMAT_COMMON, "no id" },
		{ TP_ENTER_INIT_MODULE, "name: x\nID: 0\n" FORMAT_COMMON,
		  "id 0" },
		{ TP_ENTER_INIT_MODULE, "name: x\nID: 5\n", "no flags" },
		{ TP_ALLOC, "", "nothing" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct point p;

		tap_ok(parse(&p, t[i].tp, t[i].text) == -EINVAL && !p.id,
		       "refused: %s", t[i].why);
	}
}

struct alloc_64 {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint64_t pfn;
	uint32_t order, pad;
	uint64_t gfp;
	int32_t migrate;
};

static void test_pages(void)
{
	struct alloc_64 raw = { .pfn = 0x12345, .order = 9 };
	struct point p;
	struct event e;
	uint32_t wrong = 0;

	parse(&p, TP_ALLOC, format_alloc);
	tap_ok(!decode(&p, &raw, sizeof(raw), &e) && e.type == EVENT_ALLOC &&
	       e.pfn == 0x12345 && e.order == 9 && !e.flags, "a page");
	raw.pfn = UINT64_MAX;
	tap_ok(!decode(&p, &raw, sizeof(raw), &e) && e.pfn == UINT64_MAX,
	       "a failed allocation");
	raw.order = UINT32_MAX;
	tap_ok(!decode(&p, &raw, sizeof(raw), &e) && e.order == UINT32_MAX,
	       "an order that is left to the ledger");
	for (size_t len = 0; len < 20; len++)
		wrong += decode(&p, &raw, len, &e) != -EINVAL;
	tap_ok(!wrong && !decode(&p, &raw, 20, &e),
	       "shorter than its fields: does not fit");
}

static void test_irq(void)
{
	struct alloc_64 raw = { .pfn = 1 };
	struct point p;
	struct event e;

	parse(&p, TP_ALLOC, format_alloc);
	for (unsigned int bit = 0; bit < 8; bit++) {
		raw.flags = (uint8_t)(1u << bit);
		decode(&p, &raw, sizeof(raw), &e);
		tap_ok(e.flags == (bit == 3 || bit == 4 || bit == 6 ?
				   EVENT_IRQ : 0u), "common_flags %x: %s",
		       raw.flags, e.flags ? "in interrupt" : "not");
	}
	raw.flags = 0xff;
	tap_ok(!decode(&p, &raw, sizeof(raw), &e) && e.flags == EVENT_IRQ,
	       "all of them");
}

static void test_other_sizes(void)
{
	const uint32_t narrow[6] = { 300, 0, 77, 3, 0, 0 };
	const uint32_t failed[6] = { 300, 0, UINT32_MAX, 3, 0, 0 };
	uint64_t wide[5] = { 301, 0, 4, 99, 0 };
	struct point p;
	struct event e;

	parse(&p, TP_ALLOC, format_alloc_32);
	tap_ok(!decode(&p, narrow, sizeof(narrow), &e) && e.pfn == 77 &&
	       e.order == 3, "a pfn of 4 bytes");
	tap_ok(!decode(&p, failed, sizeof(failed), &e) &&
	       e.pfn == UINT64_MAX, "-1 is a failed allocation there, too");
	parse(&p, TP_ALLOC, format_alloc_s390);
	tap_ok(!decode(&p, wide, sizeof(wide), &e) && e.pfn == 99 &&
	       e.order == 4, "an order of 8 bytes");
	wide[2] = UINT64_C(1) << 32;
	tap_ok(!decode(&p, wide, sizeof(wide), &e) && e.order == UINT32_MAX,
	       "a large one does not become small");
}

static void test_names(void)
{
	unsigned char raw[100] = { 0 };
	const uint32_t loc = 16u | 9u << 16, all = 16u | 84u << 16;
	struct point p;
	struct event e;

	memcpy(raw + 12, &loc, 4);
	memcpy(raw + 16, "squashfs", 9);
	parse(&p, TP_MODULE_LOAD, format_module_load);
	tap_ok(!decode(&p, raw, 25, &e) && e.type == EVENT_MODULE_LOAD &&
	       !strcmp(e.name, "squashfs"), "the name of a module");
	tap_ok(decode(&p, raw, 24, &e) == -EINVAL, "cut off: does not fit");
	memset(raw + 16, 'x', 84);
	memcpy(raw + 12, &all, 4);
	tap_ok(!decode(&p, raw, 100, &e) &&
	       strlen(e.name) == MODULE_NAME_BYTES - 1,
	       "a name longer than any is cut");
	parse(&p, TP_ENTER_FINIT_MODULE, format_enter);
	tap_ok(!decode(&p, raw, 3, &e) && e.type == EVENT_LOAD_ENTER,
	       "of an entry nothing but the flags is needed");
}

static void test_results(void)
{
	int64_t raw[3] = { 347, 0, -17 };
	struct point p;
	struct event e;

	parse(&p, TP_EXIT_FINIT_MODULE, format_exit);
	tap_ok(!decode(&p, raw, 24, &e) && e.type == EVENT_LOAD_EXIT &&
	       e.result == -17, "what a system call returned");
	tap_ok(decode(&p, raw, 23, &e) == -EINVAL, "cut off");
	p.result.size = 4;
	memcpy((char *)raw + 16, &(int32_t){ -5 }, 4);
	tap_ok(!decode(&p, raw, 24, &e) && e.result == -5, "in 4 bytes");
}

static void test_anon(void)
{
	struct tracefs t = { .anon = { 1, 1, 1 } };

	anon_parse(&t, format_alloc, strlen(format_alloc));
	tap_ok(t.anon[0] == 0x100 && t.anon[1] == 0x8 && t.anon[2] == 0x2,
	       "the flags of a first touch");
	anon_parse(&t, format_alloc_s390, strlen(format_alloc_s390));
	tap_ok(!t.anon[0] && !t.anon[1] && !t.anon[2],
	       "one missing: they cannot be told");
}

/* On this machine, whatever it is. */
static void test_here(void)
{
	static const char file[] = "/sys/kernel/tracing/events/%s/format";
	struct tracefs t;
	int error = tracefs_read(&t);
	uint32_t wrong = 0;
	char path[128];

	snprintf(path, sizeof(path), file, tracepoint_name(TP_ALLOC));
	if (access(path, R_OK)) {
		tap_ok(error && t.problem[0], "no tracefs here: %s",
		       t.problem);
		return;
	}
	tap_ok(!error, "tracefs is read here");
	for (enum tracepoint tp = 0; tp < TP_COUNT; tp++) {
		snprintf(path, sizeof(path), file, tracepoint_name(tp));
		wrong += (t.point[tp].id != 0) != !access(path, R_OK);
	}
	tap_ok(!wrong, "every event that is there has an id, no other");
	tap_ok(t.anon[0] && t.anon[1] && t.anon[2],
	       "the flags of a first touch can be told here");
}

int main(void)
{
	test_parse();
	test_refused();
	test_pages();
	test_irq();
	test_other_sizes();
	test_names();
	test_results();
	test_anon();
	test_here();
	return tap_plan_done();
}
