/*
 * The head of the report for people: when, how much, what it cost, and what
 * was not seen. Level 1 leaves out what tells nobody where the memory went.
 */
#include "text.h"

static void figures_line(struct sheet *s, const char *template,
			 enum figure first)
{
	text_line(s, template, &s->value[first]);
}

static void head_title(struct sheet *s)
{
	const struct session *n = s->r->session;

	sheet_figures(s, "memstrack " MEMSTRACK_VERSION
		      ": level %u, traced %t to %t, reason: ", FIGURE_LEVEL);
	text_name(s, n->reason, sizeof(n->reason));
	sheet_emit(s);
	if (s->r->level < 2 && n->cpus_traced == n->cpus_online)
		return;
	line_str(&s->line, "kernel  ");
	text_name(s, n->kernel, sizeof(n->kernel));
	sheet_figures(s, ", pages of %b", FIGURE_PAGE_SIZE);
	figures_line(s, ", %u of %u CPUs traced", FIGURE_CPUS_TRACED);
}

/* Free memory falls by what was allocated and rises by what was freed, pages
 * from before tracing included. */
static void head_explained(struct sheet *s)
{
	const struct ledger *g = s->r->ledger;
	int64_t fall = (int64_t)(g->free_start_pages - g->free_now_pages);
	int64_t held = (int64_t)(g->traced.now - g->total.before_frees);

	if (!g->memory_sampled || fall <= 0 || held < 0)
		return;
	const uint64_t per_mille = (uint64_t)(held * 1000 + fall / 2) /
				   (uint64_t)fall;

	text_line(s, "        %u.%u%% of the fall in free memory, %p, "
		  "explained",
		  (const uint64_t[]){ per_mille / 10, per_mille % 10,
				      (uint64_t)fall });
}

static void head_traced(struct sheet *s)
{
	const struct totals *n = &s->r->ledger->total;

	figures_line(s, s->r->ledger->memory_sampled ?
		     "memory  total %k  free at start %k  now %k  lowest %k "
		     "at %t" :
		     "memory  total %k  free memory was not sampled",
		     FIGURE_MEM_TOTAL_KIB);
	sheet_figures(s, "traced  %p now, %p peak at %t; %u allocs %u frees",
		      FIGURE_NOW_PAGES);
	figures_line(s, ", %u lost", FIGURE_LOST);
	head_explained(s);
	if (s->r->level < 2)
		return;
	if (n->anon_pages || n->before_frees)
		figures_line(s, "        allocated without a stack %p; freed "
			     "from before tracing %p", FIGURE_ANON_PAGES);
	figures_line(s, "events  %u seen = %u applied + %u ignored + "
		     "%u rejected", FIGURE_SEEN);
}

static void head_warnings(struct sheet *s)
{
	const char *text = counter_texts;

	for (unsigned int i = FIGURE_COUNTERS; i < FIGURES;
	     i++, text = text_after(text)) {
		int harmless = *text == '(';

		if (!s->value[i] || !*text || (harmless && s->r->level < 3))
			continue;
		sheet_figures(s, harmless ? "note    %u " : "warning %u ", i);
		for (const char *c = text; *c; c++)
			if (*c == '|')
				line_str(&s->line, "; raise rd.memstrack.");
			else
				line_char(&s->line, *c);
		sheet_emit(s);
	}
}

static void head_notes(struct sheet *s)
{
	const struct session *n = s->r->session;

	for (uint32_t i = 0; i < n->notes && i < NOTES_MAX; i++) {
		line_str(&s->line, "note    ");
		text_name(s, n->note[i], NOTE_BYTES);
		sheet_emit(s);
	}
}

void text_head(struct sheet *s)
{
	head_title(s);
	head_traced(s);
	figures_line(s, "own     %b locked, %d of CPU (pages %b, stacks %b, "
		     "tasks %b, modules %b, rings %b)", FIGURE_OWN_BYTES);
	head_warnings(s);
	head_notes(s);
}
