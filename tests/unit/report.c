/* SPDX-License-Identifier: MIT */
/*
 * Reports at their limits, where tests/replay/reports.t cannot bring them:
 * lines of the greatest length in text, JSON and folded stacks; tables without
 * room to sort; sums that wrap.
 *
 * Marks of a template (report/line.c, cases/line). The report in the shape of
 * the older program: lists of sections, read (cases/sections); slab caches,
 * which no replay has; and for which names a report asks. What the sections
 * look like is shown by reports.t, too.
 */
#include "config/config.h"
#include "report/report.h"
#include "host/formats/formats.h"
#include "cases.h"
#include "report_fixture.h"

#define FRAMES 48u	/* the table of names has room for 56 */

/* A task that has a page by way of the longest chain of a module's code, both
 * with a name of so many bytes. */
static struct fixture *deepest(int byte, size_t len)
{
	struct fixture *f = report_new();
	uint64_t chain[CHAIN_FRAMES_MAX + 1] = { 0 };
	char name[MODULE_NAME_BYTES] = "";

	memset(name, byte, len);
	task_event(f, EVENT_COMM, UINT32_MAX, UINT32_MAX, name);
	range(f, name, MODULE_TEXT);
	for (size_t i = 0; i < CHAIN_FRAMES_MAX; i++)
		chain[i] = MODULE_TEXT + 0x10 + i;
	hold(f, UINT32_MAX, 1, chain);
	return f;
}

/* The report's own quotation marks are in pairs, for in names they are escaped;
 * capture_line() has looked at the rest. */
static int are_objects(void)
{
	const char *at = got.text;
	size_t lines = 0, marks = 0;

	for (; *at; at++, lines++) {
		if (*at != '{')
			return 0;
		for (; *at != '\n'; at++)
			marks += *at == '"';
		if (at[-1] != '}' || marks % 2)
			return 0;
	}
	return !got.bad && lines && lines == got.lines;
}

static void test_longest_text(void)
{
	struct fixture *f = deepest(0xfe, MODULE_NAME_BYTES - 1);

	memset(f->session.note, 0xfe, sizeof(f->session.note));
	memset(f->session.kernel, 0xfe, sizeof(f->session.kernel));
	memset(f->session.reason, 0xfe, sizeof(f->session.reason));
	f->session.notes = UINT32_MAX;
	fixture_print(f, 3, report_text);
	tap_ok(!got.bad && has(got.text, "end of report, "),
	       "text: the longest names make no line too long");
	free(f);
}

static void test_longest_json(void)
{
	struct fixture *f = deepest(0xfe, MODULE_NAME_BYTES - 1);
	struct ledger *l = &f->ledger;
	const char *text;

	memset(&l->total, 0xff, sizeof(l->total));
	l->memory_sampled = 1;
	l->free_start_pages = l->free_now_pages = l->peak_ns = UINT64_MAX;
	l->free_lowest_pages = l->free_lowest_ns = UINT64_MAX - 1;
	l->tasks.full = l->tasks.idle.recycled = l->tasks.idle.recycled_peak =
		l->modules.full = l->modules.idle.recycled =
		l->modules.idle.recycled_peak = l->modules.ranges_full =
		l->stacks.full = l->stacks.bare = l->owners.full = l->owners.idle.recycled =
		l->owners.idle.recycled_peak = UINT64_MAX;
	memset(&f->session, 0xff, sizeof(f->session));
	text = fixture_print(f, 3, report_json);
	tap_ok(are_objects(), "JSON: all at their greatest, each line whole");
	tap_ok(count(text, "\"cpu_ns\":18446744073709551615}") == 1 &&
	       count(text, "\"before_freed_pages\":18446744073709551615}") == 1,
	       "JSON: no line lost its end");
	tap_ok(count(strstr(text, "{\"type\":\"stack\""), "0xffff") / 2 ==
	       CHAIN_FRAMES_MAX, "JSON: all frames are shown");
	tap_ok(count(text, "{\"type\":\"note\"") == NOTES_MAX,
	       "JSON: all notes");
	free(f);
}

/* Names of every length: a line is full at every distance from its end. */
static void test_splits(void)
{
	size_t wrong = 0;

	for (size_t len = 1; len < MODULE_NAME_BYTES; len++) {
		struct fixture *f = deepest('m', len);
		const char *text = fixture_print(f, 2, report_json);

		wrong += !are_objects() || !has(text, "\"more\"") ||
			 count(text, "{\"type\":\"frames\"") !=
			 count(text, "],\"more\":1}\n") ||
			 count(text, "[mmm") + count(text, "[mm]") +
			 count(text, "[m]") != 2 * CHAIN_FRAMES_MAX;
		free(f);
	}
	tap_ok(!wrong, "JSON: a chain goes on in other lines, with all frames");
}

