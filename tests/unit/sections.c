/* SPDX-License-Identifier: MIT */
/*
 * The report in the shape of the older program: lists of sections, read; and
 * each section, to the letter, of a small boot whose figures text.c has too.
 */
#include "config/sections.h"
#include "report_fixture.h"

static const char *print(struct fixture *f, const char *sections)
{
	f->report.sections = sections;
	return fixture_print(f, 1, report_sections);
}

static void same(const char *got, const char *wanted, const char *what)
{
	const int is = !strcmp(got, wanted);

	tap_ok(is, "%s", what);
	if (!is)
		printf("# got: %s\n", got);
}

static void test_lists(void)
{
	static const struct {
		const char *list;
		int is_good;
	} lists[] = {
		{ "module_summary", 1 }, { "proc_slab_static", 1 },
		{ "task_top:top=5:sort_by_peak:throttle=80,module_top", 1 },
		{ "task_top:top=10000:throttle=100", 1 },
		{ "", 0 }, { ",", 0 }, { ":", 0 }, { "module_summary,", 0 },
		{ "module", 0 }, { "module_summary ", 0 }, { "task_tops", 0 },
		{ "task_top:", 0 }, { "task_top:top", 0 },
		{ "task_top:top=", 0 }, { "task_top:top=0", 0 },
		{ "task_top:top=10001", 0 }, { "task_top:top=1x", 0 },
		{ "task_top:throttle=101", 0 }, { "task_top:throttle=0", 0 },
		{ "task_top:throttle=1", 1 }, { "task_top:sort_by", 0 },
		{ "task_top:sort_by_allocs", 0 }, { "task_top::", 0 },
		{ "module_top,task_top:=", 0 },
	};
	const char *at = "task_top:top=5:sort_by_peak,module_summary:"
			 "throttle=80:sort_by_alloc";
	struct section s;

	for (unsigned int i = 0; i < ARRAY_LEN(lists); i++)
		tap_ok((sections_check(lists[i].list) == NULL) ==
		       lists[i].is_good,
		       "\"%s\" is%s a list", lists[i].list,
		       lists[i].is_good ? "" : " not");
	tap_ok(!section_next(&at, &s) && s.type == SECTION_TASK_TOP &&
	       s.top == 5 && s.by_peak && !s.throttle_percent &&
	       s.name_len == 8, "one with arguments");
	tap_ok(at && !section_next(&at, &s) && !at &&
	       s.type == SECTION_MODULE_SUMMARY && s.throttle_percent == 80 &&
	       !s.by_peak && !s.top, "and the one behind it, which is the last");
	at = "module_summary:sort_by_peak:sort_by_alloc";
	tap_ok(!section_next(&at, &s) && !s.by_peak, "the last order wins");
}

static const char tops[] =
"\n======== Report format module_top: ========\n"
"Top stack usage of module squashfs:\n"
"    stack 1 of 2 Pages: 512 (peak: 768)\n"
"      do_syscall_64+0x40 Pages: 512 (peak: 768)\n"
"        squashfs_cache_get+0x20 [squashfs] Pages: 512 (peak: 768)\n"
"          filemap_alloc+0x30 Pages: 512 (peak: 768)\n"
"            __alloc_pages+0x10 Pages: 512 (peak: 768)\n"
"    stack 2 of 2 Pages: 16 (peak: 16)\n"
"      do_syscall_64+0x40 Pages: 16 (peak: 16)\n"
"        squashfs_alloc_inode+0x50 [squashfs] Pages: 16 (peak: 16)\n"
"          __alloc_pages+0x10 Pages: 16 (peak: 16)\n"
"Top stack usage of module leaky:\n"
"    stack 1 of 1 Pages: 2 (peak: 2)\n"
"      0xffffffffc0108010 [leaky] Pages: 2 (peak: 2)\n"
"        __alloc_pages+0x10 Pages: 2 (peak: 2)\n"
"======== Report format module_top END ========\n";

