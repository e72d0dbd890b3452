/* SPDX-License-Identifier: MIT */
/*
 * The head of the report for people: when, how much, and what must not be
 * believed.
 */
#include <string.h>
#include "report/report.h"
#include "report/parts.h"

static void head_report(struct sheet *s)
{
	line_str(&s->line, "report  ");
	if (!is_oom(s->r))
		sheet_figures(s, "level %u, ", FIGURE_LEVEL);
	if (s->ledger->source[0] && !is_sampled(s->ledger)) {
		line_str(&s->line, "by ");
		line_name(&s->line, s->ledger->source);
		line_str(&s->line, ", ");
	}
	line_str(&s->line, is_sampled(s->ledger) ? "sampled" : "traced");
	sheet_figures(s, " %t to %t, reason: ", FIGURE_START_NS, FIGURE_END_NS);
	line_name(&s->line, s->r->session->reason);
	sheet_emit(s);
}

static void head_sampled(struct sheet *s)
{
	const struct samples *p = &s->ledger->samples;

	line_value(&s->line, "sampled %u time%s: what came and went in "
		   "between is not seen", p->pass);
	if (p->kills != p->kills_start)
		line_value(&s->line, "; OOM kills: %u",
			   p->kills - p->kills_start);
	sheet_emit(s);
}

/* Hotplug, or a driver. */
static void head_growth(struct sheet *s)
{
	const struct growth *g = &s->ledger->growth;

	if (!g->first_ns)
		return;
	line_fill(&s->line, "machine grew by %p, shrank by %p, from %t to %t; "
		  "page structs of hotplug memory %k", (const uint64_t[]){
		  g->more_pages, g->less_pages, g->first_ns, g->last_ns,
		  advice_came_structs_kib(s->ledger) });
	sheet_emit(s);
}

static void head_phases(struct sheet *s)
{
	const struct phases *p = &s->ledger->phases;

	for (uint32_t i = 0; i < p->used; i++) {
		line_str(&s->line, i ? ", " : "phases  ");
		line_name(&s->line, p->phase[i].name);
		line_value(&s->line, " %t", p->phase[i].time_ns);
	}
	if (p->more)
		line_value(&s->line, ", and %u more", p->more);
	if (p->used)
		sheet_emit(s);
}

static void head_traced(struct sheet *s)
{
	const struct totals *n = &s->ledger->total;

	if (s->ledger->memory_sampled) {
		sheet_figures(s, "memory  free at start %k, lowest %k at %t",
			      FIGURE_FREE_START_KIB, FIGURE_FREE_LOWEST_KIB,
			      FIGURE_FREE_LOWEST_NS);
		sheet_phase(s, s->value[FIGURE_FREE_LOWEST_NS]);
		if (!is_oom(s->r))
			sheet_figures(s, ", now %k", FIGURE_FREE_NOW_KIB);
		sheet_emit(s);
	}
	head_phases(s);
	head_growth(s);
	if (is_sampled(s->ledger)) {
		head_sampled(s);
		return;
	}
	/* A lost record may have been an allocation or a free; the number of
	 * events is at least this. */
	sheet_figures(s, n->lost ? "traced  ~%p now, most ~%p at %t; >=%u "
		      "alloc%s, >=%u free%s" :
		      "traced  %p now, most %p at %t; %u alloc%s, %u free%s",
		      FIGURE_NOW_PAGES, FIGURE_PEAK_PAGES, FIGURE_PEAK_NS,
		      FIGURE_ALLOCS, FIGURE_FREES);
	sheet_emit(s);
}

/* For each counter that is not 0, in this order: a template and, behind its end,
 * the parameter that helps; the pages of the largest, if there is such a
 * figure. */
static const struct warning {
	const char *text;
	uint8_t counter, largest;	/* enum figure; largest 0: none */
	uint8_t harmless;		/* printed only in full reports */
} warnings[] = {
	{ .text = "%u record%s lost: some pages are missing, some still count\0"
	  "ring",
	  .counter = FIGURE_LOST_RECORDS },
	{ .text = "%u (event%s out of order)\0",
	  .counter = FIGURE_LATE, .harmless = 1 },
	{ .text = "%u (page%s of those, settled by their own order)\0",
	  .counter = FIGURE_SETTLED_PAGES, .harmless = 1 },
	{ .text = "%u page%s found free or allocated again, their free not "
	  "seen\0",
	  .counter = FIGURE_MISSED_FREES },
	{ .text = "%u page%s found no room: in no figure\0" "pages",
	  .counter = FIGURE_UNTRACKED_PAGES },
	{ .text = "%u event%s of pages outside of known memory\0",
	  .counter = FIGURE_OUTSIDE_RAM },
	{ .text = "%u record%s not of their format\0",
	  .counter = FIGURE_BAD_RECORDS },
	{ .text = "%u allocation%s failed\0",
	  .counter = FIGURE_FAILED_ALLOCS },
	{ .text = "%u event%s of tasks went to (other)\0" "tasks",
	  .counter = FIGURE_TASKS_FULL },
	{ .text = "%u ended task%s not listed\0" "tasks",
	  .counter = FIGURE_TASKS_RECYCLED,
	  .largest = FIGURE_TASKS_RECYCLED_PEAK },
	{ .text = "%u module%s went to (other)\0" "modules",
	  .counter = FIGURE_MODULES_FULL },
	{ .text = "%u gone module%s not listed\0" "modules",
	  .counter = FIGURE_MODULES_RECYCLED,
	  .largest = FIGURE_MODULES_RECYCLED_PEAK },
	{ .text = "%u module range%s found no room\0" "modules",
	  .counter = FIGURE_RANGES_FULL },
	{ .text = "%u function%s of a kind of memory found no room\0",
	  .counter = FIGURE_FUNCTIONS_FULL },
	{ .text = "%u area%s of vmalloc found no room\0" "modules",
	  .counter = FIGURE_AREAS_FULL },
	{ .text = "%u allocation%s kept without their stack\0" "stacks",
	  .counter = FIGURE_STACKS_FULL },
	{ .text = "%u allocation%s kept with their task alone\0" "stacks",
	  .counter = FIGURE_OWNERS_FULL },
	{ .text = "%u empty stack%s not listed\0" "stacks",
	  .counter = FIGURE_OWNERS_RECYCLED,
	  .largest = FIGURE_OWNERS_RECYCLED_PEAK },
};

void text_warnings(struct sheet *s)
{
	if (s->r->session->cut)
		sheet_line(s, "warning the recording is not whole: see the "
			   "notes", NULL);
	for (const struct warning *w = warnings;
	     w < warnings + ARRAY_LEN(warnings); w++) {
		const char *raise = w->text + strlen(w->text) + 1;

		if (!s->value[w->counter] ||
		    (w->harmless && s->r->level < 3))
			continue;
		line_str(&s->line, w->harmless ? "note    " : "warning ");
		sheet_figures(s, w->text, w->counter);
		if (w->largest && s->value[w->largest])
			sheet_figures(s, ", the largest with a peak of %p",
				      w->largest);
		if (*raise) {
			line_str(&s->line, "; raise rd.memstrack.");
			line_str(&s->line, raise);
		}
		sheet_emit(s);
	}
}

void text_head(struct sheet *s)
{
	text_warnings(s);
	head_report(s);
	head_traced(s);
}
