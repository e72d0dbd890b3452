/* SPDX-License-Identifier: MIT */
/* See tracer.h, say. */
#include <stdarg.h>
#include "base/base.h"
#include "report/report.h"
#include "tracer/tracer.h"

void say(struct sink *s, const char *format, ...)
{
	char text[LINE_BYTES - 64];
	va_list args;

	va_start(args, format);
	vprint_to(text, sizeof(text), format, &args);
	va_end(args);
	sink_say(s, text);
}

/* --- status: lines outside of a report */

static void say_sampled(const struct engine *g, uint64_t now_ns,
			const char *what)
{
	const uint64_t kib = g->session.page_size / 1024;
	const struct ledger *l = &g->ledger;
	uint32_t most = 0;

	for (uint32_t i = 0; i < l->tasks.used; i++)
		if (task_holds(&l->tasks.row[i]) >
		    task_holds(&l->tasks.row[most]))
			most = i;
	say(g->sink, "+%llu s: %s%sfree %llu KiB, sampled, most in task %s: "
	    "%llu KiB", (unsigned long long)now_ns / 1000000000u, what,
	    *what ? ": " : "",
	    (unsigned long long)(l->free_now_pages * kib),
	    row_name(l, TABLE_TASKS, most),
	    (unsigned long long)(task_holds(&l->tasks.row[most]) * kib));
}

void status_say(const struct engine *g, uint64_t now_ns,
			 const char *what)
{
	const uint64_t kib = g->session.page_size / 1024;
	const struct ledger *l = &g->ledger;
	const struct module *m = l->modules.row;
	uint32_t most = 0, held_pages = 0;

	if (l->samples.on) {
		say_sampled(g, now_ns, what);
		return;
	}
	for (uint32_t i = 0; i < l->modules.used; i++, m++)
		if (module_holds(m) > held_pages) {
			held_pages = module_holds(m);
			most = i;
		}
	say(g->sink, "+%llu s: %s%sfree %llu KiB, traced %llu KiB, peak %llu "
	    "KiB, lost %llu, most in %s: %llu KiB",
	    (unsigned long long)now_ns / 1000000000u, what,
	    *what ? ": " : "",
	    (unsigned long long)(l->free_now_pages * kib),
	    (unsigned long long)(l->traced.now * kib),
	    (unsigned long long)(l->traced.peak * kib),
	    (unsigned long long)l->total.lost,
	    row_name(l, TABLE_MODULES, most),
	    (unsigned long long)(held_pages * kib));
}

void status_say_unpacking(const struct engine *g)
{
	char text[LINE_BYTES];
	struct line l = { .text = text };

	unpack_write(&l, &g->ledger, &g->session);
	text[l.len] = '\0';
	say(g->sink, "%s", text);
}
