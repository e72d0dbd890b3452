/* SPDX-License-Identifier: MIT */
/*
 * source/trace_*.c and the ledger on any bytes: none is read beyond the last,
 * every event that comes out can be applied, and after all of them every sum
 * that must agree does (ledger_check). The tables are small, whatever the
 * header says, so that they fill.
 */
#include "fuzz.h"
#include "ledger/apply.h"
#include "record/trace.h"

#define ARENA_BYTES (1u << 17)
#define SLAB_BYTES (1u << 17)	/* some hundred objects */
#define EVENTS_MAX 4096		/* an order of 20 takes a million steps */
#define STEPS_MAX (1u << 22)

static void bound(struct trace_header *h)
{
	const struct layout small = {
		.pages_bytes = 4096 + h->layout.pages_bytes % 8192,
		.modules = 3 + h->layout.modules % 16,
		.nodes = 40 + h->layout.nodes % 400,
		.tasks = 3 + h->layout.tasks % 32,
		.owners = 60 + h->layout.owners % 64,
		.slab_bytes = h->layout.slab_bytes ? SLAB_BYTES : 0,
	};

	h->layout = small;
}

static int one_event(struct ledger *l, struct event *e, uint64_t *steps)
{
	if (e->type == EVENT_ALLOC || e->type == EVENT_FREE)
		*steps += e->order < 21 ? UINT64_C(1) << e->order : 1;
	if (*steps > STEPS_MAX)
		return 0;
	must(e->name[MODULE_NAME_BYTES - 1] == 0);
	must(e->chain_len <= CHAIN_FRAMES_MAX);
	ledger_apply(l, e);
	return 1;
}

static void replay(unsigned char *bytes, size_t size, struct ledger *l)
{
	struct session s = { 0 };
	struct event e = { 0 };
	struct trace_symbol symbol;
	struct trace_header h;
	struct trace_reader r;
	struct arena arena;
	uint64_t steps = 0, offset = 0;
	static unsigned char memory[ARENA_BYTES + SLAB_BYTES];
	size_t room = ARENA_BYTES;
	int got;

	got = trace_open_bytes(&r, bytes, size, &h);
	must(got == 0 || (r.problem && r.offset <= size));
	if (got)
		return;
	bound(&h);
	room += h.layout.slab_bytes;
	memset(memory, 0, room);
	arena_init(&arena, memory, room);
	must(ledger_init(l, &arena, &h.layout, &h.ram) == 0);
	for (int i = 0; i < EVENTS_MAX; i++) {
		got = trace_next(&r, &e, &symbol, &s);
		must(got <= TRACE_END);
		must(r.offset >= offset && r.offset <= size);
		must(got >= 0 || r.problem);
		offset = r.offset;
		if (got <= 0)
			break;
		must((size_t)i < size / 4);
		if (got == TRACE_EVENT && !one_event(l, &e, &steps))
			break;
		must(got != TRACE_SYMBOL || (size_t)((unsigned char *)
		     symbol.name - bytes) + symbol.len <= size);
		must(got != TRACE_END || s.notes <= NOTES_MAX);
	}
	must(ledger_check(l) == NULL);
	must(l->total.seen + r.unknown <= size / 4);
	must(l->traced.peak <= l->pages.capacity_pages);
}

void fuzz_trace(const uint8_t *data, size_t size)
{
	static struct ledger ledger;
	unsigned char *bytes = exact(data, size);	/* the reader writes */

	replay(bytes, size, &ledger);
	free(bytes);
}
