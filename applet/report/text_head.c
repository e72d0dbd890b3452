/*
 * The head of the report for people: when, how much, what it cost, and what
 * was not seen. Level 1 leaves out what tells nobody where the memory went.
 */
#include "report/moment.h"
#include "report/text.h"

#define BASELINE_COLUMNS 78

static void head_title(struct sheet *s, int brief)
{
	const struct session *n = s->r->session;

	line_str(&s->line, "memstrack " MEMSTRACK_VERSION);
	if (!brief)
		sheet_figures(s, ": level %u", FIGURE_LEVEL);
	sheet_figures(s, ", traced %t to %t, reason: ", FIGURE_START_NS);
	line_name(&s->line, n->reason);
	sheet_emit(s);
	if (s->r->level < 2 && n->cpus_traced == n->cpus_online)
		return;
	line_str(&s->line, "kernel  ");
	line_name(&s->line, n->kernel);
	sheet_figures(s, ", pages of %b", FIGURE_PAGE_SIZE);
	text_figures(s, ", %u of %u CPUs traced", FIGURE_CPUS_TRACED);
}

static void head_balance(struct sheet *s)
{
	if (s->value[FIGURE_PERMILLE] == UNKNOWN)
		return;
	sheet_figures(s, "fall    %q in free memory, ", FIGURE_FALL);
	sheet_figures(s, "%m%% explained: ", FIGURE_PERMILLE);
	text_figures(s, "traced %q, vmalloc %q,", FIGURE_TRACED);
	text_figures(s, "        other bulk %q, CMA %q, from before %q, "
		     "per-CPU lists %q, rest %q", FIGURE_BULK);
}

/* As many a line as fit. */
static void head_baseline(struct sheet *s)
{
	const struct ledger *l = s->ledger;
	const uint64_t total_kib = s->value[FIGURE_TOTAL_KIB];

	if (!l->memory_sampled)
		return;
	line_fill(&s->line, "before  %k of %k used when tracing began:",
		  (const uint64_t[]){
		  total_kib - smaller(total_kib,
				      s->value[FIGURE_FREE_START_KIB]),
		  total_kib });
	for (uint32_t i = 0; i < l->figures; i++) {
		if (s->line.len > BASELINE_COLUMNS) {
			sheet_emit(s);
			line_str(&s->line, "       ");
		}
		line_char(&s->line, ' ');
		line_name(&s->line, l->figure[i].name);
		line_fill(&s->line, i + 1 < l->figures ? " %k," : " %k",
			  &l->figure[i].kib);
	}
	sheet_emit(s);
}

static inline void head_traced(struct sheet *s, int brief)
{
	const struct totals *n = &s->ledger->total;

	text_figures(s, s->ledger->memory_sampled ?
		     "memory  total %k  free at start %k  now %k  lowest %k "
		     "at %t" :
		     "memory  total %k  free memory was not sampled",
		     FIGURE_MEM_TOTAL_KIB);
	/* What a lost record told of may have come or gone; counts are at
	 * least these. */
	sheet_figures(s, n->lost ? "traced  ~%p now, ~%p peak at %t; >=%u "
		      "allocs >=%u frees" :
		      "traced  %p now, %p peak at %t; %u allocs %u frees",
		      FIGURE_NOW_PAGES);
	text_figures(s, ", %u lost", FIGURE_LOST);
	head_balance(s);
	if (brief)
		return;
	head_baseline(s);
	moment_peak(s);
	if (s->r->level < 2)
		return;
	if (n->anon_pages || n->before_frees)
		text_figures(s, "        allocated without a stack %p; freed "
			     "from before tracing %p", FIGURE_ANON_PAGES);
	text_figures(s, "events  %u seen = %u applied + %u ignored + "
		     "%u rejected", FIGURE_SEEN);
}

static void head_warnings(struct sheet *s)
{
	const char *text = counter_texts;

	for (unsigned int i = FIGURE_COUNTERS; i < FIGURE_WRITTEN;
	     i++, text = text_after(text)) {
		int harmless = *text == '(';

		if (!s->value[i] || !*text || (harmless && s->r->level < 3))
			continue;
		sheet_figures(s, harmless ? "note    %u " : "warning %u ", i);
		for (const char *c = text; *c; c++)
			if (*c == '|')
				line_str(&s->line, "; raise rd.memstrack.");
			else if (*c == '^')
				line_str(&s->line,
					 "pages: the highest peak of these");
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
		line_name(&s->line, n->note[i]);
		sheet_emit(s);
	}
}

void text_head(struct sheet *s)
{
	/* When memory runs out. */
	const int brief = s->r->order != BY_PEAK;

	head_title(s, brief);
	head_traced(s, brief);
	if (!brief)
		text_figures(s, "own     %b locked, %d of CPU (pages %b, "
			     "stacks %b, tasks %b, modules %b, rings %b)",
			     FIGURE_OWN_BYTES);
	head_warnings(s);
	if (!brief)
		head_notes(s);
}
