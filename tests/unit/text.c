/* SPDX-License-Identifier: MIT */
/*
 * report/text.c and report/select.c: one boot's report of levels 1 to 3, byte
 * by byte; which rows and stacks are shown, in what order; that no name can
 * forge a line, and no symbol be another's.
 */
#include "report_fixture.h"

/* What all levels begin with. */
#define ANSWER \
"memstrack 0.1.0: switch-root at +9.87 s: lowest free 11.7M of 201.3M at " \
"+0.42 s; complete, 0 lost\n" \
"culprit none: only 3.8M held; most: module squashfs 3.1M, 80%, task " \
"systemd-udevd[100] 2.3M, 59%\n" \
"kind    of all: loop/squashfs 3.1M, anonymous 512K; most by filemap_alloc < " \
"squashfs_cache_get [squashfs]\n" \
"advice  memory of 16M would do (4.3M at the peak, and a tenth more)\n" \
"before  384K of 16.0M in use when tracing began\n"

#define TABLES_AND_PEAK \
"memory  total 201.3M  free at start 15.6M  now 12.8M  lowest 11.7M at +0.42 " \
"s\n" \
"traced  2.8M now, 3.8M peak at +0.42 s; 7 allocs 2 frees, 0 lost\n" \
"module                           now      peak   at peak     image   " \
"vmalloc  now mostly\n" \
"squashfs                        2.1M      3.1M      3.1M         0         " \
"0  loop/squashfs 2.1M\n" \
"(no module)                     772K      772K      768K         0         " \
"0  anonymous 512K, other 260K\n" \
"leaky                             8K        8K        8K         0         " \
"0  driver 8K  gone, still holds 2 pages\n" \
"task  (the same pages)           now      peak   at peak  now mostly\n" \
"systemd-udevd[100]              2.3M      2.3M      2.3M  loop/squashfs " \
"2.0M, other 256K\n" \
"e\"v\\x5cil\\x0a\\x1b[2J\\xff[200]   576K      1.6M      1.6M  anonymous " \
"512K, loop/squashfs 64K  exited, this stays\n" \
"(irq)                             4K        4K         0  other 4K\n" \
"kind                             now      peak   at peak\n" \
"loop/squashfs                   2.1M      3.1M      3.1M\n" \
"anonymous                       512K      512K      512K\n" \
"other                           260K      260K      256K\n" \
"driver                            8K        8K        8K\n" \
"peak    at +0.42 s: free 11.8M, traced 3.8M, vmalloc 0; squashfs 3.1M, " \
"leaky 8K; systemd-udevd 2.3M, e\"v\\x5cil\\x0a\\x1b[2J\\xff 1.6M\n"

#define BALANCE \
"fall    2.8M in free memory, 99.7% explained: traced 2.8M, vmalloc 0,\n" \
"        other bulk 0, CMA 0, from before -4K, per-CPU lists 0, rest 8K " \
"(0.3%)\n"

/* The account of levels 2 and 3. */
#define ACCOUNT \
"used    4.3M of 16.0M at the peak, 11.7M free with per-CPU lists\n" \
"        the kernel's log was not read: unpacking is not counted, page " \
"structs as of 16.0M\n" \
"kernel  6.1.0-test, pages of 4K, 1 of 2 CPUs traced\n" \
"        allocated without a stack 512K; freed from before tracing 4K\n" \
"events  23 seen = 22 applied + 1 ignored + 0 rejected\n" \
"own     1.2M locked, 0.31 s of CPU (pages 16K, stacks 23K, tasks 6K, " \
"modules 23K, rings 64K)\n" \
"before  384K used when tracing began, of 16.0M of RAM\n"

static const char level1[] =
ANSWER
"report  level 1, traced +0.41 s to +9.87 s, reason: switch-root\n"
TABLES_AND_PEAK BALANCE
"used    4.3M of 16.0M at the peak, 11.7M free with per-CPU lists\n"
"kernel  6.1.0-test, pages of 4K, 1 of 2 CPUs traced\n"
"own     1.2M locked, 0.31 s of CPU (pages 16K, stacks 23K, tasks 6K, "
"modules 23K, rings 64K)\n"
"memstrack 0.1.0: end of report, 27 lines\n";

