/* See functions.h. */
#include <string.h>
#include "base/print.h"
#include "report/symbols.h"
#include "tracer/functions.h"

/* If the next symbol is farther away, it is not the next one in the same
 * section. */
#define GAP_BYTES (1u << 20)

static void tell(struct functions *f, enum event_type type, uint64_t end)
{
	struct event e;

	event_begin(&e, type, f->engine->ledger.last_ns);
	if (type == EVENT_FUNCTION) {
		e.base = f->base;
		e.size = end - f->base;
		f->told = 1;
		print_to(e.name, sizeof(e.name), "%s", f->name);
	}
	f->engine->events.event(&f->engine->events, &e);
}

void functions_begin(struct functions *f)
{
	f->rule = NULL;
	f->told = 0;
}

/* Of several names of one function the first that has a rule counts. */
void functions_line(struct functions *f, const char *line, size_t len)
{
	const struct kind_rule *rule;
	const char *name;
	uint64_t start;

	if (functions_known(f) || symbol_parse(line, &len, &start, &name) ||
	    memchr(name, '\t', len))
		return;
	rule = kinds_rule(name, len);
	if (f->rule && (rule == f->rule || start == f->last)) {
		f->last = start;
		return;
	}
	if (rule == f->rule)
		return;
	if (f->rule && start > f->base && start - f->base < GAP_BYTES)
		tell(f, EVENT_FUNCTION, start);
	f->rule = rule;
	f->base = f->last = start;
	print_to(f->name, sizeof(f->name), "%.*s", (int)len, name);
}

void functions_end(struct functions *f)
{
	if (f->told && !functions_known(f))
		tell(f, EVENT_FUNCTIONS_END, 0);
}