/* 15 modules and tasks, the nth of which holds n pages, in tables too small for
 * their chains. */
static void test_no_room_to_sort(void)
{
	static const struct layout small = {
		.pages_bytes = 16384, .nodes = 40, .owners = 20, .tasks = 16,
		.modules = 8, .symbols = 16,
	};
	struct fixture *f = reported(&small);
	const char *text;

	for (uint32_t i = 1; i <= 15; i++) {
		const char name[] = { 'n', (char)('a' + i), '\0' };

		task_event(f, EVENT_COMM, 100 + i, 100 + i, name);
		range(f, name, MODULE_TEXT + i * 0x10000);
		for (uint32_t n = 0; n < i; n++)
			hold(f, 100 + i, 1, (const uint64_t[]){
				MODULE_TEXT + i * 0x10000 + 0x10 + n, 0 });
	}
	f->ledger.scratch_capacity = 3;
	text = fixture_print(f, 3, report_text);
	tap_ok(has(text, " more module") && has(text, " more task") &&
	       !got.bad, "with no room to sort, the rest is summed");
	free(f);
}

/* Areas of 2^32 pages in all: no sum can be right, and nothing crashes. */
static void test_wrap(void)
{
	struct fixture *f = report_new();

	range(f, "planted", MODULE_TEXT);
	for (uint64_t i = 1; i <= 4; i++) {
		area(f, EVENT_BULK, 0, 1u << 31, 0);
		area(f, EVENT_AREA_ALLOC, i << 16, 0, i < 3 ? MODULE_TEXT + 8 : 8);
	}
	tap_ok(has(fixture_print(f, 1, report_text), "\nculprit none: ") &&
	       has(fixture_print(f, 1, report_json), "\"held_pages\":0,"),
	       "sums that wrap");
	free(f);
}

static void capture_part(struct out *o, const char *text, size_t len)
{
	struct capture *c = (struct capture *)o;

	c->bad += len >= LINE_BYTES || len + c->used > sizeof(c->text);
	memcpy(c->text + c->used, text, len);
	c->used += len;
}

/* Names of functions that are as long as names may be, by their number. */
static const char *print_folded(struct fixture *f)
{
	char name[64];

	f->report.all_stacks = 1;
	got.used = got.lines = 0;
	symbols_clear(&f->symbols);
	report_collect(&f->report);
	for (uint64_t i = 0; i < FRAMES; i++) {
		snprintf(name, sizeof(name), "f%02u%s", (unsigned int)i,
			 "_of_a_name_that_is_as_long_as_a_name_may_be");
		symbols_set(&f->symbols, KERNEL_TEXT + i * 0x100 + 0x10,
			    KERNEL_TEXT + i * 0x100, name, strlen(name));
	}
	symbols_sort(&f->symbols);
	report_folded(&f->report, FORMAT_FOLDED_TASKS, &got.out);
	return got.text;
}

static void test_folded(void)
{
	struct fixture *f = report_new();
	uint64_t chain[FRAMES + 1] = { 0 };
	const char *text;

	task_event(f, EVENT_COMM, 100, 100, "a b;c");
	for (uint32_t i = 0; i < FRAMES; i++)
		chain[i] = KERNEL_TEXT + i * 0x100 + 0x10;
	hold(f, 100, 4, chain);
	text = print_folded(f);
	tap_ok(!got.bad && got.lines == 1 &&
	       !strncmp(text, "a_b:c[100];(...);f1", 19) &&
	       has(text, ";f00_of_a_name_that_is_as_long_as_a_name_may_be "
		   "16384\n"),
	       "folded, a log: outermost frames that do not fit are left out");
	got.out.part = capture_part;
	text = print_folded(f);
	tap_ok(!got.bad && got.lines == 1 &&
	       got.used > 2 * LINE_BYTES && count(text, ";f") == FRAMES &&
	       !has(text, "(...)") &&
	       !strncmp(text, "a_b:c[100];f47_", 15) && has(text, "be 16384\n"),
	       "folded, a file: all frames, in one line");
	free(f);
}

/* --- report/line.c --- */

/* "%k of 1024". */
static void test_mark(struct cases *c)
{
	char template[16] = "", number[32] = "", text[LINE_BYTES] = "";
	struct line l = { .page_kib = 4, .text = text };
	uint64_t value;

	must(sscanf(c->text, "%15s of %31s", template, number) == 2);
	value = !strcmp(number, "unknown") ? UNKNOWN :
		number[0] == '-' ? (uint64_t)strtoll(number, NULL, 10) :
				   strtoull(number, NULL, 10);
	line_fill(&l, template, &value);
	must(l.len == strlen(text));
	case_is(c, text);
}

