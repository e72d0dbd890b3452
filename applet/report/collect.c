/*
 * Collects the addresses that a report will print, so that only their names are
 * kept.
 */
#include "report/compat/part.h"
#include "report/select.h"
#include "report/symbols.h"

/* The leaf of the shown stack, or a root, which has no frames. */
static uint32_t leaf_of(const struct ledger *l, const struct shown *shown)
{
	if (shown->kind == SHOWN_STACK && shown->leaf != NO_LEAF)
		return shown->leaf;
	if (shown->kind == SHOWN_ROW && shown->table == TABLE_CALLERS)
		return l->areas.caller[shown->row].node;
	return 0;
}

static void collect(void *context, const struct shown *shown)
{
	const struct report *r = context;
	const struct stacks *s = &r->ledger->stacks;

	for (uint32_t i = leaf_of(r->ledger, shown); i >= s->roots;
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