/* All tables come before the first stack. The allocator's frame and the entry's
 * are left out, unless nothing else is there. */
static const char level2[] =
ANSWER
"report  level 2, traced +0.41 s to +9.87 s, reason: switch-root\n"
TABLES_AND_PEAK
"stacks by module                 now      peak   at peak     image   "
"vmalloc  now mostly\n"
"squashfs                        2.1M      3.1M      3.1M         0         "
"0  loop/squashfs 2.1M\n"
"  stack 1 of 2                  2.0M      3.0M\n"
"      filemap_alloc+0x30 < squashfs_cache_get+0x20 [squashfs]\n"
"  stack 2 of 2                   64K       64K\n"
"      squashfs_alloc_inode+0x50 [squashfs]\n"
"(no module)                     772K      772K      768K         0         "
"0  anonymous 512K, other 260K\n"
"  stack 1 of 3                  256K      256K\n"
"      do_syscall_64+0x40\n"
"  stack 2 of 3                    4K        4K\n"
"      __alloc_pages+0x10\n"
"  stack 3 of 3: none            512K  first touches of anonymous memory\n"
"leaky                             8K        8K        8K         0         "
"0  driver 8K  gone, still holds 2 pages\n"
"  stack 1 of 1                    8K        8K\n"
"      0xffffffffc0108010 [leaky]\n"
"stacks by task                   now      peak   at peak  now mostly\n"
"systemd-udevd[100]              2.3M      2.3M      2.3M  loop/squashfs "
"2.0M, other 256K\n"
"  stack 1 of 3                  2.0M      2.0M\n"
"      filemap_alloc+0x30 < squashfs_cache_get+0x20 [squashfs]\n"
"  stack 2 of 3                  256K      256K\n"
"      do_syscall_64+0x40\n"
"  stack 3 of 3                    8K        8K\n"
"      0xffffffffc0108010 [leaky]\n"
"e\"v\\x5cil\\x0a\\x1b[2J\\xff[200]   576K      1.6M      1.6M  anonymous "
"512K, loop/squashfs 64K  exited, this stays\n"
"  stack 1 of 3                     0      1.0M\n"
"      filemap_alloc+0x30 < squashfs_cache_get+0x20 [squashfs]\n"
"  stack 2 of 3: none            512K      512K  first touches of anonymous "
"memory\n"
"  stack 3 of 3                   64K       64K\n"
"      squashfs_alloc_inode+0x50 [squashfs]\n"
"(irq)                             4K        4K         0  other 4K\n"
"  stack 1 of 1                    4K        4K\n"
"      __alloc_pages+0x10\n"
BALANCE ACCOUNT
"note    of 14 frames 2 have no name: code that is gone, or raise "
"rd.memstrack.mem\n"
"memstrack 0.1.0: end of report, 64 lines\n";

