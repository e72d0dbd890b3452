/* SPDX-License-Identifier: MIT */
/* tracer/functions.c: lines of /proc/kallsyms become events of functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tap.h"
#include "tracer/functions.h"

static struct engine engine;
static struct functions functions = { .engine = &engine };
static struct event told[16];
static uint32_t times;

static void keep(struct event_out *o, const struct event *e)
{
	(void)o;
	if (times == ARRAY_LEN(told))
		abort();
	told[times++] = *e;
}

static void read_lines(const char *text)
{
	times = 0;
	functions_begin(&functions);
	for (size_t len; *text; text += len + 1) {
		len = strcspn(text, "\n");
		functions_line(&functions, text, len);
	}
	functions_end(&functions);
}

static int is(uint32_t i, const char *name, uint64_t base, uint64_t size)
{
	return i < times && told[i].type == EVENT_FUNCTION &&
	       !strcmp(told[i].name, name) && told[i].base == base &&
	       told[i].size == size && told[i].time_ns == 77;
}

static void test_ranges(void)
{
	read_lines("ffffffff81000000 T _stext\n"
		   "ffffffff81001000 t shmem_fault\n"
		   "ffffffff81001100 T shmem_get_folio_gfp.isra.0\n"
		   "ffffffff81001100 t an_alias_in_the_middle\n"
		   "ffffffff81001200 t filemap_fault\n"
		   "ffffffff81001300 T do_exit\n"
		   "ffffffff81001400 T __pte_alloc\n"
		   "ffffffff81001400 T an_alias\n"
		   "ffffffff81001480 d shmem_data\n"
		   "ffffffff81001500 T __pfx_do_idle\n"
		   "ffffffff81001510 T do_idle\n"
		   "ffffffff81001600 T another\n"
		   "ffffffff81001600 T allocate_slab\n"
		   "ffffffff81001700 T last\n");
	tap_ok(is(0, "shmem_fault", 0xffffffff81001000, 0x200),
	       "neighbours of one rule are one range");
	tap_ok(is(1, "filemap_fault", 0xffffffff81001200, 0x100),
	       "of two rules, two");
	tap_ok(is(2, "__pte_alloc", 0xffffffff81001400, 0x110),
	       "an alias, data and padding end no function");
	tap_ok(is(3, "allocate_slab", 0xffffffff81001600, 0x100),
	       "the second name of a function counts too");
	tap_ok(times == 5 && told[4].type == EVENT_FUNCTIONS_END,
	       "then the end");
}

static void test_long_name(void)
{
	static char underscores[MODULE_NAME_BYTES];
	char text[256];

	memset(underscores, '_', sizeof(underscores) - 1);
	snprintf(text, sizeof(text), "ffffffff81001000 t %sshmem_fault\n"
		 "ffffffff81001200 t do_idle\n", underscores);
	read_lines(text);
	snprintf(text, sizeof(text), "%sshmem_fault",
		 underscores + sizeof("shmem_fault") - 1);
	tap_ok(is(0, text, 0xffffffff81001000, 0x200),
	       "of a name that is too long, underscores are cut off");
}

static void test_bad(void)
{
	read_lines("ffffffff81001000 t shmem_fault\n"
		   "ffffffffc0001000 t nic_poll\t[nic]\n"
		   "ffffffffc0001100 t shmem_like\t[nic]\n");
	tap_ok(times == 0, "no end is known before modules: not told");
	read_lines("0000000000000000 t shmem_fault\n"
		   "0000000000000000 t do_exit\n");
	tap_ok(times == 0, "addresses that are hidden");
	read_lines("ffffffff81001000 t shmem_fault\n"
		   "ffffffff91001000 t far_away\n"
		   "ffffffff81001000 t filemap_fault\n"
		   "ffffffff81000000 t do_exit\n");
	tap_ok(times == 0, "the next one is far away, or not sorted");
	read_lines("\n \nffffffff81001000\nffffffff81001000 t\n"
		   "xyz t shmem_fault\n"
		   "ffffffff81001000 t \n");
	tap_ok(times == 0, "lines that are none");
	engine.ledger.kinds.known = 1;
	read_lines("ffffffff81001000 t shmem_fault\n"
		   "ffffffff81001100 t do_exit\n");
	tap_ok(!times, "once they are known, nothing is told");
}

int main(void)
{
	engine.events.event = keep;
	engine.ledger.last_ns = 77;
	test_ranges();
	test_long_name();
	test_bad();
	return tap_plan_done();
}
