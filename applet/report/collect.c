/*
 * Collects the addresses that a report will print, so that only their names are
 * kept.
 */
#include "report/compat/part.h"
#include "report/select.h"
#include "report/symbols.h"

static void collect(void *context, const struct shown *shown)
{
	const struct report *r = context;
	const struct stacks *s = &r->ledger->stacks;

	if (shown->kind != SHOWN_STACK || shown->leaf == NO_LEAF)
		return;
	for (uint32_t i = shown->leaf; i >= s->roots;
	     i = stack_parent(&s->node[i]))
		if (!stack_addr_retired(s->node[i].addr))
			symbols_add(r->symbols, s->node[i].addr);
}

void report_collect(const struct report *r)
{
	const char *at = r->sections;
	struct section section;
	struct report part;

	if (!at || !*at)
		select_walk(r, collect, (void *)r);
	while (part_next(r, &at, &section, &part))
		select_walk(&part, collect, (void *)r);
}