/* Whole chains, and the timeline, which tells of loads that were seen. */
static const char level3[] =
ANSWER
"report  level 3, traced +0.41 s to +9.87 s, reason: switch-root\n"
TABLES_AND_PEAK
"time    +0.40 s: free 15.6M, traced 0, vmalloc 0\n"
"time    +0.42 s: free 11.7M, traced 3.8M, vmalloc 0; squashfs 3.1M, leaky "
"8K; systemd-udevd 2.3M, e\"v\\x5cil\\x0a\\x1b[2J\\xff 1.6M; loaded "
"squashfs\n"
"stacks by module                 now      peak   at peak     image   "
"vmalloc  now mostly\n"
"squashfs                        2.1M      3.1M      3.1M         0         "
"0  loop/squashfs 2.1M\n"
"  stack 1 of 2                  2.0M      3.0M\n"
"      __alloc_pages+0x10 < filemap_alloc+0x30 < squashfs_cache_get+0x20 "
"[squashfs]\n"
"      < do_syscall_64+0x40\n"
"  stack 2 of 2                   64K       64K\n"
"      __alloc_pages+0x10 < squashfs_alloc_inode+0x50 [squashfs] < "
"do_syscall_64+0x40\n"
"(no module)                     772K      772K      768K         0         "
"0  anonymous 512K, other 260K\n"
"  stack 1 of 3                  256K      256K\n"
"      __alloc_pages+0x10 < do_syscall_64+0x40\n"
"  stack 2 of 3                    4K        4K\n"
"      __alloc_pages+0x10\n"
"  stack 3 of 3: none            512K  first touches of anonymous memory\n"
"leaky                             8K        8K        8K         0         "
"0  driver 8K  gone, still holds 2 pages\n"
"  stack 1 of 1                    8K        8K\n"
"      __alloc_pages+0x10 < 0xffffffffc0108010 [leaky]\n"
"stacks by task                   now      peak   at peak  now mostly\n"
"systemd-udevd[100]              2.3M      2.3M      2.3M  loop/squashfs "
"2.0M, other 256K\n"
"  stack 1 of 3                  2.0M      2.0M\n"
"      __alloc_pages+0x10 < filemap_alloc+0x30 < squashfs_cache_get+0x20 "
"[squashfs]\n"
"      < do_syscall_64+0x40\n"
"  stack 2 of 3                  256K      256K\n"
"      __alloc_pages+0x10 < do_syscall_64+0x40\n"
"  stack 3 of 3                    8K        8K\n"
"      __alloc_pages+0x10 < 0xffffffffc0108010 [leaky]\n"
"e\"v\\x5cil\\x0a\\x1b[2J\\xff[200]   576K      1.6M      1.6M  anonymous "
"512K, loop/squashfs 64K  exited, this stays\n"
"  stack 1 of 3                     0      1.0M\n"
"      __alloc_pages+0x10 < filemap_alloc+0x30 < squashfs_cache_get+0x20 "
"[squashfs]\n"
"      < do_syscall_64+0x40\n"
"  stack 2 of 3: none            512K      512K  first touches of anonymous "
"memory\n"
"  stack 3 of 3                   64K       64K\n"
"      __alloc_pages+0x10 < squashfs_alloc_inode+0x50 [squashfs] < "
"do_syscall_64+0x40\n"
"(irq)                             4K        4K         0  other 4K\n"
"  stack 1 of 1                    4K        4K\n"
"      __alloc_pages+0x10\n"
BALANCE ACCOUNT
"note    of 28 frames 2 have no name: code that is gone, or raise "
"rd.memstrack.mem\n"
"memstrack 0.1.0: end of report, 69 lines\n";

/* Two texts that must be the same; where they part, both are shown. */
static void same(const char *got, const char *wanted, const char *name)
{
	size_t at = 0;

	while (got[at] && got[at] == wanted[at])
		at++;
	tap_ok(got[at] == wanted[at], "%s", name);
	if (got[at] != wanted[at])
		printf("# at byte %zu, got: %.60s\n", at, got + at);
}

static void test_levels(void)
{
	struct fixture *f = fixture_new();

	fixture_boot(f);
	tap_ok(!ledger_check(&f->ledger), "the books balance");
	same(fixture_print(f, 1, report_text), level1, "level 1");
	tap_ok(f->symbols.used == 6, "level 1 asks for those of the answer");
	same(fixture_print(f, 2, report_text), level2, "level 2");
	same(fixture_print(f, 3, report_text), level3, "level 3");
	tap_ok(!f->got.bad, "no line is long or unprintable");
	free(f);
}

/* 15 modules and 15 tasks: module `i` and task `i` hold i pages, through i
 * stacks of a page each. */
static void many(struct fixture *f)
{
	for (uint32_t i = 1; i <= 15; i++) {
		uint64_t base = MODULE_TEXT + i * 0x10000;
		char name[16];

		snprintf(name, sizeof(name), "name%02u", i);
		named(f, EVENT_COMM, 100 + i, name);
		range(f, name, base);
		for (uint32_t n = 0; n < i; n++) {
			const uint64_t chain[] = { base + 0x10 + n, 0 };

			hold(f, 100 + i, 1, chain);
		}
	}
}

