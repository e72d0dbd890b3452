/* Behind the tables of the report for people: the timeline, and the advice. */
#include "balance.h"
#include "text.h"

static void put_largest(struct sheet *s, const struct moment *m, enum table t)
{
	const struct largest *k = t == TABLE_MODULES ? m->module : m->task;

	for (unsigned int i = 0; i < LARGEST && k[i].pages; i++) {
		const uint64_t pages = k[i].pages;

		line_str(&s->line, i ? ", " : "; ");
		text_name(s, moment_name(s->r->ledger, t, m, i), LINE_BYTES);
		line_fill(&s->line, " %p", &pages);
	}
}

void text_moment(struct sheet *s, const struct moment *m)
{
	line_fill(&s->line, "%t: free %p, traced %p, vmalloc %p",
		  (const uint64_t[]){ m->time_ns, m->free_pages,
				      m->traced_pages, m->vmalloc_pages });
	put_largest(s, m, TABLE_MODULES);
	put_largest(s, m, TABLE_TASKS);
}

static void timeline(struct sheet *s)
{
	const struct ledger *l = s->r->ledger;
	uint64_t since = 0;

	for (uint32_t p = 0; p < l->timeline.points; p++) {
		const struct moment *m = &l->timeline.point[p];
		const char *before = "; loaded ";

		line_str(&s->line, "time    ");
		text_moment(s, m);
		for (uint32_t i = 0; i < l->modules.used; i++) {
			if (!module_loaded(l, i, since, m->time_ns))
				continue;
			line_str(&s->line, before);
			text_name(s, row_name(l, TABLE_MODULES, i),
				  LINE_BYTES);
			before = ", ";
		}
		sheet_emit(s);
		since = m->time_ns;
	}
}

static void advice(struct sheet *s)
{
	const struct ledger *l = s->r->ledger;
	struct advice a;

	advice_of(s->r, &a);
	if (!l->memory_sampled)
		return;
	line_fill(&s->line, "advice  lowest free memory was %k of %k: ",
		  (const uint64_t[]){ a.lowest_kib, a.total_kib });
	if (a.reliable)
		text_line(s, l->kdump ? "crashkernel=%uM would do (%k, and a "
			  "tenth more)" : "%uM of memory would do (%k, and a "
			  "tenth more)", (const uint64_t[])
			  { a.enough_kib >> 10, a.used_kib });
	else
		text_line(s, "no advice, records were lost or less than 95% "
			  "is explained", NULL);
}

void text_tail(struct sheet *s)
{
	if (s->r->level > 2)
		timeline(s);
	advice(s);
}
