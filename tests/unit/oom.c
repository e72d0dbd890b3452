/* SPDX-License-Identifier: MIT */
/*
 * report_oom(): what holds most now comes first, whatever peaks were; names
 * are asked for first, or last if they must wait; and what bounds any report:
 * lines_max, and addresses that are not shown.
 */
#include <fnmatch.h>
#include "report_fixture.h"

static int is_like(const char *text, const char *pattern)
{
	return !fnmatch(pattern, text, 0);
}

/* How often names were asked for, how many, and behind how many lines. */
static struct asked {
	uint32_t times, addresses;
	size_t lines;
} asked;

/* Events are taken while names are read. */
static int events_come;

static void name(void *context)
{
	struct fixture *f = context;

	if (events_come)
		hold(f, 900, 1, (const uint64_t[]){ 0 });
	asked = (struct asked){ .times = asked.times + 1,
				.addresses = f->symbols.used,
				.lines = got.lines };
	fixture_kallsyms(f);
}

static const char *write_oom(struct fixture *f)
{
	asked = (struct asked){ 0 };
	got.used = got.lines = 0;
	report_oom(&f->report, &got.out);
	return got.text;
}

static const char *print(struct fixture *f)
{
	symbols_clear(&f->symbols);
	return write_oom(f);
}

/* squashfs peaked at 768 pages and holds 528; now another holds more. */
static struct fixture *boot(void)
{
	struct fixture *f = report_new();

	fixture_boot(f);
	apply(f, &(struct event){ .type = EVENT_RAM, .flags = RAM_SUM,
				 .size = 256 << 20, .name = RAM_INSTALLED });
	apply(f, &(struct event){ .type = EVENT_RAM, .flags = RAM_SUM,
				 .size = 252 << 20, .name = RAM_PRESENT });
	hold(f, 300, 400, (const uint64_t[]){
		KERNEL_TEXT + 0x110, KERNEL_TEXT + 0x340, 0 });
	f->report.order = BY_HELD;
	f->report.top = 5;
	f->report.name = name;
	f->report.context = f;
	return f;
}

static void test_order(struct fixture *f)
{
	static const char answer[] =
		"memstrack 0.1.0: OUT OF MEMORY (switch-root) at +9.87 s: "
		"12.8M free of 32.0M RAM; INCOMPLETE, 0 lost\n"
		"culprit module squashfs 2.1M, 43% of what was "
		"held; task systemd-udevd[100] 2.3M, 47%\nkind    of ";
	const char *text = print(f);

	tap_ok(!strncmp(text, answer, sizeof(answer) - 1),
	       "it begins with the answer");
	tap_ok(has(text, "\nreport  traced +0.41 s to +9.87 s, reason: "),
	       "no level");
	tap_ok(is_like(text, "*\n(no module) *\nsquashfs *") &&
	       !has(text, "\npeak ") && !has(text, "\nown ") &&
	       !has(text, "\nram "),
	       "by what is held now: nothing of the past, nor all of RAM");
	tap_ok(asked.times == 1 && asked.addresses > 0 && !asked.lines,
	       "names are asked for first, because they tell the kinds");
	tap_ok(is_like(text, "*\ntask *\nstacks of*  stack 1 of *\n      "
		       "do_syscall_64+0x40\n*  stack 1 of *") &&
	       count(strstr(text, "\nstacks of"), "  stack 1 of ") == 2 &&
	       !has(text, "  stack 2 of "),
	       "one stack of a module, one of a task, by name");
	f->ledger.total.missed_frees = 0;
	tap_ok(has(print(f), " free of 32.0M RAM; 0 lost so far\nculprit "),
	       "nothing is missing, as far as is known");
	f->report.order = BY_PEAK;
	text = fixture_print(f, 1, report_text);
	tap_ok(is_like(text, "*\nsquashfs *\n(no module) *") &&
	       has(text, "\nram     256.0M installed, "), "else by peaks");
}

/* Where names must wait, the stacks come twice: at once, and by name. */
static void test_names_wait(struct fixture *f)
{
	f->report.names_wait = 1;
	tap_ok(is_like(print(f), "*\nstacks of* < 0xffffffff*"
		       "*, they follow\n*: end of report, *"
		       "\nthe same stacks by name\n*"
		       "\n      do_syscall_64+0x40\n*: end of names\n*") &&
	       asked.times == 1, "names wait: stacks and end mark before they "
	       "are asked for, then the same stacks, with names");
	report_oom_collect(&f->report);
	fixture_kallsyms(f);
	tap_ok(is_like(write_oom(f), "*\n      do_syscall_64+*: end of report*")
	       && !asked.times && !has(got.text, "by name\n"),
	       "names that were got ready before: once");
	report_oom_collect(&f->report);
	symbols_begin(&f->symbols);
	tap_ok(has(write_oom(f), "by name\n") && asked.times == 1,
	       "half read they count for nothing");
	events_come = 1;
	tap_ok(is_like(print(f), "*\n*: end of report, *\nstacks of who holds "
		       "most by now, by name\n*: end of names\n*"),
	       "and if events came meanwhile, of those who hold most then");
	events_come = 0;
}