static void test_selection(void)
{
	struct fixture *f = fixture_new();
	const char *text;

	many(f);
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\nname15      ") && has(text, "\nname11      ") &&
	       !has(text, "\nname10      "), "level 1 shows 5 modules");
	tap_ok(has(text, "\nname15[115]") && has(text, "\nname11[111]") &&
	       !has(text, "\nname10[110]"), "level 1 shows 5 tasks");
	text = fixture_print(f, 2, report_text);
	tap_ok(has(text, "\nname06      ") && !has(text, "\nname05      ") &&
	       has(text, "\nname06[106]") && !has(text, "\nname05[105]"),
	       "level 2 shows 10");
	tap_ok(has(text, "\n... and 5 more modules           60K"
		   "                 60K         0         0\n"),
	       "what is left is summed");
	tap_ok(has(text, "\n... and 5 more tasks "), "tasks too");
	tap_ok(has(text, "  stack 3 of 15 ") && !has(text, "  stack 4 of 15 "),
	       "level 2 shows 3 stacks of each");
	tap_ok(has(text, "\n  ... and 12 more stacks         48K\n"),
	       "what stacks are left is summed");
	text = fixture_print(f, 3, report_text);
	tap_ok(has(text, "\nname01      ") && has(text, "  stack 15 of 15 ") &&
	       !has(text, "more"), "level 3 shows everything");
	f->report.top = 2;
	text = fixture_print(f, 3, report_text);
	tap_ok(has(text, "\nname14") && !has(text, "\nname13") &&
	       has(text, "  stack 2 of 15") && !has(text, "  stack 3 of 15"),
	       "top bounds rows and stacks of level 3");
	f->report.top = 12;
	text = fixture_print(f, 2, report_text);
	tap_ok(has(text, "\nname04") && !has(text, "\nname03") &&
	       !has(text, "  stack 4 of 15"),
	       "top raises the rows of level 2, not its stacks");
	free(f);
}

static void test_throttle(void)
{
	struct fixture *f = fixture_new();
	const char *text;

	many(f);	/* 120 pages; 15 + 14 + 13 + 12 + 11 + 10 = 75 */
	f->report.throttle_percent = 62;	/* 74.4 */
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\nname10      ") && !has(text, "\nname09      "),
	       "rows are shown until they hold the share");
	f->report.throttle_percent = 63;	/* 75.6 */
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\nname09      ") && !has(text, "\nname08      "),
	       "a little more asks for one more row");
	f->report.throttle_percent = 35;	/* 42 = 15 + 14 + 13 */
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\nname13      ") && !has(text, "\nname12      "),
	       "just the share is enough");
	f->report.throttle_percent = 99;
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\nname02      ") && !has(text, "\nname01      "),
	       "a share alone is not bounded by the level's rows");
	f->report.top = 1;
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\nname15      ") && !has(text, "\nname14      "),
	       "top and throttle: whichever is less");
	free(f);
}

static void test_ties(void)
{
	struct fixture *f = fixture_new();
	const char *text, *again;
	char first[8192];

	named(f, EVENT_COMM, 30, "same");
	named(f, EVENT_COMM, 20, "same");
	named(f, EVENT_COMM, 40, "before");
	hold(f, 30, 4, NULL);
	hold(f, 40, 4, NULL);
	hold(f, 20, 4, NULL);
	text = fixture_print(f, 1, report_text);
	tap_ok(strstr(text, "\nbefore[40]") < strstr(text, "\nsame[20]") &&
	       strstr(text, "\nsame[20]") < strstr(text, "\nsame[30]"),
	       "equal peaks go by name, then pid");
	snprintf(first, sizeof(first), "%s", text);
	again = fixture_print(f, 1, report_text);
	tap_ok(!strcmp(first, again), "printed twice: the same bytes");
	free(f);
}

/* Pid 50 is used again; both rows are shown, the second holds nothing. */
static void test_reused_pid(void)
{
	struct fixture *f = fixture_new();
	const char *text;
	uint64_t pfn;

	named(f, EVENT_COMM, 50, "old");
	hold(f, 50, 8, NULL);
	apply(f, (struct event){ .type = EVENT_EXIT, .tid = 50, .tgid = 50 });
	named(f, EVENT_COMM, 50, "new");
	pfn = hold(f, 50, 4, NULL);
	drop(f, pfn, 4);
	named(f, EVENT_COMM, 60, "idle");
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\nold[50]                          32K"
		   "       32K       32K  exited, this stays\n"),
	       "the old task");
	tap_ok(has(text, "\nnew[50]                            0"
		   "       16K       16K\n"), "the new one of the same pid");
	tap_ok(!has(text, "idle"), "who never held a page is not shown");
	free(f);
}

