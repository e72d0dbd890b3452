/* SPDX-License-Identifier: MIT */
/*
 * report/text.c, text_head.c and text_tail.c on areas of vmalloc, on what a
 * module leaves behind, on what was used before tracing, and on advice.
 */
#include "report_fixture.h"

static void vmalloc(struct fixture *f, uint32_t pid, uint64_t base,
		    uint32_t pages, uint64_t frame)
{
	struct event e = { .type = EVENT_BULK, .tid = pid, .tgid = pid,
			   .pages = pages };

	apply(f, e);
	e.type = EVENT_AREA_ALLOC;
	e.base = base;
	e.chain_len = 1;
	e.chain[0] = frame;
	apply(f, e);
}

static void seen(struct fixture *f, uint64_t base, const char *name)
{
	struct event e = { .type = EVENT_AREA_SEEN, .base = base };

	strcpy(e.name, name);
	apply(f, e);
}

static void figure(struct fixture *f, const char *name, uint64_t kib)
{
	struct event e = { .type = EVENT_FIGURE, .size = kib * 1024 };

	strcpy(e.name, name);
	apply(f, e);
}

/* Twelve modules of 8 pages each, and one that goes with a page held. */
static void thirteen(struct fixture *f)
{
	for (uint32_t i = 0; i < 13; i++) {
		const uint64_t base = MODULE_TEXT + i * 0x10000;
		const uint64_t chain[] = { base + 8, 0 };
		char name[16] = "leaks";

		if (i < 12)
			snprintf(name, sizeof(name), "large%02u", i);
		range(f, name, base);
		hold(f, 5, i < 12 ? 8 : 1, chain);
	}
	named(f, EVENT_MODULE_FREE, 5, "leaks");
}

/* Where each page of vmalloc has its own event, the columns are not known. */
static void test_not_apart(void)
{
	struct fixture *f = fixture_new();
	const char *text;

	thirteen(f);
	f->ledger.areas.held.peak = 0;
	text = fixture_print(f, 1, report_text);
	tap_ok(count(text, "        8K         -         -\n") == 0 &&
	       count(text, "       32K         -         -\n") == 5 &&
	       has(text, "\n... and 7 more modules          224K"
		   "                224K         -         -\n"),
	       "a dash for images and vmalloc that are in now");
	text = fixture_print(f, 3, report_json);
	tap_ok(has(text, "\"image_pages\":null,\"vmalloc_pages\":null") &&
	       !has(text, "\"image_pages\":0"), "in JSON null");
	free(f);
}

static void test_leaks(void)
{
	static const char leak[] =
		"\nleaks                             4K        4K"
		"        4K         0         0  gone, still holds 1 pages\n";
	struct fixture *f = fixture_new();
	const char *text;

	thirteen(f);
	for (uint32_t level = 1; level <= 3; level++) {
		text = fixture_print(f, level, report_text);
		tap_ok(count(text, leak) == 1 + (level > 1),
		       "level %u tells of it", level);
	}
	text = fixture_print(f, 1, report_text);
	tap_ok(count(text, "\nlarge") == 5 &&
	       has(text, "\n... and 7 more modules          224K"
		   "                224K         0         0\n"),
	       "beside the five largest, and apart from the rest");
	f->report.top = 1;
	text = fixture_print(f, 1, report_text);
	tap_ok(count(text, "\nlarge") == 1 && count(text, leak) == 1 &&
	       has(text, "\n... and 11 more modules "), "beside a top of one");
	f->report.top = 0;
	f->report.throttle_percent = 10;
	text = fixture_print(f, 1, report_text);
	tap_ok(count(text, "\nlarge") == 2 && count(text, leak) == 1,
	       "beside those that hold the share asked for");
	f->report.throttle_percent = 100;
	vmalloc(f, 5, 0x10000, 40, MODULE_TEXT + 8);
	named(f, EVENT_MODULE_FREE, 5, "large00");
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "large00                          32K       "
		   "32K       32K         0      160K  gone, still holds 48 "
		   "pages\n") && count(text, "\nlarge00 ") == 1,
	       "areas count, and none is told of twice");
	free(f);
}

static void test_callers(void)
{
	struct fixture *f = fixture_new();
	const char *text;

	range(f, "planted", MODULE_TEXT);
	vmalloc(f, 5, 0x10000, 40, MODULE_TEXT + 8);
	vmalloc(f, 5, 0x20000, 30, 8);
	vmalloc(f, 5, 0x30000, 20, 8);
	vmalloc(f, 5, 0x40000, 10, 8);
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\nvmalloc                          now      "
		   "peak\n(other)                         400K      "
		   "400K\nkernel "), "who asked is not known yet");
	seen(f, 0x10000, "planted_init+0x1/0x2 [planted]");
	seen(f, 0x20000, "two+0x1/0x2");
	seen(f, 0x30000, "three+0x1/0x2");
	seen(f, 0x40000, "four\x1b[2J");
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\n(other)                            0      "
		   "400K\nplanted_init+0x1/0x2 [planted]  160K      "
		   "160K\ntwo+0x1/0x2                     120K      "
		   "120K\n... and 2 more callers          120K\nkernel "),
	       "level 1 shows three, and what is left");
	text = fixture_print(f, 2, report_text);
	tap_ok(has(text, "\nfour\\x1b[2J                      40K      "
		   " 40K\nstacks ") && !has(text, "more callers"),
	       "level 2 shows ten");
	tap_ok(has(text, "\nplanted                            0       "
		   "  0         0         0      160K\n") &&
	       has(text, "\n(no module)                        0     "
		   "    0         0         0      240K\n"),
	       "modules that hold areas alone are shown");
	free(f);
}