/* Where they stand in a line that has room, the golden reports show. */
static void test_line_end(void)
{
	const uint64_t minus_two = (uint64_t)-2;
	char text[LINE_BYTES] = "";
	struct line l = { .page_kib = 4, .text = text };

	for (int i = 0; i < 600; i++)
		line_fill(&l, "%i", &minus_two);
	tap_ok(l.len == LINE_BYTES - 1, "a line has an end");
	l.len = LINE_BYTES - 5;
	line_figure(&l, LINE_BYTES + 99, "%u", 1234567);
	tap_ok(l.len == LINE_BYTES - 1 &&
	       !strcmp(text + LINE_BYTES - 5, "1234"),
	       "a figure has no more than the line has room for");
}

/* --- sections --- */

static const char *sections(struct fixture *f, const char *list)
{
	f->report.sections = list;
	return fixture_print(f, 1, report_sections);
}

/* What is asked for: level 1 needs names for the answer alone, a section of
 * stacks for each address but where other code lies by now. */
static void test_asked(void)
{
	struct fixture *f = report_new();
	uint32_t retired = 0;

	fixture_boot(f);
	fixture_print(f, 1, report_text);
	tap_ok(f->symbols.used == 6, "level 1 asks for names of the answer");
	sections(f, "module_summary");
	tap_ok(!f->symbols.used, "a section without stacks asks for none");
	sections(f, "module_top");
	tap_ok(f->symbols.used == 6, "one of stacks asks for each");
	range(f, "later", MODULE_TEXT + 0x8000);
	sections(f, "module_top");
	for (uint32_t i = 0; i < f->symbols.used; i++)
		retired += stack_addr_retired(f->symbols.row[i].addr) != 0;
	tap_ok(f->symbols.used == 5 && !retired,
	       "but where other code lies by now");
	f->report.sections = "module_summary";
	got.used = 0;
	report_write(&f->report, FORMAT_JSON, &got.out);
	tap_ok(got.text[0] == '\n', "sections, whatever the format");
	free(f);
}

static void test_lists(void)
{
	const char *at = "task_top:top=5:sort_by_peak,module_summary:"
			 "sort_by_peak:throttle=80:sort_by_alloc";
	struct cases c = { .file = NULL };
	struct section s;

	while (next_case(&c, "sections"))
		case_is(&c, sections_check(c.text) ? "none" : "a list");
	tap_ok(!section_next(&at, &s) && s.type == SECTION_TASK_TOP &&
	       s.top == 5 && s.by_peak && !s.throttle_percent &&
	       s.name_len == 8, "one with arguments");
	tap_ok(at && !section_next(&at, &s) && !at &&
	       s.type == SECTION_MODULE_SUMMARY && s.throttle_percent == 80 &&
	       !s.by_peak && !s.top, "the last one; its last order wins");
}

static int each_slab(slab_seen *see, void *context)
{
	static const struct slab slabs[] = {
		{ 13, 0, 0, "a_name_of_more_than_17" },
		{ 2560, 0, 0, "dentry" }, { 13, 0, 0, "as_large" },
	};

	for (unsigned int i = 0; i < ARRAY_LEN(slabs); i++)
		see(context, &slabs[i]);
	return 0;
}

/* More than are shown, the smallest first. */
static int each_of_many(slab_seen *see, void *context)
{
	struct slab s = { .name = "many" };

	for (; s.pages < SLABS_SHOWN + 7; s.pages++)
		see(context, &s);
	return 0;
}

static void test_slabs(void)
{
	struct fixture *f = report_new();
	const char *text;

	f->report.each_slab = each_slab;
	tap_ok(has(sections(f, "proc_slab_static"), ": ========\n"
		   "Top Slab Usage:\n"
		   "           dentry: 10.0 MB\n"
		   "a_name_of_more_than_17: 0.1 MB\n"
		   "         as_large: 0.1 MB\n======== "), "slab caches");
	f->session.page_size = 65536;
	tap_ok(has(sections(f, "proc_slab_static"), " dentry: 160.0 MB\n"),
	       "slab: of pages as large as they are here");
	f->session.page_size = 4096;
	f->report.each_slab = each_of_many;
	text = sections(f, "proc_slab_static");
	tap_ok(has(text, "Usage:\n             many: 1.5 MB\n") &&
	       has(text, "many: 0.0 MB\n(and 7 smaller ones)\n"),
	       "slab: the largest, and how many more there are");
	free(f);
}

int main(void)
{
	test_longest_text();
	test_longest_json();
	test_splits();
	test_no_room_to_sort();
	test_wrap();
	test_folded();
	each_case("line", NULL, test_mark);
	test_line_end();
	test_lists();
	test_asked();
	test_slabs();
	return tap_plan_done();
}