static void test_head(void)
{
	struct fixture *f = fixture_new();
	const char *text = fixture_print(f, 1, report_text);

	tap_ok(has(text, "free memory was not sampled") &&
	       !has(text, "explained") && !has(text, "without a stack"),
	       "what is not known is not printed");
	tap_ok(has(text, "end of report, 12 lines\n") && f->got.lines == 13,
	       "the end counts the lines before it");
	f->session.cpus_online = 1;
	tap_ok(!has(fixture_print(f, 1, report_text), "\nkernel "),
	       "with all CPUs traced, level 1 does not tell the kernel");
	apply(f, (struct event){ .type = EVENT_LOST, .lost = 1234 });
	apply(f, (struct event){ .type = EVENT_ALLOC, .pfn = 1u << 30 });
	strcpy(f->session.note[0], "no \x1b[31mred\n");
	f->session.notes = 1;
	strcpy(f->session.reason, "a\nb");
	strcpy(f->session.kernel, "6\n1");
	f->session.page_size = 65536;
	f->session.mem_total_kib = 104857600;
	f->session.end_ns = 1995000000;
	text = fixture_print(f, 2, report_text);
	tap_ok(has(text, "\nwarning 1234 records lost: ") &&
	       has(text, "rd.memstrack.ring\n"), "a loss is told");
	tap_ok(has(text, "\nwarning 1 events of pages outside of known"),
	       "a page outside of memory too");
	tap_ok(has(text, "2 seen = 1 applied + 0 ignored + 1 rejected\n"),
	       "the events are told apart");
	tap_ok(has(text, "\nnote    no \\x1b[31mred\\x0a\n"), "a note");
	tap_ok(has(text, "to +2.00 s, reason: a\\x0ab\n"), "times are rounded");
	tap_ok(has(text, "\nkernel  6\\x0a1, pages of 64K"), "large pages");
	tap_ok(has(text, "total 100.0G "), "large memory");
	tap_ok(!f->got.bad, "no line is unprintable");
	free(f);
}

/* A module that holds pages without a stack alone. */
static void test_stackless(void)
{
	struct fixture *f = fixture_new();

	hold(f, 7, 4, NULL);
	tap_ok(has(fixture_print(f, 2, report_text), "\n(no module)           "
		   "           16K       16K       16K         0"
		   "         0\n"
		   "  stack 1 of 1: none             16K\n"),
	       "of pages without a stack there is no peak");
	free(f);
}

/* Each counter by its own text, and the parameter to raise. */
static void test_warnings(void)
{
	struct fixture *f = fixture_new();
	struct ledger *g = &f->ledger;
	const char *text;

	g->total.late = 5;
	tap_ok(!has(fixture_print(f, 1, report_text), "order") &&
	       !has(fixture_print(f, 2, report_text), "order"),
	       "what is harmless is no warning");
	tap_ok(has(fixture_print(f, 3, report_text),
		   "\nnote    5 (events came out of order)\n"),
	       "level 3 notes it");
	g->total.missed_frees = 1001;
	g->total.failed_allocs = 1002;
	g->tasks.recycled_peak = 1003;
	g->modules.ranges_full = 1004;
	g->owners.full = 1005;
	g->owners.recycled = 1006;
	g->owners.recycled_peak = 1007;
	g->total.anon_pages = 1008;
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\nwarning 1001 pages found free or allocated again, "
		   "their free not seen\nwarning 1002 allocations "
		   "failed\nwarning 1003 pages: "
		   "the highest peak of these\nwarning 1004 module ranges "
		   "found no room; raise rd.memstrack.modules\nwarning 1005 "
		   "allocations kept with their task alone; raise "
		   "rd.memstrack.stacks\nwarning 1006 empty stacks not listed; "
		   "raise rd.memstrack.stacks\nwarning 1007 pages: the highest "
		   "peak of these\nmodule "), "each has its own text");
	free(f);
}