/* Areas of 2^32 pages in all: no sum can be right, and nothing crashes. */
static void test_wrap(void)
{
	struct fixture *f = fixture_new();

	range(f, "planted", MODULE_TEXT);
	vmalloc(f, 5, 0x10000, 1u << 31, MODULE_TEXT + 8);
	vmalloc(f, 5, 0x20000, 1u << 31, MODULE_TEXT + 8);
	vmalloc(f, 5, 0x30000, 1u << 31, 8);
	vmalloc(f, 5, 0x40000, 1u << 31, 8);
	tap_ok(has(fixture_print(f, 1, report_text), "\nculprit none: ") &&
	       has(fixture_print(f, 1, report_json), "\"held_pages\":0,"),
	       "sums that wrap");
	free(f);
}

static void test_before(void)
{
	struct fixture *f = fixture_new();
	const char *text, *at;
	size_t longest = 0;

	sample(f, 4096);
	tap_ok(has(fixture_print(f, 2, report_text),
		   "\nbefore  0 used when tracing began, of 16.0M "
		   "of RAM\n"),
	       "nothing was used");
	sample(f, 4000);
	figure(f, "Slab", 15560);
	tap_ok(has(fixture_print(f, 2, report_text), "of RAM: Slab 15.2M\n"),
	       "what for");
	for (int i = 0; i < 22; i++) {
		char name[40];

		snprintf(name, sizeof(name), "a figure, number %02d", i);
		figure(f, name, 1000 + (uint64_t)i);
	}
	text = fixture_print(f, 2, report_text);
	/* The answer has such a line too. */
	text = at = strstr(strstr(text, "\nbefore") + 1, "\nbefore") + 1;
	for (; !strncmp(at, "before", 6) || *at == ' '; at += 1) {
		size_t len = strcspn(at, "\n");

		longest = len > longest ? len : longest;
		at += len;
	}
	tap_ok(count(text, "a figure") == 22 && longest < 120 && !f->got.bad,
	       "as many a line as fit: %zu columns", longest);
	sample(f, 4097);
	f->ledger.free_start_pages = 5000;
	tap_ok(has(fixture_print(f, 2, report_text),
		   "\nbefore  0 used when tracing began, of 16.0M of RAM: "),
	       "more free than all memory known: not less than none");
	free(f);
}

static void test_advice(void)
{
	struct fixture *f = fixture_new();

	sample(f, 4000);
	hold(f, 5, 512, NULL);
	sample(f, 4000 - 512);
	tap_ok(has(fixture_print(f, 2, report_text), "\nadvice  memory of "
		   "16M would do (2.4M at the peak, and a tenth more)\n"),
	       "how much memory would do");
	f->ledger.kdump = 1;
	tap_ok(has(fixture_print(f, 2, report_text), "\nadvice  crashkernel="
		   "16M would do (2.4M at the peak, and a tenth more)\n"),
	       "for a crash kernel");
	tap_ok(has(fixture_print(f, 1, report_json), "{\"type\":\"advice\","
		   "\"of\":\"crashkernel\",\"total_kib\":16384,"
		   "\"lowest_free_kib\":13952,\"used_kib\":2432,"
		   "\"unpacking_kib\":null,\"rootfs_kib\":null,"
		   "\"scaled_kib\":null,\"need_kib\":2432,"
		   "\"advice_kib\":16384,\"for\":\"peak\"}\n"),
	       "the same in JSON");
	apply(f, (struct event){ .type = EVENT_LOST, .lost = 1 });
	tap_ok(has(fixture_print(f, 2, report_text), "\nadvice  none: "
		   "records were lost\n"),
	       "none where a record was lost");
	tap_ok(has(fixture_print(f, 1, report_json), ",\"advice_kib\":null,"
		   "\"for\":\"peak\",\"reason\":\"records were lost\"}\n"), "the same in JSON");
	f->ledger.memory_sampled = 0;
	tap_ok(has(fixture_print(f, 2, report_text),
		   "\nadvice  none: free memory was not sampled\n") &&
	       !has(fixture_print(f, 1, report_json), "\"type\":\"advice\""),
	       "none where nothing was sampled");
	free(f);
}

static void test_signs(void)
{
	struct fixture *f = fixture_new();

	sample(f, 4000);
	hold(f, 5, 8, NULL);
	for (uint64_t pfn = 0x800; pfn < 0x840; pfn++)
		drop(f, pfn, 1);
	sample(f, 3990);
	tap_ok(has(fixture_print(f, 2, report_text), "\nfall    40K in free "
		   "memory, 0.0% explained: traced 32K, vmalloc 0,\n        "
		   "other bulk 0, CMA 0, from before -256K, per-CPU lists 0, "
		   "rest 264K (660.0%)\n"), "less than nothing explained is nothing");
	tap_ok(has(fixture_print(f, 1, report_json), "\"fall_pages\":10,"
		   "\"traced_pages\":8,\"vmalloc_pages\":0,\"bulk_pages\":0,"
		   "\"cma_pages\":0,\"before_pages\":-64,\"pcp_pages\":0,"
		   "\"rest_pages\":66,\"explained_permille\":-5600}\n"),
	       "JSON has the sign");
	free(f);
}

int main(void)
{
	test_leaks();
	test_not_apart();
	test_callers();
	test_wrap();
	test_before();
	test_advice();
	test_signs();
	return tap_plan_done();
}
