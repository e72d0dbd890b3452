/* SPDX-License-Identifier: MIT */
/* Names for the addresses in a picture: see top.h, naming. */
#include "base/system.h"
#include "report/report.h"
#include "top/top.h"

int naming_init(struct naming *n, struct arena *a)
{
	return symbols_init(&n->symbols, a, NAMES_MAX);
}

/* The next address of the rows or frames, from *at on; 0: none. */
static uint64_t next_address(const struct top_picture *p, enum top_table t, int stacks, uint32_t *at)
{
	const uint32_t used = stacks ? p->stacks.frames : p->table[t].used;
	uint64_t addr = 0;

	while (*at < used && !addr) {
		addr = stacks ? p->stacks.frame[*at].addr :
				p->table[t].row[*at].addr;
		(*at)++;
	}
	return addr;
}

static int all_known(const struct naming *n, const struct top_picture *p,
		     enum top_table t, int stacks)
{
	uint32_t at = 0;
	uint64_t addr;

	while ((addr = next_address(p, t, stacks, &at)))
		if (!symbols_find(&n->symbols, addr))
			return 0;
	return 1;
}

static void take_name(void *context, char *line, size_t len)
{
	struct symbols *s = context;

	symbols_line(s, line, len);
}

/* If there are too many, those without room stay addresses, and are looked for
 * each time. */
void naming_look(struct naming *n, const struct top_picture *p,
		 enum top_table t, int stacks)
{
	struct symbols *s = &n->symbols;
	uint32_t at = 0;
	uint64_t addr;

	if (all_known(n, p, t, stacks))
		return;
	symbols_clear(s);
	for (int frames = 0; frames < 2; frames++, at = 0)
		while ((addr = next_address(p, t, frames, &at)))
			symbols_add(s, addr);
	symbols_sort(s);
	symbols_begin(s);
	each_line("/proc/kallsyms", take_name, s);
	symbols_finish(s);
}

/* "0xffffffffc0123456 [xfs]" is of the module xfs. */
static void module_in(const char *told, char *module, size_t size)
{
	const char *open = told + length_to(told, '[');
	struct word w = { *open ? open + 1 : "", 0 };

	w.len = length_to(w.at, ']');
	word_copy(&w, module, size);
}

void naming_write(const struct naming *n, struct line *l, const char *told,
		  uint64_t addr, int offset)
{
	const struct symbol *s = addr ? symbols_find(&n->symbols, addr) : NULL;
	char module[MODULE_NAME_BYTES];

	module_in(told, module, sizeof(module));
	if (!s || !symbol_is_of(s, addr, module)) {
		line_str(l, told);
		return;
	}
	line_name_within(l, s->name, length_to(s->name, ' '), LINE_BYTES);
	if (offset)
		line_value(l, "+%x", addr - s->start);
	if (*module)
		line_str(l, told + length_to(told, ' '));
}
