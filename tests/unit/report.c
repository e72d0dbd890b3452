/* SPDX-License-Identifier: MIT */
/*
 * Reports at their limits, where tests/replay/reports.t cannot bring them:
 * lines of the greatest length in text, JSON, one line and folded stacks; each
 * counter; tables without room to sort; sums that wrap.
 */
#include "report_fixture.h"

#define FRAMES 48u	/* the table of names has room for 56 */

/* A task that has a page by way of the longest chain of a module's code, both
 * with a name of so many bytes. */
static struct fixture *deepest(int byte, size_t len)
{
	struct fixture *f = fixture_new();
	uint64_t chain[CHAIN_FRAMES_MAX + 1] = { 0 };
	char name[MODULE_NAME_BYTES] = "";

	memset(name, byte, len);
	named(f, EVENT_COMM, UINT32_MAX, name);
	range(f, name, MODULE_TEXT);
	for (size_t i = 0; i < CHAIN_FRAMES_MAX; i++)
		chain[i] = MODULE_TEXT + 0x10 + i;
	hold(f, UINT32_MAX, 1, chain);
	return f;
}

/* The report's own quotation marks are in pairs, for in names they are escaped;
 * capture_line() has looked at the rest. */
static int are_objects(const struct fixture *f)
{
	const char *at = f->got.text;
	size_t lines = 0, marks = 0;

	for (; *at; at++, lines++) {
		if (*at != '{')
			return 0;
		for (; *at != '\n'; at++)
			marks += *at == '"';
		if (at[-1] != '}' || marks % 2)
			return 0;
	}
	return !f->got.bad && lines && lines == f->got.lines;
}

static void test_longest_text(void)
{
	struct fixture *f = deepest(0xfe, MODULE_NAME_BYTES - 1);

	memset(f->session.note, 0xfe, sizeof(f->session.note));
	memset(f->session.kernel, 0xfe, sizeof(f->session.kernel));
	memset(f->session.reason, 0xfe, sizeof(f->session.reason));
	f->session.notes = UINT32_MAX;
	fixture_print(f, 3, report_text);
	tap_ok(!f->got.bad && has(f->got.text, "end of report, "),
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
	l->tasks.full = l->tasks.recycled = l->tasks.recycled_peak =
		l->modules.full = l->modules.recycled =
		l->modules.recycled_peak = l->modules.ranges_full =
		l->stacks.full = l->owners.full = l->owners.recycled =
		l->owners.recycled_peak = UINT64_MAX;
	memset(&f->session, 0xff, sizeof(f->session));
	text = fixture_print(f, 3, report_json);
	tap_ok(are_objects(f), "JSON: all at their greatest, each line whole");
	tap_ok(count(text, "\"cpu_ns\":18446744073709551615}") == 1 &&
	       count(text, "\"before_frees\":18446744073709551615}") == 1,
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

		wrong += !are_objects(f) || !has(text, "\"more\"") ||
			 count(text, "{\"type\":\"frames\"") !=
			 count(text, "],\"more\":1}\n") ||
			 count(text, "[mmm") + count(text, "[mm]") +
			 count(text, "[m]") != 2 * CHAIN_FRAMES_MAX;
		free(f);
	}
	tap_ok(!wrong, "JSON: a chain goes on in other lines, with all frames");
}

/* In JSON by name; text has some at level 1 and all at level 3. */
static void test_counters(void)
{
	struct fixture *f = fixture_new();
	struct ledger *l = &f->ledger;
	const struct {
		const char *name;
		uint64_t *value;
		const char *text;
	} t[] = {
		{ "lost", &l->total.lost, "records lost: " },
		{ "late", &l->total.late, "(events came out of order)" },
		{ "settled_pages", &l->total.settled_pages, "(pages of those" },
		{ "missed_frees", &l->total.missed_frees, "pages found free " },
		{ "untracked_pages", &l->total.untracked_pages,
		  "pages found no room and are in no figure; " },
		{ "outside_ram", &l->total.outside_ram, "events of pages out" },
		{ "bad_records", &l->total.bad_records, "records not of " },
		{ "failed_allocs", &l->total.failed_allocs, "allocations fa" },
		{ "tasks_full", &l->tasks.full, "events of tasks went to " },
		{ "tasks_recycled", &l->tasks.recycled, "ended tasks not " },
		{ "tasks_recycled_peak", &l->tasks.recycled_peak,
		  "pages: the highest peak of these" },
		{ "modules_full", &l->modules.full, "modules went to (other)" },
		{ "modules_recycled", &l->modules.recycled, "gone modules " },
		{ "modules_recycled_peak", &l->modules.recycled_peak,
		  "pages: the highest peak of these" },
		{ "ranges_full", &l->modules.ranges_full, "module ranges "
		  "found no room; raise rd.memstrack.modules" },
		{ "areas_full", &l->areas.full, "areas of vmalloc found no " },
		{ "stacks_full", &l->stacks.full, "allocations kept without " },
		{ "owners_full", &l->owners.full, "allocations kept with " },
		{ "owners_recycled", &l->owners.recycled, "empty stacks not "
		  "listed; raise rd.memstrack.stacks" },
		{ "owners_recycled_peak", &l->owners.recycled_peak,
		  "pages: the highest peak of these" },
		{ "anon_pages", &l->total.anon_pages, NULL },
		{ "before_frees", &l->total.before_frees, NULL },
	};
	char part[128];
	const char *text;

	l->total.late = 5;
	tap_ok(!has(fixture_print(f, 2, report_text), "order") &&
	       has(fixture_print(f, 3, report_text), "\nnote    5 (events"),
	       "what is harmless is no warning, but a note of level 3");
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		*t[i].value = 1000 + i;
	text = fixture_print(f, 1, report_json);
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		snprintf(part, sizeof(part), ",\"%s\":%zu", t[i].name,
			 1000 + i);
		tap_ok(has(text, part), "JSON: %s", t[i].name);
	}
	text = fixture_print(f, 3, report_text);
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		if (!t[i].text)
			continue;
		snprintf(part, sizeof(part), " %zu %s", 1000 + i, t[i].text);
		tap_ok(has(text, part), "text: %s", t[i].name);
	}
	free(f);
}