static const char json[] =
"\n======== Report format task_top_json: ========\n"
"[\n"
"{\"task_name\": \"systemd-udevd\", \"pid\" :\"100\", \"pages_alloc\": 578, "
"\"pages_alloc_peak\": 578, \"tracenodes\": {\n"
"    \"stack 1 of 3\": {\"pages_alloc\": 512, \"pages_alloc_peak\": 512, "
"\"tracenodes\": {\n"
"      \"do_syscall_64+0x40\": {\"pages_alloc\": 512, "
"\"pages_alloc_peak\": 512, \"tracenodes\": {\n"
"        \"squashfs_cache_get+0x20 [squashfs]\": {\"pages_alloc\": 512, "
"\"pages_alloc_peak\": 512, \"tracenodes\": {\n"
"          \"filemap_alloc+0x30\": {\"pages_alloc\": 512, "
"\"pages_alloc_peak\": 512, \"tracenodes\": {\n"
"            \"__alloc_pages+0x10\": {\"pages_alloc\": 512, "
"\"pages_alloc_peak\": 512\n"
"}}}}}}}}}\n"
"}}\n"
"]\n"
"======== Report format task_top_json END ========\n";

static void test_sections(void)
{
	struct fixture *f = fixture_new();
	uint32_t retired = 0;
	const char *text;

	fixture_boot(f);
	same(print(f, "module_summary"),
	     "\n======== Report format module_summary: ========\n"
	     "Module squashfs using 2.1MB (528 pages), peak allocation 3.1MB "
	     "(784 pages)\n"
	     "Module leaky using 0.0MB (2 pages), peak allocation 0.0MB "
	     "(2 pages)\n"
	     "======== Report format module_summary END ========\n",
	     "module_summary");
	tap_ok(f->symbols.used == 0, "which asks for no symbol");
	same(print(f, "task_summary"),
	     "\n======== Report format task_summary: ========\n"
	     "Task systemd-udevd (100) using 578 pages, peak usage 578 pages\n"
	     "Task e\"v\\x5cil\\x0a\\x1b[2J\\xff (200) using 144 pages, peak "
	     "usage 400 pages\n"
	     "Task (irq) (0) using 1 pages, peak usage 1 pages\n"
	     "======== Report format task_summary END ========\n",
	     "task_summary");
	same(print(f, "module_top"), tops, "module_top");
	tap_ok(has(print(f, "task_summary,module_top"), tops),
	       "the second has its names too");
	same(print(f, "task_top:top=1"),
	     "\n======== Report format task_top: ========\n"
	     "systemd-udevd Pages: 578 (peak: 578)\n"
	     "    stack 1 of 3 Pages: 512 (peak: 512)\n"
	     "      do_syscall_64+0x40 Pages: 512 (peak: 512)\n"
	     "        squashfs_cache_get+0x20 [squashfs] Pages: 512 (peak: "
	     "512)\n"
	     "          filemap_alloc+0x30 Pages: 512 (peak: 512)\n"
	     "            __alloc_pages+0x10 Pages: 512 (peak: 512)\n"
	     "======== Report format task_top END ========\n", "task_top");
	f->report.throttle_percent = 100;
	text = print(f, "task_top_json:top=2");
	tap_ok(has(text, "\"stack 2 of 3\": {"), "two rows have two stacks");
	print(f, "module_top");
	tap_ok(f->symbols.used == 6, "each address is asked for");
	range(f, "later", MODULE_TEXT + 0x8000);
	print(f, "module_top");
	for (uint32_t i = 0; i < f->symbols.used; i++)
		retired += stack_addr_retired(f->symbols.row[i].addr) != 0;
	tap_ok(f->symbols.used == 5 && !retired,
	       "but where other code lies by now");
	f->report.sections = NULL;
	free(f);
}

