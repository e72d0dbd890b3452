/* SPDX-License-Identifier: MIT */
/* tracer/functions.c: lines of /proc/kallsyms become events of functions. */
#include <stdio.h>
#include <string.h>
#include "tap.h"
#include "tracer/functions.h"

static struct engine engine;
static struct functions functions = { .engine = &engine };
static char told[1000];		/* "name base+size" each, 77 ns, then "end" */

static void keep(struct event_out *o, const struct event *e)
{
	const size_t len = strlen(told);

	(void)o;
	if (e->type == EVENT_FUNCTION && e->time_ns == 77)
		snprintf(told + len, sizeof(told) - len, "%s %llx+%llx ",
			 e->name, (unsigned long long)e->base,
			 (unsigned long long)e->size);
	else
		strcat(told, e->type == EVENT_FUNCTIONS_END ? "end" : "?");
}

static void is(const char *want, const char *text, const char *name)
{
	told[0] = '\0';
	functions_begin(&functions);
	for (size_t len; *text; text += len + 1) {
		len = strcspn(text, "\n");
		functions_line(&functions, text, len);
	}
	functions_end(&functions);
	tap_ok(!strcmp(told, want), "%s: %s", name, told);
}

static void test_ranges(void)
{
	is("shmem_fault ffffffff81001000+200 "
	   "filemap_fault ffffffff81001200+100 "
	   "__pte_alloc ffffffff81001400+110 "
	   "allocate_slab ffffffff81001600+100 end",
	   "ffffffff81000000 T _stext\n"
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
	   "ffffffff81001700 T last\n",
	   "neighbours of one rule are one range; an alias, data and padding "
	   "end no function; its second name counts too");
}

static void test_long_name(void)
{
	static char underscores[MODULE_NAME_BYTES];
	char text[256], want[256];

	memset(underscores, '_', sizeof(underscores) - 1);
	snprintf(text, sizeof(text), "ffffffff81001000 t %sshmem_fault\n"
		 "ffffffff81001200 t do_idle\n", underscores);
	snprintf(want, sizeof(want), "%sshmem_fault ffffffff81001000+200 end",
		 underscores + sizeof("shmem_fault") - 1);
	is(want, text, "of a name that is too long, underscores are cut off");
}

static void test_bad(void)
{
	is("", "ffffffff81001000 t shmem_fault\n"
	   "ffffffffc0001000 t nic_poll\t[nic]\n"
	   "ffffffffc0001100 t shmem_like\t[nic]\n",
	   "no end is known before modules");
	is("", "0000000000000000 t shmem_fault\n"
	   "0000000000000000 t do_exit\n", "addresses that are hidden");
	is("", "ffffffff81001000 t shmem_fault\n"
	   "ffffffff91001000 t far_away\n"
	   "ffffffff81001000 t filemap_fault\n"
	   "ffffffff81000000 t do_exit\n",
	   "the next one is far away, or not sorted");
	is("", "\n \nffffffff81001000\nffffffff81001000 t\n"
	   "xyz t shmem_fault\n"
	   "ffffffff81001000 t \n", "lines that are none");
	engine.ledger.kinds.known = 1;
	is("", "ffffffff81001000 t shmem_fault\n"
	   "ffffffff81001100 t do_exit\n", "once they are known");
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
