/*
 * What a report is: text, JSON or sections; and the addresses that it will
 * print, so that only their names are kept.
 */
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

int select_section(const struct report *r, const char **at, struct section *n,
		   struct report *part)
{
	static const unsigned char levels[] = {
		[SECTION_MODULE_SUMMARY] = 1,
		[SECTION_MODULE_TOP] = 2,
		[SECTION_TASK_SUMMARY] = 1,
		[SECTION_TASK_TOP] = 3,
		[SECTION_TASK_TOP_JSON] = 3,
		[SECTION_SLAB] = 3,
	};

	if (!*at || section_next(at, n))
		return 0;
	*part = *r;
	/* With the rows all stacks are told: 2 becomes 3. */
	part->level = levels[n->type] | (n->top != 0);
	part->top = n->top ? n->top : UINT32_MAX;
	part->order = n->by_peak ? BY_PEAK : BY_NOW;
	part->without_tables = n->type == SECTION_SLAB ? ~0u :
			       ~(1u << TABLE_TASKS);
	if (n->type == SECTION_MODULE_SUMMARY ||
	    n->type == SECTION_MODULE_TOP) {
		part->without_tables = ~(1u << TABLE_MODULES);
		/* Pages of no module have no row there. */
		part->first_row = MODULES_FIXED;
		part->throttle_percent = 100;
	}
	if (n->throttle_percent)
		part->throttle_percent = n->throttle_percent;
	return 1;
}

void report_collect(const struct report *r)
{
	const char *at = r->sections;
	struct section section;
	struct report part;

	if (!at || !*at)
		select_walk(r, collect, (void *)r);
	while (select_section(r, &at, &section, &part))
		select_walk(&part, collect, (void *)r);
}

void report_write(const struct report *r, enum format format, struct out *o)
{
	if (r->sections && r->sections[0])
		report_sections(r, o);
	else if (format == FORMAT_JSON)
		report_json(r, o);
	else
		report_text(r, o);
}