static void test_explained(void)
{
	struct fixture *f = fixture_new();

	sample(f, 1000);
	hold(f, 1, 2, NULL);
	tap_ok(!has(fixture_print(f, 1, report_text), "\nfall "),
	       "no fall, no share of it");
	sample(f, 997);
	tap_ok(has(fixture_print(f, 1, report_text), "\nfall    12K in free "
		   "memory, 66.6% explained: traced 8K, vmalloc 0,\n"
		   "        other bulk 0, CMA 0, from before 0, per-CPU "
		   "lists 0, rest 4K (33.4%)\n"), "two thirds, rounded down");
	drop(f, 0xf00, 1);
	sample(f, 998);
	tap_ok(has(fixture_print(f, 1, report_text), "\nfall    8K in free "
		   "memory, 50.0% explained: ") &&
	       has(f->got.text, "from before -4K, "),
	       "pages freed from before raise free memory");
	free(f);
}

static void test_sizes(void)
{
	static const struct {
		uint64_t kib;
		const char *text;
	} sizes[] = {
		{ 0, " 0 " }, { 1, " 1K " }, { 1023, " 1023K " },
		{ 1024, " 1.0M " }, { 1075, " 1.0M " }, { 1076, " 1.1M " },
		{ 2047, " 2.0M " }, { 10239999, " 10000.0M " },
		{ 10240000, " 9.8G " }, { UINT64_MAX, " 17592186044416.0G " },
	};
	struct fixture *f = fixture_new();

	sample(f, 1);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		f->session.mem_total_kib = sizes[i].kib;
		tap_ok(has(fixture_print(f, 1, report_text), sizes[i].text),
		       "a size of%s", sizes[i].text);
	}
	free(f);
}

static void test_modules(void)
{
	static const uint64_t chain[] = { KERNEL_TEXT + 0x110, 0 };
	struct fixture *f = fixture_new();
	struct event load = { .type = EVENT_LOAD_ENTER, .tid = 9, .tgid = 9 };
	struct event failed = {
		.type = EVENT_LOAD_EXIT, .tid = 9, .tgid = 9, .result = -8,
	};
	const char *text;

	apply(f, load);
	hold(f, 9, 1, chain);
	apply(f, failed);
	apply(f, load);
	named(f, EVENT_MODULE_LOAD, 9, "broken");
	hold(f, 9, 2, chain);
	apply(f, failed);
	apply(f, load);
	drop(f, hold(f, 9, 4, NULL), 4);
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\n(failed load)                     4K"
		   "        4K        4K         0         0  failed, still "
		   "holds 1 pages\n"),
	       "a load that failed before it had a name");
	tap_ok(has(text, "\nbroken                            8K"
		   "        8K        8K         0         0  failed, still "
		   "holds 2 pages\n"),
	       "a load that failed after it had a name");
	tap_ok(has(text, "\n(loading)                          0"
		   "       16K       16K         0         0  loading\n"),
	       "a load going on");
	free(f);
}

