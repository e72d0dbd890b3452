/* SPDX-License-Identifier: MIT */
/*
 * The report when memory runs out: short, the answer and the tables first, then
 * stacks, and the callers of areas that hold something.
 *
 * Names are the slowest part, because they take a pass over /proc/kallsyms,
 * which also finds the kinds of memory. With one CPU nothing else runs
 * meanwhile, so names are read first. With more CPUs, another CPU goes on to
 * its panic: then the report is first printed with what is known already, and
 * the end mark follows; then names are read, and the stacks are printed once
 * more.
 */
#include "report/parts.h"
#include "report/report.h"

/* The stacks of the module and of the task that hold most now. */
static struct report heaviest_of(const struct report *r)
{
	struct report heaviest = *r;

	heaviest.level = 2;
	heaviest.top = 1;
	return heaviest;
}

void report_oom_collect(const struct report *r)
{
	const struct report heaviest = heaviest_of(r);

	symbols_clear(r->symbols);
	report_collect(&heaviest);
	report_collect(r);
	symbols_sort(r->symbols);
}

static void get_names(const struct report *r)
{
	report_oom_collect(r);
	r->name(r->context);
}

static void show_heaviest(void *context, const struct shown *shown)
{
	if (shown->table < TABLE_KINDS &&
	    (shown->kind == SHOWN_ROW || shown->kind == SHOWN_STACK))
		text_show(context, shown);
}

/* So few callers, and only of areas that hold more than this part of all pages,
 * that a report with long stacks has at most OOM_LINES_MAX. */
#define CALLERS 3
#define AREAS_DIVISOR 100

static void show_stacks(struct sheet *s, const char *title)
{
	const struct report heaviest = heaviest_of(s->r);
	struct report callers = *s->r;

	callers.without_tables = ~(1u << TABLE_CALLERS);
	callers.top = CALLERS;
	if (s->ledger->samples.on) {	/* there are none */
		select_walk(&callers, text_show, s);
		return;
	}
	sheet_line(s, title, NULL);
	select_walk(&heaviest, show_heaviest, s);
	if (s->ledger->areas.held.now >
	    s->ledger->traced.now / AREAS_DIVISOR)
		select_walk(&callers, text_show, s);
}

/* These few lines come after the end of the report, so the bound on its lines
 * does not count them. */
static void show_named_stacks(struct sheet *s)
{
	const int known = kinds_are_known(s->ledger);

	get_names(s->r);
	if (!known)
		text_kind(s);
	slab_text_briefly(s);
	show_stacks(s, "the same stacks by name");
	sheet_line(s, "memstrack " MEMSTRACK_VERSION ": end of names", NULL);
}

static void oom(struct sheet *s)
{
	struct report rows = *s->r;

	rows.without_tables = 1u << TABLE_INITCALLS | 1u << TABLE_CALLERS;
	if (!s->ledger->samples.on)
		rows.without_tables |= 1u << TABLE_KINDS;
	if (!s->r->names_wait)
		get_names(s->r);
	text_verdict(s);
	text_head(s);
	select_walk(&rows, text_show, s);
	slab_text_briefly(s);
	text_balance(s);
	show_stacks(s, "stacks of who holds most");
	text_finish(s);
	if (s->r->names_wait && s->value[FIGURE_UNNAMED])
		show_named_stacks(s);
}

void report_oom(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_TEXT, oom);
}
