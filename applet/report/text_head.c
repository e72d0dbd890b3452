/* The head of the report for people: when, how much, what it cost, and what
 * was not seen. */
#include "counters.h"
#include "text.h"

static uint64_t kib(const struct text *t, uint64_t pages)
{
	return pages_kib(t->r, pages);
}

static void head_title(struct text *t)
{
	const struct session *s = t->r->session;
	const uint64_t when[] = { t->r->level, s->start_ns, s->end_ns };
	const uint64_t machine[] = {
		kib(t, 1), s->cpus_traced, s->cpus_online,
	};

	text_put(t, "memstrack " MEMSTRACK_VERSION
		 ": level %u, traced %t to %t, reason: ", when);
	text_name(t, s->reason, sizeof(s->reason));
	text_emit(t);
	text_put(t, "kernel  ", NULL);
	text_name(t, s->kernel, sizeof(s->kernel));
	text_put(t, ", pages of %k, %u of %u CPUs traced", machine);
	text_emit(t);
}

static void head_memory(struct text *t)
{
	const struct ledger *g = t->r->ledger;
	const uint64_t value[] = {
		t->r->session->mem_total_kib, kib(t, g->free_start_pages),
		kib(t, g->free_lowest_pages), g->free_lowest_ns,
		kib(t, g->free_now_pages),
	};

	text_put(t, g->memory_sampled ? "memory  total %k  free at start %k  "
		 "lowest free %k at %t  free now %k" :
		 "memory  total %k  free memory was not sampled", value);
	text_emit(t);
}

/* Free memory falls by what was allocated and rises by what was freed, pages
 * from before tracing included. */
static void head_explained(struct text *t)
{
	const struct ledger *g = t->r->ledger;
	uint64_t fall = g->free_start_pages - g->free_now_pages;
	uint64_t held = g->traced.now - g->total.before_frees;

	if (!g->memory_sampled || g->free_start_pages <= g->free_now_pages ||
	    g->traced.now < g->total.before_frees || fall > UINT32_MAX)
		return;
	const uint64_t per_mille = (held * 1000 + fall / 2) / fall;
	const uint64_t value[] = {
		per_mille / 10, per_mille % 10, kib(t, fall),
	};

	text_put(t, "        %u.%u%% of the fall in free memory, %k, explained",
		 value);
	text_emit(t);
}

static void head_traced(struct text *t)
{
	const struct ledger *g = t->r->ledger;
	const struct totals *n = &g->total;
	const uint64_t traced[] = {
		kib(t, g->traced.now), kib(t, g->traced.peak), g->peak_ns,
		n->allocs, n->frees, n->lost,
	};
	const uint64_t apart[] = {
		kib(t, n->anon_pages), kib(t, n->before_frees),
	};
	const uint64_t events[] = {
		n->seen, n->applied, n->ignored, n->rejected,
	};

	text_put(t, "traced  %k now, %k peak at %t; %u allocs %u frees, "
		 "%u lost", traced);
	text_emit(t);
	head_explained(t);
	if (n->anon_pages || n->before_frees) {
		text_put(t, "        allocated without a stack %k; "
			 "freed from before tracing %k", apart);
		text_emit(t);
	}
	text_put(t, "events  %u seen = %u applied + %u ignored + %u rejected",
		 events);
	text_emit(t);
}

static uint64_t rounded_kib(uint64_t bytes)
{
	return bytes / 1024 + (bytes % 1024 >= 512);
}

static void head_own(struct text *t)
{
	const struct session *s = t->r->session;
	const struct layout *y = &s->layout;
	const uint64_t value[] = {
		rounded_kib(s->own_bytes), rounded_kib(y->pages_bytes),
		rounded_kib(stacks_bytes(y->nodes) + owners_bytes(y->owners)),
		rounded_kib(tasks_bytes(y->tasks)),
		rounded_kib(modules_bytes(y->modules)),
		rounded_kib(y->ring_bytes), s->cpu_ns,
	};

	text_put(t, "own     %k locked (pages %k, stacks %k, tasks %k, "
		 "modules %k, rings %k), %d of CPU", value);
	text_emit(t);
}

static void head_warnings(struct text *t)
{
	const struct session *s = t->r->session;
	struct counter c;

	for (unsigned int i = 0; counter_get(t->r->ledger, i, &c); i++) {
		if (!c.value || !c.text[0])
			continue;
		text_put(t, "warning %u ", &c.value);
		line_str(&t->line, c.text);
		text_emit(t);
	}
	for (uint32_t i = 0; i < s->notes && i < NOTES_MAX; i++) {
		text_put(t, "note    ", NULL);
		text_name(t, s->note[i], NOTE_BYTES);
		text_emit(t);
	}
}

void text_head(struct text *t)
{
	head_title(t);
	head_memory(t);
	head_traced(t);
	head_own(t);
	head_warnings(t);
}