/* 723 pages are held, 725 less what no task has; udev holds 578 of them. */
static void test_what_is_shown(void)
{
	struct fixture *f = fixture_new();
	const char *text;

	fixture_boot(f);
	tap_ok(count(print(f, "task_summary:top=2"), "\nTask ") == 2,
	       "top=2: two rows");
	tap_ok(count(print(f, "task_summary:throttle=79"), "\nTask ") == 1 &&
	       count(print(f, "task_summary:throttle=81"), "\nTask ") == 2,
	       "throttle: rows until these hold so much now");
	f->report.throttle_percent = 79;
	tap_ok(count(print(f, "task_summary"), "\nTask ") == 1,
	       "--throttle holds for tasks");
	tap_ok(count(print(f, "module_summary"), "\nModule ") == 2,
	       "not for modules");
	tap_ok(count(print(f, "module_summary:throttle=50"), "\nModule ") == 1,
	       "but where it is theirs");
	f->report.throttle_percent = 100;
	/* Now 578 and 700, at most 578 and 700 + 400 - 144. */
	hold(f, 300, 512, NULL);
	hold(f, 300, 256, NULL);
	text = print(f, "task_summary:top=1");
	tap_ok(has(text, " (300) "), "by what is held now");
	drop(f, f->next_pfn - 256, 256);
	text = print(f, "task_summary:top=1,task_summary:top=1:sort_by_peak");
	tap_ok(has(strstr(text, "(100)"), "(300)"),
	       "sort_by_alloc is the default, sort_by_peak another");
	tap_ok(count(text, "\n======== Report format task_summary: ====") == 2,
	       "two sections, as asked");
	tap_ok(!has(text, "lost"), "nothing is said of losses");
	apply(f, (struct event){ .type = EVENT_LOST, .lost = 7 });
	tap_ok(has(print(f, "task_summary"), "(7 records lost)\n"),
	       "but where there were some");
	/* More than any module's. */
	hold(f, 200, 1024, NULL);
	tap_ok(count(print(f, "module_summary:top=1"), "\nModule ") == 1 &&
	       count(print(f, "module_summary:throttle=50"), "\nModule ") == 1,
	       "what no module has is neither a row of them nor a share");
	tap_ok(!f->got.bad, "no line is too long or has other bytes");
	f->report.lines_max = 4;
	text = print(f, "task_summary,module_summary");
	tap_ok(count(text, "\n") == 4 && has(text, "\n(cut), ") &&
	       has(text, " more not written: raise rd.memstrack.lines\n"),
	       "lines= bounds them, and what is missing is told");
	free(f);
}

/* Of one function of a module, which so many others call. */
static void hold_by_stacks(struct fixture *f, unsigned int stacks)
{
	for (unsigned int i = 0; i < stacks; i++) {
		const uint64_t chain[] = {
			MODULE_TEXT + 0x120, KERNEL_TEXT + 0x400 + i, 0,
		};

		hold(f, 100, 1, chain);
	}
}

static void test_stacks(void)
{
	struct fixture *f = fixture_new();
	const char *text;

	fixture_boot(f);
	hold_by_stacks(f, 5);
	text = print(f, "module_top");
	tap_ok(has(text, "stack 3 of 7 ") && !has(text, "stack 4 of 7 "),
	       "module_top: the three largest stacks of each");
	text = print(f, "module_top:top=1");
	tap_ok(has(text, "stack 1 of 7 ") && !has(text, "stack 2 of 7 "),
	       "top=1: one");
	text = print(f, "module_top:top=6");
	tap_ok(has(text, "stack 6 of 7 ") && !has(text, "stack 7 of 7 "),
	       "top=6: six");
	text = print(f, "task_top");
	tap_ok(has(text, "stack 8 of 8 "), "task_top: all of each");
	free(f);
}

/* Pages of a module that no leaf holds, for want of room. */
static void test_stackless(void)
{
	static const struct layout few_nodes = {
		.pages_bytes = 16384, .nodes = 60, .owners = 200, .tasks = 64,
		.modules = 32, .symbols = 64, .ring_bytes = 65536,
	};
	struct fixture *f = fixture_make(&few_nodes);
	const char *text;

	fixture_boot(f);
	hold_by_stacks(f, 100);
	tap_ok(has(fixture_print(f, 3, report_text), " of 11: none  "),
	       "a report has a row of them");
	text = print(f, "module_top:top=10000");
	tap_ok(has(text, "stack 10 of 11 ") && !has(text, "stack 11 of 11"),
	       "a section, whose rows have a peak, has none");
	free(f);
}

