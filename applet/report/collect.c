/* The addresses that a report will print, so that only their names are kept. */
#include "select.h"
#include "symbols.h"

struct collect {
	struct visitor visitor;	/* first: a collect is a visitor */
	const struct report *r;
};

static void visit_stack(struct visitor *v, const struct shown_row *row,
			const struct shown_stack *shown)
{
	const struct report *r = ((struct collect *)v)->r;
	const struct stacks *s = &r->ledger->stacks;

	(void)row;
	if (shown->leaf == NO_LEAF)
		return;
	for (uint32_t i = shown->leaf; i >= s->roots;
	     i = stack_parent(&s->node[i]))
		symbols_add(r->symbols, s->node[i].addr);
}

void report_collect(const struct report *r)
{
	struct collect c = { .visitor.stack = visit_stack, .r = r };

	select_walk(r, &c.visitor);
}
