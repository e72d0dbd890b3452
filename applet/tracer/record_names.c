/* SPDX-License-Identifier: MIT */
/* The names in a recorded trace: see record_names.h. */
#include <string.h>
#include "tracer/record_names.h"

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

void record_names(struct kallsyms *k, struct engine *g)
{
	const struct stacks *s = &g->ledger.stacks;
	const struct initcalls *c = &g->ledger.initcalls;
	struct symbols *y = &k->symbols;
	uint32_t node = s->roots;

	symbols_clear(y);
	for (uint32_t i = INITCALLS_FIXED; i < c->used; i++)
		symbols_add(y, c->row[i].addr);
	if (y->used)
		write_names(k, g);
	while (node < s->used) {
		symbols_clear(y);
		for (; node < s->used && y->used < y->capacity; node++)
			symbols_add(y, s->node[node].addr);
		write_names(k, g);
	}
}
