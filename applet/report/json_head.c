/* The head of the report for programs. */
#include "counters.h"
#include "json.h"

/* What the longest line of a kind leaves for names. */
#define KERNEL_ROOM 110u
#define REASON_ROOM 50u
#define NOTE_ROOM 800u

static uint64_t sampled_kib(const struct json *j, uint64_t pages)
{
	return j->r->ledger->memory_sampled ? pages_kib(j->r, pages) :
					      LINE_NULL;
}

static void head_memory(struct json *j)
{
	const struct ledger *g = j->r->ledger;
	const uint64_t value[] = {
		j->r->session->mem_total_kib,
		sampled_kib(j, g->free_start_pages),
		sampled_kib(j, g->free_lowest_pages),
		g->memory_sampled ? g->free_lowest_ns : LINE_NULL,
		sampled_kib(j, g->free_now_pages),
	};

	json_put(j, ",\"mem_total_kib\":%u,\"free_start_kib\":%o,"
		 "\"free_lowest_kib\":%o,\"free_lowest_ns\":%o,"
		 "\"free_now_kib\":%o", value);
}

static void head_counts(struct json *j)
{
	const struct ledger *g = j->r->ledger;
	const struct totals *n = &g->total;
	const uint64_t value[] = {
		g->traced.now, g->traced.peak, g->peak_ns, n->allocs,
		n->frees, n->before_frees, n->seen, n->applied, n->ignored,
		n->rejected, n->lost,
	};

	json_put(j, ",\"now_pages\":%u,\"peak_pages\":%u,\"peak_ns\":%u,"
		 "\"allocs\":%u,\"frees\":%u,\"before_frees\":%u,\"seen\":%u,"
		 "\"applied\":%u,\"ignored\":%u,\"rejected\":%u,\"lost\":%u",
		 value);
}

static void head(struct json *j)
{
	const struct session *s = j->r->session;
	const uint64_t level = j->r->level, page_size = s->page_size;
	const uint64_t when[] = { s->start_ns, s->end_ns };
	const uint64_t own[] = { s->own_bytes, s->cpu_ns };

	json_put(j, "{\"type\":\"head\",\"version\":\"" MEMSTRACK_VERSION
		 "\",\"level\":%u,\"reason\":\"", &level);
	json_name(j, s->reason, sizeof(s->reason), REASON_ROOM);
	json_put(j, "\",\"start_ns\":%u,\"end_ns\":%u,\"kernel\":\"", when);
	json_name(j, s->kernel, sizeof(s->kernel), KERNEL_ROOM);
	json_put(j, "\",\"page_size\":%u", &page_size);
	head_memory(j);
	head_counts(j);
	json_put(j, ",\"own_bytes\":%u,\"cpu_ns\":%u", own);
	json_emit(j);
}

static void own(struct json *j)
{
	const struct session *s = j->r->session;
	const struct layout *y = &s->layout;
	const uint64_t value[] = {
		y->pages_bytes,
		stacks_bytes(y->nodes) + owners_bytes(y->owners),
		tasks_bytes(y->tasks), modules_bytes(y->modules),
		y->ring_bytes, y->nodes, y->owners, y->tasks, y->modules,
		y->symbols, s->cpus_traced, s->cpus_online,
	};

	json_put(j, "{\"type\":\"own\",\"pages_bytes\":%u,\"stacks_bytes\":%u,"
		 "\"tasks_bytes\":%u,\"modules_bytes\":%u,\"ring_bytes\":%u,"
		 "\"stacks_rows\":%u,\"owners_rows\":%u,\"tasks_rows\":%u,"
		 "\"modules_rows\":%u,\"symbols_rows\":%u,\"cpus_traced\":%u,"
		 "\"cpus_online\":%u", value);
	json_emit(j);
}

static void counters(struct json *j)
{
	struct counter c;

	json_put(j, "{\"type\":\"counters\"", NULL);
	for (unsigned int i = 0; counter_get(j->r->ledger, i, &c); i++) {
		json_put(j, ",\"", NULL);
		line_str(&j->line, c.name);
		json_put(j, "\":%u", &c.value);
	}
	json_emit(j);
}

static void notes(struct json *j)
{
	const struct session *s = j->r->session;

	for (uint32_t i = 0; i < s->notes && i < NOTES_MAX; i++) {
		json_put(j, "{\"type\":\"note\",\"text\":\"", NULL);
		json_name(j, s->note[i], NOTE_BYTES, NOTE_ROOM);
		line_char(&j->line, '"');
		json_emit(j);
	}
}

void json_head(struct json *j)
{
	head(j);
	own(j);
	counters(j);
	notes(j);
}
