/* SPDX-License-Identifier: MIT */
/*
 * report/text_ram.c and ram.c: what each level prints of the rows, what of them
 * is small, when there are none, and what is said when they are too many.
 */
#include "report_fixture.h"

static void part(struct fixture *f, uint32_t flags, const char *name,
		 uint64_t kib)
{
	struct event e = { .type = EVENT_RAM, .flags = flags,
			   .size = kib * 1024 };

	strcpy(e.name, name);
	apply(f, e);
}

static void free_pages(struct fixture *f, uint64_t pages)
{
	apply(f, (struct event){ .type = EVENT_MEMORY, .free_pages = pages });
}

/* 256 MiB, of which 4 are the firmware's and 50 were reserved at boot. */
static struct fixture *machine(void)
{
	struct fixture *f = fixture_new();

	f->session.mem_total_kib = 202 * 1024;
	f->session.layout.ring_bytes = 508 * 1024;
	free_pages(f, 48 * 1024);
	part(f, RAM_SUM, RAM_INSTALLED, 256 * 1024);
	part(f, RAM_SUM, RAM_PRESENT, 252 * 1024);
	part(f, RAM_FIRMWARE, "reserved", 3 * 1024);
	part(f, RAM_FIRMWARE, "ACPI", 1024);
	part(f, RAM_KERNEL, "code", 14 * 1024);
	part(f, RAM_RESERVED, "crashkernel", 32 * 1024);
	part(f, RAM_RESERVED, "node data", 12);
	part(f, RAM_BEFORE, "slab", 8 * 1024);
	part(f, RAM_BEFORE, "ftrace", 500);
	part(f, RAM_BEFORE | RAM_WITHIN, "kernel stacks", 736);
	return f;
}

static void no_names(void *context)
{
	(void)context;
}

static void test_levels(void)
{
	static const char most[] =
		"\nram     256.0M installed, unknown 1.0M (0.3%)\n"
		"  firmware  4.0M     reserved 3.0M, ACPI 1.0M\n"
		"  kernel    14.0M    code 14.0M\n"
		"  reserved  36.0M    crashkernel 32.0M, not told 4.0M, "
		"others 12K\n"
		"  before    9.0M     slab 8.0M, rings of memstrack 512K, "
		"(of vmalloc: kernel stacks 736K),\n"
		"                     others 500K\n"
		"  free      192.0M   MemFree 192.0M\n";
	struct fixture *f = machine();

	tap_ok(has(fixture_print(f, 1, report_text), most),
	       "a line for each group, the largest rows first");
	tap_ok(has(fixture_print(f, 3, report_text),
		   " not told 4.0M, node data 12K\n") &&
	       !strstr(f->got.text, "others"), "level 3 has the small ones");
	f->report.name = no_names;
	tap_ok(!strstr(fixture_print(f, 1, report_oom), "\nram "),
	       "a report when memory runs out has none");
	free(f);
}

static void test_signs(void)
{
	struct fixture *f = machine();

	f->ledger.total.before_frees = 256;
	free_pages(f, 48 * 1024 + 256);
	tap_ok(has(fixture_print(f, 1, report_text),
		   ", freed since -1.0M, ") &&
	       has(f->got.text, "\n  before    8.0M "),
	       "what was freed since makes less of what was before");
	part(f, RAM_BEFORE, "slab", 20 * 1024);
	tap_ok(has(fixture_print(f, 1, report_text),
		   "\nram     256.0M installed, counted twice 19.0M (7.4%)\n"),
	       "more than there is");
	part(f, RAM_RESERVED, "swiotlb", 64 * 1024);
	tap_ok(!strstr(fixture_print(f, 1, report_text), "not told 4.0M") &&
	       has(f->got.text, "counted twice 79.0M"),
	       "more reserved than there is: not hidden");
	free(f);
}

static void test_none(void)
{
	struct fixture *f = fixture_new();

	free_pages(f, 40000);
	part(f, RAM_SUM, RAM_INSTALLED, 256 * 1024);
	tap_ok(!strstr(fixture_print(f, 3, report_text), "\nram ") &&
	       !strstr(fixture_print(f, 3, report_json), "\"ram\""),
	       "nothing of a machine whose zones are not known");
	free(f);
	f = fixture_new();
	part(f, RAM_SUM, RAM_INSTALLED, 256 * 1024);
	part(f, RAM_SUM, RAM_PRESENT, 256 * 1024);
	tap_ok(!strstr(fixture_print(f, 3, report_text), "\nram "),
	       "nor of one whose free memory is not");
	free(f);
}

int main(void)
{
	test_levels();
	test_signs();
	test_none();
	return tap_plan_done();
}