/* Three that hold a page each, and one that holds nothing, of 644 pages. */
static void test_failed_loads(void)
{
	struct fixture *f = fixture_new();
	const struct event load = {
		.type = EVENT_LOAD_ENTER, .tid = 9, .tgid = 9,
	};
	const struct event failed = {
		.type = EVENT_LOAD_EXIT, .tid = 9, .tgid = 9, .result = -17,
	};
	const char *text;

	hold(f, 5, 512, NULL);
	hold(f, 5, 128, NULL);
	for (uint32_t i = 0; i < 4; i++) {
		uint64_t pfn;

		apply(f, load);
		pfn = hold(f, 9, 1, NULL);
		apply(f, failed);
		if (!i)
			drop(f, pfn, 1);
	}
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\n(failed loads: 4)                12K"
		   "                 12K         0         0  failed, still "
		   "hold 3 pages\n"), "failed loads are one row");
	tap_ok(!has(text, "\n(failed load)"), "and no others");
	tap_ok(has(fixture_print(f, 2, report_json), "\n{\"type\":\"module\","
		   "\"name\":\"(failed loads)\",\"rows\":4,\"state\":\"failed\","
		   "\"now_pages\":3,\"peak_pages\":null,\"at_peak_pages\":3,"
		   "\"image_pages\":0,\"vmalloc_pages\":0,"
		   "\"image_peak_pages\":null,\"vmalloc_peak_pages\":null}\n"),
	       "the same in JSON");
	text = fixture_print(f, 3, report_text);
	tap_ok(!has(text, "(failed loads") && has(text, "\n(failed load) "),
	       "in a full report each is a row");
	hold(f, 5, 256, NULL);
	apply(f, load);
	hold(f, 9, 16, NULL);
	apply(f, failed);
	text = fixture_print(f, 1, report_text);
	tap_ok(has(text, "\n(failed loads: 4) ") && has(text, "\n(failed load) "),
	       "one that holds more than a hundredth is a row of its own");
	hold(f, 5, 512, NULL);
	hold(f, 5, 512, NULL);
	tap_ok(has(fixture_print(f, 1, report_text), "\n(failed loads: 5) "),
	       "until it is less than that");
	free(f);
}

/* Frames of a module that is gone, and of one whose neighbour below has
 * symbols, must not get the neighbour's name. */
static void test_names(void)
{
	static const struct {
		uint64_t addr;
		const char *text;
	} frames[] = {
		{ MODULE_TEXT + 0x110,
		  " squashfs_cache_get+0x10 [squashfs]\n" },
		{ MODULE_TEXT + 0x4000,
		  " squashfs_alloc_inode+0x3e00 [squashfs]\n" },
		{ MODULE_TEXT + 0x9000, " 0xffffffffc0109000 [gone]\n" },
		{ MODULE_TEXT + 0x6000, " 0xffffffffc0106000\n" },
		{ KERNEL_TEXT + 0x10200, " do_syscall_64+0xff00\n" },
		{ KERNEL_TEXT + 0x20000, " 0xffffffff81020000\n" },
		{ KERNEL_TEXT + 0x80, " 0xffffffff81000080\n" },
	};
	struct fixture *f = fixture_new();
	const char *text;

	range(f, "squashfs", MODULE_TEXT);
	range(f, "gone", MODULE_TEXT + 0x8000);
	for (size_t i = 0; i < ARRAY_LEN(frames); i++) {
		const uint64_t chain[] = { frames[i].addr, 0 };

		hold(f, 7, 1, chain);
	}
	text = fixture_print(f, 3, report_text);
	for (size_t i = 0; i < ARRAY_LEN(frames); i++)
		tap_ok(has(text, frames[i].text), "a frame is%s",
		       frames[i].text);
	free(f);
}

/* kallsyms says that the text at squashfs's place is another module's, which
 * came unseen; and names one that the ledger knows nothing of. */
static void test_disagreement(void)
{
	static const uint64_t chain[] = { MODULE_TEXT + 0x110, 0 };
	struct fixture *f = fixture_new();
	const char *text;

	hold(f, 7, 1, chain);
	text = fixture_print(f, 2, report_text);
	tap_ok(has(text, " squashfs_cache_get+0x10 [squashfs]\n"),
	       "a module known to kallsyms alone is named");
	free(f);
	f = fixture_new();
	range(f, "other", MODULE_TEXT);
	hold(f, 7, 1, chain);
	text = fixture_print(f, 2, report_text);
	tap_ok(has(text, " 0xffffffffc0100110 [other]\n"),
	       "a name of another module is not taken");
	free(f);
}

/* The kernel drops the symbols of init text, and the next module may come to
 * lie where it was. */