static void test_json(void)
{
	struct fixture *f = fixture_new();
	const char *text;
	unsigned int open = 0, closed = 0;

	fixture_boot(f);
	/* One row and one stack of each: throttle ends the rows. */
	f->report.throttle_percent = 100;
	text = print(f, "task_top_json:throttle=81");
	for (const char *at = text; *at; at++) {
		open += *at == '{';
		closed += *at == '}';
	}
	tap_ok(open && open == closed, "JSON: what is opened is closed");
	tap_ok(has(text, "{\"task_name\": \"e\\u0022v\\u005cil\\u000a\\u001b"
		   "[2J\\u00ff\", \"pid\" :\"200\""), "names are escaped");
	text = print(f, "task_top_json:top=1");
	same(text, json, "task_top_json");
	text = print(f, "task_top_json:top=1,task_top_json:top=1");
	tap_ok(count(text, json) == 2, "each array begins anew");
	free(f);
}

static int each_slab(slab_seen *see, void *context)
{
	static const struct slab slabs[] = {
		{ 13, 0, 0, "a_name_of_more_than_17" }, { 2560, 0, 0, "dentry" },
		{ 13, 0, 0, "as_large" },
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

	fixture_boot(f);
	tap_ok(has(print(f, "proc_slab_static"), ": ========\n(not recorded)\n"
		   "======== "), "no slab caches: a replay's");
	f->report.each_slab = each_slab;
	tap_ok(has(print(f, "proc_slab_static"), ": ========\n"
		   "Top Slab Usage:\n"
		   "           dentry: 10.0 MB\n"
		   "a_name_of_more_than_17: 0.1 MB\n"
		   "         as_large: 0.1 MB\n======== "),
	       "proc_slab_static");
	f->session.page_size = 65536;
	tap_ok(has(print(f, "proc_slab_static"), " dentry: 160.0 MB\n"),
	       "of pages as large as they are here");
	f->session.page_size = 4096;
	f->report.each_slab = each_of_many;
	tap_ok(has(print(f, "proc_slab_static"), "Usage:\n             many: "
		   "1.5 MB\n") &&
	       has(print(f, "proc_slab_static"), "many: 0.0 MB\n(and 7 smaller ones)\n"),
	       "more than there is room for: the largest, and how many more");
	free(f);
}

/* Whatever section a script asks for, and however it cuts it out. */
static void test_sampled(void)
{
	static const char *const sections[] = {
		"module_summary", "module_top", "task_summary", "task_top",
		"proc_slab_static",
	};
	struct fixture *f = fixture_new();
	int traced = 0, sampled = 0;

	fixture_boot(f);
	f->report.throttle_percent = 100;
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		traced += has(print(f, sections[i]), "sampled");
	traced += has(print(f, "task_top_json"), "sampled");
	f->ledger.samples.on = 1;
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		sampled += has(print(f, sections[i]), ": ========\n(sampled");
	tap_ok(!traced && sampled == (int)ARRAY_LEN(sections),
	       "sampled: each section of text says so, none if traced");
	tap_ok(has(print(f, "task_top_json:top=1"), ": ========\n["
		   "\n{\"task_name\": ") &&
	       has(print(f, "task_top_json:top=1"), "\", \"sampled\": 1, "
		   "\"pages_alloc\": "), "sampled: JSON, in each row");
	free(f);
}

static void test_choice(void)
{
	struct fixture *f = fixture_new();

	fixture_boot(f);
	f->report.level = 1;
	f->report.sections = "";
	f->got.used = 0;
	report_write(&f->report, FORMAT_TEXT, &f->got.out);
	tap_ok(has(f->got.text, ": end of report"), "no list: text");
	f->got.used = 0;
	report_write(&f->report, FORMAT_JSON, &f->got.out);
	tap_ok(f->got.text[0] == '{', "or JSON");
	f->report.sections = "module_summary";
	f->got.used = 0;
	report_write(&f->report, FORMAT_JSON, &f->got.out);
	tap_ok(f->got.text[0] == '\n', "a list: that");
	free(f);
}

int main(void)
{
	test_lists();
	test_sections();
	test_what_is_shown();
	test_stacks();
	test_stackless();
	test_json();
	test_slabs();
	test_sampled();
	test_choice();
	return tap_plan_done();
}
