/* SPDX-License-Identifier: MIT */
/* The report for flame graphs, whole: see folded.c. */
#include "report/parts.h"

/* Samples know kinds of memory and no stacks. */
static void put_sampled(struct sheet *s, uint32_t kind, int at_peak)
{
	const uint64_t bytes = (uint64_t)count_when(kind_count(s->ledger, kind),
						    s->ledger->epoch, at_peak) *
			       s->r->session->page_size;

	if (!bytes)
		return;
	line_str(&s->line, "(sampled);");
	line_name(&s->line, kind_name(kind));
	sheet_line(s, " %u", &bytes);
}

/* The line that keeps the sum, and a line of no bytes that counts the frames
 * without a name. */
static void finish(struct folded *f, uint64_t pages)
{
	struct sheet *const s = f->s;
	const uint64_t bytes = (pages - f->pages) * s->r->session->page_size;

	s->last = 1;
	if (pages > f->pages)
		sheet_line(s, "(not_listed) %u", &bytes);
	if (!s->value[FIGURE_UNNAMED])
		return;
	sheet_figures(s, "(note);%u_of_%u_frames_have_no_name 0",
		      FIGURE_UNNAMED, FIGURE_FRAMES);
	sheet_emit(s);
}

static void folded(struct sheet *s, void (*write)(struct folded *f),
		   int at_peak)
{
	const struct ledger *l = s->ledger;
	struct folded f = { .s = s, .at_peak = at_peak };

	if (l->samples.on) {
		for (uint32_t i = 0; i < KINDS; i++)
			put_sampled(s, i, at_peak);
		return;
	}
	write(&f);
	finish(&f, (uint64_t)count_when(&l->traced, l->epoch, at_peak) +
		   count_when(&l->areas.held, l->epoch, at_peak));
}

static void modules(struct sheet *s)
{
	folded(s, folded_modules, 0);
}

static void modules_at_peak(struct sheet *s)
{
	folded(s, folded_modules, 1);
}

static void tasks(struct sheet *s)
{
	folded(s, folded_tasks, 0);
}

void report_folded(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_FOLDED, modules);
}

void report_folded_peak(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_FOLDED, modules_at_peak);
}

void report_folded_tasks(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_FOLDED, tasks);
}