static void test_init_text(void)
{
	static const uint64_t chain[] = {
		KERNEL_TEXT + 0x110, MODULE_TEXT + 0x804f, 0,
	};
	struct fixture *f = fixture_new();
	const char *text;

	range(f, "virtio_blk", MODULE_TEXT);
	range_of(f, "virtio_blk", MODULE_TEXT + 0x8000, EVENT_INIT_TEXT);
	hold(f, 7, 1, chain);
	text = fixture_print(f, 2, report_text);
	tap_ok(has(text, "\n      (init)+0x4f [virtio_blk]\n") &&
	       !has(text, "no name"), "init text is named by its module");
	range(f, "next", MODULE_TEXT + 0x8000);
	text = fixture_print(f, 2, report_text);
	tap_ok(has(text, "\n      (init)+0x4f [virtio_blk]\n"),
	       "also when another module lies there");
	named(f, EVENT_MODULE_FREE, 7, "virtio_blk");
	text = fixture_print(f, 2, report_text);
	tap_ok(has(text, "\n      (gone)+0x4f [virtio_blk]\n") &&
	       !has(text, "no name"), "of a module gone, that is said");
	free(f);
	f = fixture_new();
	hold(f, 7, 1, (const uint64_t[]){ STACKS_RETIRED | 0xffffffffffff, 0 });
	tap_ok(has(fixture_print(f, 2, report_text), " 0x4000ffffffffffff\n"),
	       "a module that there never was has no name");
	free(f);
}

static void test_hidden_names(void)
{
	struct fixture *f = fixture_new();

	fixture_boot(f);
	f->report.level = 2;
	report_collect(&f->report);
	symbols_sort(&f->symbols);
	report_text(&f->report, &f->got.out);
	tap_ok(has(f->got.text, "note    of 28 frames 28 have no name: "
		   "none to be had (kptr_restrict)\n"),
	       "without kallsyms, that is said");
	tap_ok(has(f->got.text, "0xffffffff81000110 < 0xffffffff81000230"),
	       "and addresses are printed");
	free(f);
}

/* Tables too small for the chains: pages without room for their stack. */
static void test_full_tables(void)
{
	static const struct layout small = {
		.pages_bytes = 16384, .nodes = 40, .owners = 20, .tasks = 16,
		.modules = 8, .symbols = 16,
	};
	struct fixture *f = fixture_make(&small);
	const char *text;

	many(f);
	tap_ok(!ledger_check(&f->ledger), "the books balance");
	text = fixture_print(f, 3, report_text);
	tap_ok(has(text, "\nwarning ") && has(text, "rd.memstrack.stacks\n") &&
	       has(text, "rd.memstrack.modules\n"), "full tables are told");
	tap_ok(has(text, ": none"), "pages without a stack are shown");
	tap_ok(!has(text, "first touches"), "and not taken for anonymous ones");
	f->ledger.scratch_capacity = 3;
	text = fixture_print(f, 3, report_text);
	tap_ok(has(text, " more modules ") && has(text, " more tasks ") &&
	       !f->got.bad, "with no room to sort, the rest is summed");
	free(f);
}

/* Names of the greatest length, all bytes to be escaped. */
static void test_long_names(void)
{
	struct fixture *f = fixture_new();
	uint64_t chain[CHAIN_FRAMES_MAX + 1];
	char name[MODULE_NAME_BYTES];

	memset(name, 0xfe, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	named(f, EVENT_COMM, 4294967295u, name);
	range(f, name, MODULE_TEXT);
	for (size_t i = 0; i < CHAIN_FRAMES_MAX; i++)
		chain[i] = MODULE_TEXT + 0x10 + i;
	chain[CHAIN_FRAMES_MAX] = 0;
	hold(f, 4294967295u, 1, chain);
	memset(f->session.note, 0xfe, sizeof(f->session.note));
	memset(f->session.kernel, 0xfe, sizeof(f->session.kernel));
	memset(f->session.reason, 0xfe, sizeof(f->session.reason));
	f->session.notes = UINT32_MAX;
	fixture_print(f, 3, report_text);
	tap_ok(!f->got.bad, "the longest names make no line too long");
	tap_ok(has(f->got.text, "end of report, "), "the report ends");
	free(f);
}

int main(void)
{
	test_levels();
	test_selection();
	test_throttle();
	test_ties();
	test_reused_pid();
	test_head();
	test_stackless();
	test_warnings();
	test_explained();
	test_sizes();
	test_modules();
	test_failed_loads();
	test_names();
	test_disagreement();
	test_init_text();
	test_hidden_names();
	test_full_tables();
	test_long_names();
	return tap_plan_done();
}
