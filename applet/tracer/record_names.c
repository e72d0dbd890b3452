/* SPDX-License-Identifier: MIT */
/* The names in a recorded trace: see tracer.h, record names. */
#include <string.h>
#include "tracer/tracer.h"

/* Names the collected addresses and writes them. */
static void write_names(struct kallsyms *k, struct engine *g)
{
	symbols_sort(&k->symbols);
	if (kallsyms_wanted(k))
		kallsyms_read(k);
	for (uint32_t i = 0; i < k->symbols.used; i++) {
		const struct symbol *y = &k->symbols.row[i];
		const struct trace_symbol named = {
			y->addr, y->start, y->name, strlen(y->name),
		};

		if (y->start)
			trace_write_symbol(&g->writer, &named);
	}
}

/* As many at once as there is room for. */
static void add(struct kallsyms *k, struct engine *g, uint64_t addr)
{
	struct symbols *y = &k->symbols;

	symbols_add(y, addr);
	if (y->used < y->capacity)
		return;
	write_names(k, g);
	symbols_clear(y);
}

void record_names(struct kallsyms *k, struct engine *g)
{
	const struct stacks *s = &g->ledger.stacks;
	const struct initcalls *c = &g->ledger.initcalls;
	const struct slab_ledger *o = &g->ledger.slab;

	symbols_clear(&k->symbols);
	for (uint32_t i = INITCALLS_FIXED; i < c->used; i++)
		add(k, g, c->row[i].addr);
	for (uint32_t i = 0; i < o->sites.used; i++)
		add(k, g, o->sites.row[i].addr);
	for (uint32_t i = 0; i < o->faults; i++)
		add(k, g, o->fault[i].freed_by);
	for (uint32_t node = s->roots; node < s->used; node++)
		add(k, g, s->node[node].addr);
	if (k->symbols.used)
		write_names(k, g);
}
