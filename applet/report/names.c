/*
 * Rows and addresses -> names.
 *
 * What must hold: no name is printed that may be another's. A symbol counts
 * only where it starts in the same module's text as the address lies in (or
 * both in none), not farther away than any function is long: the text of a
 * module that is gone, or of init functions freed since, is below the next
 * live symbol of quite another module.
 */
#include <string.h>
#include "select.h"
#include "symbols.h"

/* The kernel's largest functions have some 20 KiB. */
#define FUNCTION_BYTES_MAX (64u << 10)

uint64_t pages_kib(const struct report *r, uint64_t pages)
{
	uint64_t page_kib = r->session->page_size >> 10;

	return page_kib && pages > UINT64_MAX / page_kib ? UINT64_MAX :
	       pages * page_kib;
}

int row_is_fixed(enum table t, uint32_t row)
{
	return row < (t == TABLE_MODULES ? MODULES_FIXED : TASKS_FIXED);
}

const char *row_name(const struct ledger *l, enum table t, uint32_t row,
		     size_t *size)
{
	const struct module *m = &l->modules.row[row];

	*size = MODULE_NAME_BYTES;
	if (t == TABLE_TASKS && row == TASK_IRQ)
		return "(irq)";
	if (t == TABLE_TASKS && row == TASK_OTHER)
		return "(other)";
	if (t == TABLE_TASKS) {
		*size = COMM_BYTES;
		return l->tasks.row[row].comm;
	}
	if (row == MODULE_NONE)
		return "(no module)";
	if (row == MODULE_OTHER)
		return "(other)";
	if (m->name[0])
		return m->name;
	return m->state == MODULE_LOADING ? "(loading)" : "(failed load)";
}

/* The piece of module text that an address lies in, or NULL. */
static const struct module_range *range_at(const struct modules *m,
					   uint64_t addr)
{
	uint32_t low = 0, high = m->ranges;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (m->range[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < m->ranges && m->range[low].base <= addr ?
	       &m->range[low] : NULL;
}

static size_t name_length(const struct symbol *s)
{
	size_t n = 0;

	while (n < SYMBOL_BYTES && s->name[n] && s->name[n] != ' ')
		n++;
	return n;
}

/* The module that kallsyms names, if it does, is the ledger's. */
static int same_module(const struct symbol *s, const char *module, size_t size)
{
	size_t from = name_length(s), n = strnlen(module, size);
	size_t len = strnlen(s->name, SYMBOL_BYTES);

	return from == len || (len == from + n + 3 &&
			       !memcmp(s->name + from + 2, module, n));
}

static const struct symbol *symbol_of(const struct report *r, uint64_t addr,
				      const struct module_range *range)
{
	const struct symbol *s = symbols_find(r->symbols, addr);
	const char *module;
	size_t size;

	if (!s || !s->start || s->start >= addr ||
	    addr - s->start > FUNCTION_BYTES_MAX ||
	    range_at(&r->ledger->modules, s->start) != range)
		return NULL;
	if (!range)
		return s;
	module = row_name(r->ledger, TABLE_MODULES, range->row, &size);
	return same_module(s, module, size) ? s : NULL;
}

int frame_write(struct line *l, const struct report *r, uint64_t addr,
		enum escape e)
{
	/* A return address belongs to the call before it: symbols.h. */
	const struct module_range *range = range_at(&r->ledger->modules,
						    addr - 1);
	const struct symbol *s = symbol_of(r, addr, range);
	size_t size, name_len = s ? name_length(s) : 0;

	if (s) {
		line_name(l, s->name, name_len, LINE_BYTES, e);
		line_char(l, '+');
		line_hex(l, addr - s->start);
	} else {
		line_hex(l, addr);
	}
	if (range) {
		const char *module = row_name(r->ledger, TABLE_MODULES,
					      range->row, &size);
		line_str(l, " [");
		line_name(l, module, size, LINE_BYTES, e);
		line_char(l, ']');
	} else if (s) {
		line_name(l, s->name + name_len, SYMBOL_BYTES - name_len,
			  LINE_BYTES, e);
	}
	return s != NULL;
}
