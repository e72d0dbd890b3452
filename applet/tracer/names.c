/* SPDX-License-Identifier: MIT */
/* Names of functions, for the ledger and for a recording: see tracer.h. */
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "report/report.h"
#include "tracer/tracer.h"

/* --- functions */

/* If the next symbol is farther away, it is in another section. */
#define GAP_BYTES (1u << 20)

/* Nothing to do: the functions are known already, or of no use, because the
 * kinds are sampled. */
static int functions_known(const struct functions *f)
{
	return f->engine->ledger.kinds.known || is_sampled(&f->engine->ledger);
}

static void emit(struct functions *f, enum event_type type, uint64_t end)
{
	struct event *e = engine_event(f->engine, type,
				       f->engine->ledger.last_ns);

	if (type == EVENT_FUNCTION) {
		e->base = f->base;
		e->size = end - f->base;
		f->emitted = 1;
		strcpy(e->name, f->name);
	}
	engine_take(f->engine, e);
}

/* The function from f->below to `end`. */
static void emit_initcall(struct functions *f, uint64_t end)
{
	struct event *e = engine_event(f->engine, EVENT_INITCALL_CALLER,
				       f->engine->ledger.last_ns);

	e->flags = EVENT_INIT_TEXT;
	e->base = f->below;
	e->size = end - f->below;
	engine_take(f->engine, e);
}

/* A row that one whole reading did not find is not looked for again. */
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
				emit_initcall(f, start);
				break;
			}
	if (start > f->below)
		f->below = start;
}

static void functions_begin(struct functions *f)
{
	seek_initcalls(f);
	f->rule = NULL;
	f->emitted = 0;
}

/* If a function has several names, the first name that has a rule counts. */
static void functions_line(struct functions *f, const char *line, size_t len)
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
		emit(f, EVENT_FUNCTION, start);
	f->rule = rule;
	f->base = f->last = start;
	/* Underscores in front decide nothing: they are cut off first if a name
	 * is too long. */
	for (; len >= sizeof(f->name) && *name == '_'; len--)
		name++;
	print_to(f->name, sizeof(f->name), "%.*s", (int)len, name);
}

static void functions_end(struct functions *f)
{
	f->looked = f->looking;
	if (f->emitted && !functions_known(f))
		emit(f, EVENT_FUNCTIONS_END, 0);
}

/* --- kallsyms: /proc/kallsyms, read whole or in slices */

/* Lines of /proc/kallsyms in one slice, of some 40 bytes each: a millisecond on
 * an emulated CPU, much less on a real CPU. */
#define NAMES_A_SLICE 500

int kallsyms_init(struct kallsyms *k, struct engine *g)
{
	*k = (struct kallsyms){ .fd = -1, .functions.engine = g };
	return symbols_init(&k->symbols, &g->arena, g->session.layout.symbols);
}

/* The first byte of the names is read now, because the kernel allocates a page
 * for the first read and keeps it. */
void kallsyms_open(struct kallsyms *k)
{
	char first;

	k->fd = system_open_path("/proc/kallsyms", O_RDONLY);
	if (read(k->fd, &first, 1) < 0)
		return;		/* no names then */
}

int kallsyms_wanted(const struct kallsyms *k)
{
	return k->symbols.used || !functions_known(&k->functions);
}

void kallsyms_find_initcalls(struct kallsyms *k)
{
	char *line;
	size_t len;

	functions_begin(&k->functions);
	if (!k->functions.lowest)
		return;
	lines_begin(&k->lines, k->fd);
	while ((line = lines_next(&k->lines, &len)))
		functions_line(&k->functions, line, len);
	functions_end(&k->functions);
}

void kallsyms_begin_slices(struct kallsyms *k)
{
	symbols_begin(&k->symbols);
	functions_begin(&k->functions);
	lines_begin(&k->lines, k->fd);
	k->reading = 1;
}

int kallsyms_read_slice(struct kallsyms *k)
{
	char *line;
	size_t len;

	for (int i = 0; k->reading && i < NAMES_A_SLICE; i++) {
		line = lines_next(&k->lines, &len);
		if (line) {
			symbols_line(&k->symbols, line, len);
			functions_line(&k->functions, line, len);
		} else {
			symbols_finish(&k->symbols);
			functions_end(&k->functions);
			k->reading = 0;
		}
	}
	return k->reading;
}

void kallsyms_read(struct kallsyms *k)
{
	kallsyms_begin_slices(k);
	while (kallsyms_read_slice(k))
		;
}

void kallsyms_prepare_kinds(struct kallsyms *k)
{
	if (functions_known(&k->functions))
		return;
	symbols_clear(&k->symbols);
	symbols_sort(&k->symbols);
	kallsyms_begin_slices(k);
}

/* --- record names: the names in a recorded trace */

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

/* The names are written whenever the table of symbols is full. */
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
