/* SPDX-License-Identifier: MIT */
/*
 * Rows and addresses -> names: see report.h, names.
 *
 * What must hold: no name is printed that may belong to other code. A symbol
 * counts only if it starts in the text of the same module as the address (or if
 * both lie in no module), and not farther away than the longest function. The
 * reason: the text of a module that is gone, or a freed init function, lies
 * above a live symbol of quite another module.
 */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

/* The kernel's largest functions have some 20 KiB. */
#define FUNCTION_BYTES_MAX (64u << 10)

int row_is_fixed(enum table t, uint32_t row)
{
	return t < TABLE_KINDS &&
	       row < (t == TABLE_MODULES ? MODULES_FIXED : TASKS_FIXED);
}

const char *table_name(enum table t)
{
	return table_models[t].type;
}

const char *row_name(const struct ledger *l, enum table t, uint32_t row)
{
	const struct module *m;

	if (t == TABLE_CALLERS)
		return l->areas.caller[row].name;
	if (t == TABLE_TASKS)
		return l->tasks.row[row].comm;
	if (t == TABLE_KINDS)
		return kind_name(row);
	if (t == TABLE_INITCALLS)
		return row == INITCALL_OTHER ? "(other)" : "";
	m = &l->modules.row[row];
	if (m->name[0])
		return m->name;
	return m->state == MODULE_LOADING ? "(loading)" : "(failed load)";
}

const char *row_name_at(const struct ledger *l, enum table t, uint32_t row,
			uint64_t time_ns)
{
	const uint64_t since_ns = t == TABLE_TASKS ?
				  l->tasks.row[row].start_ns :
				  l->modules.row[row].load_ns;

	return since_ns > time_ns ? "(gone)" : row_name(l, t, row);
}

const char *row_state(const struct ledger *l, enum table t, uint32_t row)
{
	static const char *const module_states[] = {
		[MODULE_UNUSED] = "",
		[MODULE_LOADING] = "loading",
		[MODULE_LIVE] = "live",
		[MODULE_FAILED] = "failed",
		[MODULE_GONE] = "gone",
	};

	if (row_is_fixed(t, row))
		return "fixed";
	if (of_books(l))
		return "";
	if (t == TABLE_MODULES)
		return module_states[l->modules.row[row].state];
	return l->tasks.row[row].state == TASK_EXITED ? "exited" : "live";
}

/* The length without the " [module]" at the end. */
static size_t name_length(const struct symbol *s)
{
	size_t n = 0;

	while (s->name[n] && s->name[n] != ' ')
		n++;
	return n;
}

/* Does kallsyms give this symbol the same module, or none in both cases?
 * "[__builtin__ftrace]" means none: this is code that the kernel generates and
 * places among modules, so that it may lie right below a module that is
 * gone. */
static int same_module(const struct symbol *s, const char *module)
{
	const char *behind = s->name + name_length(s);
	size_t n = strlen(module);

	if (!n)
		return !*behind || behind[2] != '_';
	return !*behind || (strlen(behind) == n + 3 &&
			    !memcmp(behind + 2, module, n));
}

int symbol_is_of(const struct symbol *s, uint64_t addr, const char *module)
{
	return s->start && addr - s->start <= FUNCTION_BYTES_MAX &&
	       same_module(s, module);
}

static const struct symbol *symbol_of(const struct report *r, uint64_t addr,
				      const struct module_range *range)
{
	const struct symbol *s = symbols_find(r->symbols, addr);

	/* Freed init text: the kernel keeps only some of its names. */
	if (!s || (range && range->init) ||
	    modules_range_at(&r->ledger->modules, s->start) != range)
		return NULL;
	return symbol_is_of(s, addr, range ? row_name(r->ledger, TABLE_MODULES,
						      range->row) : "") ?
	       s : NULL;
}

/* Code whose place other code has taken. If its module is still there, it was
 * init text. *addr becomes the offset. "" if somebody made this trace up. */
static const char *retired_code(const struct modules *m, uint64_t *addr,
				uint32_t *row)
{
	const uint64_t was = *addr - STACKS_RETIRED;
	const uint64_t at = was >> STACKS_RETIRED_SHIFT;

	if (at >= m->used)
		return "";
	*row = (uint32_t)at;
	*addr = was - (at << STACKS_RETIRED_SHIFT);
	return m->row[at].state == MODULE_LIVE ? "(init)+" : "(gone)+";
}

void row_write(struct line *l, const struct ledger *g, enum table t,
	       uint32_t row)
{
	line_name(l, row_name(g, t, row));
	if (t == TABLE_TASKS)
		line_value(l, "[%u]", g->tasks.row[row].tid);
}

void module_write(struct line *l, const struct ledger *g, uint32_t row)
{
	line_str(l, " [");
	row_write(l, g, TABLE_MODULES, row);
	line_char(l, ']');
}

/* The module is *row, or what kallsyms has behind the name. */
static int write_code(struct line *l, const struct report *r, uint64_t addr,
		      uint32_t *row, const char **behind)
{
	const struct modules *m = &r->ledger->modules;
	/* A return address belongs to the call before it: report.h, symbols. */
	const struct module_range *range = modules_range_at(m, addr - 1);
	const struct symbol *s = symbol_of(r, addr, range);
	const char *code = "";

	*row = range ? range->row : 0;
	*behind = "";
	if (s) {
		line_name_within(l, s->name, name_length(s), LINE_BYTES);
		*behind = s->name + name_length(s);
		code = "+";
		addr -= s->start;
	} else if (range && range->init) {
		code = "(init)+";
		addr -= range->base;
	} else if (stack_addr_retired(addr)) {
		code = retired_code(m, &addr, row);
	}
	line_str(l, code);
	if (!*code && r->hide_addresses)
		line_str(l, "(hidden)");
	else
		line_fill(l, "%x", &addr);
	return *code != '\0';
}

int code_write(struct line *l, const struct report *r, uint64_t addr)
{
	const char *behind;
	uint32_t row;

	return write_code(l, r, addr, &row, &behind);
}

void initcall_write(struct line *l, const struct report *r, uint32_t row)
{
	const struct initcall *i = &r->ledger->initcalls.row[row];
	const struct module_range *range =
		modules_range_at(&r->ledger->modules, i->addr - 1);
	const struct symbol *s = NULL;

	if (row == INITCALL_OTHER) {
		line_str(l, row_name(r->ledger, TABLE_INITCALLS, row));
		return;
	}
	if (!i->module || (range && range->row == i->module))
		s = symbol_of(r, i->addr, range);
	if (s)
		line_name_within(l, s->name, name_length(s), LINE_BYTES);
	else if (i->module)
		line_str(l, "(init)");
	else if (r->hide_addresses)
		line_str(l, "(hidden)");
	else
		line_fill(l, "%x", i->base ? &i->base : &i->addr);
}

int frame_write(struct line *l, const struct report *r, uint64_t addr)
{
	const char *behind;
	uint32_t row;
	int named = write_code(l, r, addr, &row, &behind);

	if (row)
		module_write(l, r->ledger, row);
	else
		line_name(l, behind);
	return named;
}
