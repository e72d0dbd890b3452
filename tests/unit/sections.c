/* SPDX-License-Identifier: MIT */
/*
 * Lists of sections, the report in the shape of the older program, read; slab
 * caches, which no replay has; and for which names a report asks. What the
 * sections look like is shown by tests/replay/reports.t.
 */
#include "config/sections.h"
#include "cases.h"
#include "report_fixture.h"

static const char *sections(struct fixture *f, const char *list)
{
	f->report.sections = list;
	return fixture_print(f, 1, report_sections);
}

/* What is asked for: level 1 needs names for the answer alone, a section of
 * stacks for each address but where other code lies by now. */
static void test_asked(void)
{
	struct fixture *f = fixture_new();
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
	f->got.used = 0;
	report_write(&f->report, FORMAT_JSON, &f->got.out);
	tap_ok(f->got.text[0] == '\n', "sections, whatever the format");
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
	struct fixture *f = fixture_new();
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
	test_lists();
	test_asked();
	test_slabs();
	return tap_plan_done();
}
