/* SPDX-License-Identifier: MIT */
/* See tracer.h, functions. */
#include <string.h>
#include "base/base.h"
#include "report/report.h"
#include "tracer/tracer.h"

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

/* The function from f->below to `end`. */
static void tell_initcall(struct functions *f, uint64_t end)
{
	struct event e;

	event_begin(&e, EVENT_INITCALL_CALLER, f->engine->ledger.last_ns);
	e.flags = EVENT_INIT_TEXT;
	e.base = f->below;
	e.size = end - f->below;
	f->engine->events.event(&f->engine->events, &e);
}

/* A row that was not found in one whole reading will not be in another one. */
static int is_sought(const struct functions *f, uint32_t row)
{
	const struct initcall *i = &f->engine->ledger.initcalls.row[row];

	return row >= f->looked && i->addr && !i->size_bytes && !i->module;
}

static void seek_initcalls(struct functions *f)
{
	const struct initcalls *c = &f->engine->ledger.initcalls;

	f->lowest = f->highest = f->below = 0;
	f->looking = c->used;
	for (uint32_t n = INITCALLS_FIXED; n < c->used; n++) {
		const uint64_t addr = c->row[n].addr;

		if (!is_sought(f, n))
			continue;
		if (!f->lowest || addr < f->lowest)
			f->lowest = addr;
		if (addr > f->highest)
			f->highest = addr;
	}
}

/* A symbol begins here, and the one before it ends. */
static void see_initcalls(struct functions *f, uint64_t start)
{
	const struct initcalls *c = &f->engine->ledger.initcalls;

	if (f->below && start >= f->lowest && f->below < f->highest &&
	    start - f->below < GAP_BYTES)
		for (uint32_t n = INITCALLS_FIXED; n < c->used; n++)
			if (is_sought(f, n) &&
			    c->row[n].addr - 1 - f->below < start - f->below) {
				tell_initcall(f, start);
				break;
			}
	if (start > f->below)
		f->below = start;
}

void functions_begin(struct functions *f)
{
	seek_initcalls(f);
	f->rule = NULL;
	f->told = 0;
}

/* Of several names of one function the first that has a rule counts. */
void functions_line(struct functions *f, const char *line, size_t len)
{
	const struct kind_rule *rule;
	const char *name;
	uint64_t start;

	if ((functions_known(f) && !f->lowest) ||
	    symbol_parse(line, &len, &start, &name) || memchr(name, '\t', len))
		return;
	if (f->lowest)
		see_initcalls(f, start);
	if (functions_known(f))
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
	/* Underscores in front decide nothing: of a name that is too long they
	 * are cut off first. */
	for (; len >= sizeof(f->name) && *name == '_'; len--)
		name++;
	print_to(f->name, sizeof(f->name), "%.*s", (int)len, name);
}

void functions_end(struct functions *f)
{
	f->looked = f->looking;
	if (f->told && !functions_known(f))
		tell(f, EVENT_FUNCTIONS_END, 0);
}