static void test_callers(struct fixture *f)
{
	const uint64_t caller = KERNEL_TEXT + 0x118;

	print(f);	/* whose names are not enough for the next report */
	for (uint64_t i = 0; i < 2; i++) {
		area(f, EVENT_AREA_ENTER, 0, 0, caller + i);
		area(f, EVENT_BULK, 0, 40 - i, 0);
		area(f, EVENT_AREA_ALLOC, 0xffffc90000010000 + (i << 20), 0,
		     caller + i);
	}
	tap_ok(is_like(write_oom(f), "*\nstacks of*\nareas  (by caller) *"
		       "\n__alloc_pages+0x18 *\n__alloc_pages+0x19 *") &&
	       count(got.text, "\nareas  (by caller)           now")
	       == 1,
	       "callers of vmalloc are shown behind their names");
	f->report.names_wait = 1;
	tap_ok(is_like(print(f), "*\nareas *: end of report, *by name\n*"
		       "\n__alloc_pages+0x18 *"),
	       "and again where names must wait");
	f->ledger.traced.now = f->ledger.areas.held.now * 100;
	tap_ok(!has(print(f), "areas  (by caller)"),
	       "areas that hold a hundredth say nothing of who holds most");
	f->ledger.traced.now--;
	tap_ok(has(print(f), "areas  (by caller)"), "a little more does");
}

static void test_lines(struct fixture *f)
{
	size_t whole, wrong = 0;
	char last[96];

	print(f);
	whole = got.lines;
	for (uint32_t most = 2; most < whole + 3; most++) {
		const size_t lines = most < whole ? most : whole;
		int len = snprintf(last, sizeof(last), "end of report, "
				   "%zu lines", lines - 1);

		if (most < whole)
			snprintf(last + len, 64, ", %zu more not written: "
				 "raise rd.memstrack.lines\n", whole - lines);
		f->report.lines_max = most;
		wrong += !has(print(f), last) || got.lines != lines;
	}
	tap_ok(whole > 10 && !wrong, "no more than lines_max, and it says so");
	f->report.lines_max = 0;
	got.out.lines_max = 9;
	print(f);
	tap_ok(got.lines == 9, "nor than who takes the lines wants");
	got.bound_at = 7;
	got.out.lines_max = 0;
	tap_ok(has(print(f), " more not written") && got.lines == 8,
	       "who may want it late");
	got.bound_at = 0;
	got.out.lines_max = 5;
	f->report.order = BY_PEAK;
	f->report.lines_max = 16;
	tap_ok(has(fixture_print(f, 3, report_json),
		   "{\"type\":\"end\",\"records\":15,\"records_cut\":") &&
	       got.lines == 16, "JSON too");
}

static void test_hidden(struct fixture *f)
{
	static const uint64_t chain[] = { 0xffffffff12345678, 0 };

	hold(f, 300, 7, chain);
	tap_ok(has(fixture_print(f, 2, report_text), "0xffffffff12345678"),
	       "an address without a name is shown");
	f->report.hide_addresses = 1;
	tap_ok(has(fixture_print(f, 2, report_text), "      (hidden)\n") &&
	       !has(got.text, "0xffffffff"), "or not");
	tap_ok(has(fixture_print(f, 2, report_json), "[\"(hidden)\"]") &&
	       !has(got.text, "0xffffffff"), "nor in JSON");
}

/* Of 201.3 MiB: 3.1 are a 64th. */
static void test_room(struct fixture *f)
{
	const char *text;

	kept(f, KEPT_MIN, 16384);
	kept(f, KEPT_RESERVE, 100);
	kept(f, KEPT_CMA, 2048);
	kept(f, KEPT_MARKS, 20000);
	f->session.low = 1;
	ledger_apply(&f->ledger, &(struct event){
		.type = EVENT_LOW_REPORTED, .time_ns = 9000000000u });
	text = print(f);
	tap_ok(has(text, " 0.1.0: switch-root at +9.87 s: 12.8M free "),
	       "nobody was killed: it is no OUT OF MEMORY");
	tap_ok(has(text, " lost\nroom    64.0M are free, but kept by "
			 "vm.min_free_kbytes; 8.0M are free, but only in CMA\n"
			 "culprit "), "why what is free is no room");
	kept(f, KEPT_MIN, 0);
	kept(f, KEPT_CMA, 0);
	kept(f, KEPT_APART, 804);
	text = print(f);
	tap_ok(!has(text, "\nroom ") && !has(text, "that report's"),
	       "a page less than a 64th is not told, nor is what comes later");
	f->report.order = BY_PEAK;
	f->session.low = 0;
	tap_ok(has(fixture_print(f, 1, report_text),
		   "\n        memory was low at +9.00 s, and nothing was "
		   "killed: take this advice, not that report's\n"),
	       "the last report takes the advice back");
	apply(f, &(struct event){ .type = EVENT_KILL, .result = 7 });
	tap_ok(!has(fixture_print(f, 1, report_text), "that report's"),
	       "but not after a kill");
}

int main(void)
{
	static void (*const tests[])(struct fixture *) = {
		test_room, test_order, test_names_wait, test_callers,
		test_lines, test_hidden,
	};

	for (size_t i = 0; i < ARRAY_LEN(tests); i++) {
		struct fixture *f = boot();

		tests[i](f);
		free(f);
	}
	return tap_plan_done();
}