/* 15 modules and tasks, the nth of which holds n pages, in tables too small for
 * their chains. */
static void test_no_room_to_sort(void)
{
	static const struct layout small = {
		.pages_bytes = 16384, .nodes = 40, .owners = 20, .tasks = 16,
		.modules = 8, .symbols = 16,
	};
	struct fixture *f = fixture_make(&small);
	const char *text;

	for (uint32_t i = 1; i <= 15; i++) {
		char name[16];

		snprintf(name, sizeof(name), "name%02u", i);
		named(f, EVENT_COMM, 100 + i, name);
		range(f, name, MODULE_TEXT + i * 0x10000);
		for (uint32_t n = 0; n < i; n++)
			hold(f, 100 + i, 1, (const uint64_t[]){
				MODULE_TEXT + i * 0x10000 + 0x10 + n, 0 });
	}
	text = fixture_print(f, 3, report_text);
	tap_ok(!ledger_check(&f->ledger) && has(text, ": none") &&
	       !has(text, "first touches"),
	       "full tables: pages without a stack are not anonymous ones");
	f->ledger.scratch_capacity = 3;
	text = fixture_print(f, 3, report_text);
	tap_ok(has(text, " more modules ") && has(text, " more tasks ") &&
	       !f->got.bad, "with no room to sort, the rest is summed");
	free(f);
}

static void vmalloc(struct fixture *f, uint64_t base, uint64_t frame)
{
	struct event e = { .type = EVENT_BULK, .tid = 5, .tgid = 5,
			   .pages = 1u << 31 };

	apply(f, e);
	e.type = EVENT_AREA_ALLOC;
	e.base = base;
	e.chain_len = 1;
	e.chain[0] = frame;
	apply(f, e);
}

/* Areas of 2^32 pages in all: no sum can be right, and nothing crashes. */
static void test_wrap(void)
{
	struct fixture *f = fixture_new();

	range(f, "planted", MODULE_TEXT);
	for (uint64_t i = 1; i <= 4; i++)
		vmalloc(f, i << 16, i < 3 ? MODULE_TEXT + 8 : 8);
	tap_ok(has(fixture_print(f, 1, report_text), "\nculprit none: ") &&
	       has(fixture_print(f, 1, report_json), "\"held_pages\":0,"),
	       "sums that wrap");
	free(f);
}

/* More free than all memory known, and than at the start: none was used. */
static void test_more_free(void)
{
	struct fixture *f = fixture_new();

	sample(f, 4097);
	f->ledger.free_start_pages = 5000;
	tap_ok(has(fixture_print(f, 2, report_text),
		   "\nbefore  0 used when tracing began, of 16.0M of RAM\n"),
	       "more free than all memory known: not less than none used");
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
	report_folded_tasks(&f->report, &f->got.out);
	return f->got.text;
}

static void test_folded(void)
{
	struct fixture *f = fixture_new();
	uint64_t chain[FRAMES + 1] = { 0 };
	const char *text;

	named(f, EVENT_COMM, 100, "a b;c");
	for (uint32_t i = 0; i < FRAMES; i++)
		chain[i] = KERNEL_TEXT + i * 0x100 + 0x10;
	hold(f, 100, 4, chain);
	text = print_folded(f);
	tap_ok(!f->got.bad && f->got.lines == 1 &&
	       !strncmp(text, "a_b:c[100];(...);f1", 19) &&
	       has(text, ";f00_of_a_name_that_is_as_long_as_a_name_may_be "
		   "16384\n"),
	       "folded, a log: outermost frames that do not fit are left out");
	f->got.out.part = capture_part;
	text = print_folded(f);
	tap_ok(!f->got.bad && f->got.lines == 1 &&
	       f->got.used > 2 * LINE_BYTES && count(text, ";f") == FRAMES &&
	       !has(text, "(...)") &&
	       !strncmp(text, "a_b:c[100];f47_", 15) && has(text, "be 16384\n"),
	       "folded, a file: all frames, in one line");
	free(f);
}

/* Names that take its room: whole pieces are left out. */
static void test_brief(void)
{
	struct fixture *f = fixture_new();

	fixture_boot(f);
	memset(f->ledger.modules.row[2].name, 1, MODULE_NAME_BYTES - 1);
	memset(f->ledger.tasks.row[2].comm, 1, COMM_BYTES - 1);
	fixture_print(f, 3, report_brief);
	tap_ok(!f->got.bad && f->got.lines == 1 &&
	       has(f->got.text, " more had no room\n"),
	       "one line: what found no room is counted");
	free(f);
}

int main(void)
{
	test_longest_text();
	test_longest_json();
	test_splits();
	test_counters();
	test_no_room_to_sort();
	test_wrap();
	test_more_free();
	test_folded();
	test_brief();
	return tap_plan_done();
}
