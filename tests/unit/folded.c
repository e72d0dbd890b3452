/* SPDX-License-Identifier: MIT */
/*
 * report/folded.c, brief.c and prometheus.c where a line has its bounds: stacks
 * that are longer than a line of a log, as a file and as a log get them; fewer
 * lines than stacks; names that fill a line.
 */
#include "report_fixture.h"

#define FRAMES 48u	/* the table of names has room for 56 */

/* A chain of functions whose names are as long as names may be. */
static void hold_deep(struct fixture *f, uint32_t frames, uint64_t from)
{
	uint64_t chain[FRAMES + 1] = { 0 };

	for (uint32_t i = 0; i < frames; i++)
		chain[i] = from + i * 0x100 + 0x10;
	hold(f, 100, 4, chain);
}

static void capture_part(struct out *o, const char *text, size_t len)
{
	struct capture *c = (struct capture *)o;

	c->bad += len >= LINE_BYTES || len + c->used > sizeof(c->text);
	memcpy(c->text + c->used, text, len);
	c->used += len;
	c->text[c->used] = '\0';
}

/* Without kallsyms: each function's name is its number. */
static const char *print(struct fixture *f, void (*write)(const struct report *,
							   struct out *))
{
	f->report.all_stacks = 1;
	f->got.used = f->got.lines = 0;
	symbols_clear(&f->symbols);
	report_collect(&f->report);
	for (uint64_t i = 0; i < FRAMES; i++) {
		char name[64];

		snprintf(name, sizeof(name), "f%02u%s", (unsigned int)i,
			 "_of_a_name_that_is_as_long_as_a_name_may_be");
		symbols_set(&f->symbols, KERNEL_TEXT + i * 0x100 + 0x10,
			    KERNEL_TEXT + i * 0x100, name, strlen(name));
	}
	symbols_sort(&f->symbols);
	write(&f->report, &f->got.out);
	return f->got.text;
}

static uint64_t sum(const char *text)
{
	uint64_t bytes = 0;

	for (; *text; text = strchr(text, '\n') + 1) {
		const char *end = strchr(text, '\n');

		while (end[-1] >= '0' && end[-1] <= '9')
			end--;
		bytes += strtoull(end, NULL, 10);
	}
	return bytes;
}

static void test_long(void)
{
	struct fixture *f = fixture_new();
	const char *text;

	named(f, EVENT_COMM, 100, "a b;c");
	hold_deep(f, FRAMES, KERNEL_TEXT);
	text = print(f, report_folded_tasks);
	tap_ok(!f->got.bad && f->got.lines == 1 &&
	       !strncmp(text, "a_b:c[100];(...);f1", 19) &&
	       has(text, ";f00_of_a_name_that_is_as_long_as_a_name_may_be "
		   "16384\n"),
	       "a log: the outermost frames do not fit and are left out");
	f->got.out.part = capture_part;
	text = print(f, report_folded_tasks);
	tap_ok(!f->got.bad && f->got.lines == 1 && f->got.used > 2 * LINE_BYTES &&
	       count(text, ";f") == FRAMES && !has(text, "(...)") &&
	       !strncmp(text, "a_b:c[100];f47_", 15) && sum(text) == 16384,
	       "a file: all frames, in one line");
	free(f);
}

static void test_cut(void)
{
	struct fixture *f = fixture_new();
	const char *text;

	for (uint32_t i = 0; i < 40; i++)
		hold_deep(f, 1, KERNEL_TEXT + i * 0x100);
	hold(f, 100, 1, NULL);
	f->report.lines_max = 16;
	for (int parts = 0; parts < 2; parts++) {
		f->got.out.part = parts ? capture_part : NULL;
		text = print(f, report_folded);
		tap_ok(f->got.lines == 16 && has(text, "\n(not_listed) ") &&
		       sum(text) == f->ledger.traced.now * 4096ull,
		       "fewer lines than stacks: the last has the rest");
	}
	f->report.lines_max = 0;
	text = print(f, report_folded);
	tap_ok(f->got.lines == 41 && !has(text, "(not_listed)") &&
	       !has(text, "(note)") &&
	       sum(text) == f->ledger.traced.now * 4096ull,
	       "room for all: nothing is left out");
	f->report.lines_max = 16;
	text = print(f, report_prometheus);
	tap_ok(f->got.lines == 16 && has(text, " lines not written\n"),
	       "Prometheus: what is not written is counted");
	free(f);
}

static void test_unnamed(void)
{
	struct fixture *f = fixture_new();
	const char *text;

	hold_deep(f, 2, KERNEL_TEXT + FRAMES * 0x100);
	text = print(f, report_folded);
	tap_ok(has(text, ";0xffffffff81003110;0xffffffff81003010 16384\n") &&
	       has(text, "\n(note);2_of_2_frames_have_no_name 0\n"),
	       "frames without a name are counted");
	f->report.hide_addresses = 1;
	tap_ok(has(print(f, report_folded), ";(hidden);(hidden) 16384\n"),
	       "and hidden, if addresses are");
	free(f);
}

static void test_peak(void)
{
	static const uint64_t chain[] = { KERNEL_TEXT + 0x10, 0 };
	struct fixture *f = fixture_new();
	uint64_t pfn = hold(f, 100, 32, chain);

	drop(f, pfn, 32);
	hold(f, 100, 2, chain);
	tap_ok(sum(print(f, report_folded)) == 2 * 4096 &&
	       sum(print(f, report_folded_peak)) == 32 * 4096,
	       "what is held now, and what was held at the peak");
	free(f);
}

static void test_brief(void)
{
	struct fixture *f = fixture_new();
	const char *text;

	fixture_boot(f);
	text = fixture_print(f, 3, report_brief);
	tap_ok(!f->got.bad && f->got.lines == 1 &&
	       !strncmp(text, "memstrack " MEMSTRACK_VERSION ": switch-root at "
			"+9.87 s: ", 40) &&
	       has(text, " | culprit none: only 3.8M held; most: ") &&
	       has(text, " | advice ") && has(text, " | modules squashfs ") &&
	       has(text, " | tasks systemd-udevd[100] ") &&
	       has(text, " | traced 2.8M now, 3.8M peak at ") &&
	       !has(text, "  "), "one line that says all");
	memset(f->ledger.modules.row[2].name, 1, MODULE_NAME_BYTES - 1);
	memset(f->ledger.tasks.row[2].comm, 1, COMM_BYTES - 1);
	text = fixture_print(f, 3, report_brief);
	tap_ok(!f->got.bad && f->got.lines == 1 &&
	       has(text, " more had no room\n"),
	       "names that take its room: whole pieces are left out");
	free(f);
}

int main(void)
{
	test_long();
	test_cut();
	test_unnamed();
	test_peak();
	test_brief();
	return tap_plan_done();
}
