/* SPDX-License-Identifier: MIT */
/* See parts.h, group. */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

#define LETTERS_LEAST 2u

/* The process number of kthreadd, whose children are threads of the kernel. */
#define KTHREADD 2u

int row_serves(const struct ledger *l, enum table t, uint32_t row)
{
	if (t == TABLE_MODULES)
		return kinds_of_module(l->modules.row[row].name) ==
		       KIND_COMPRESSED;
	return l->tasks.row[row].parent_tgid == KTHREADD &&
	       !memcmp(l->tasks.row[row].comm, "kswapd", 6);
}

/* "": in no group. */
static const char *name_of(const struct ledger *l, enum table t, uint32_t row)
{
	return row_is_fixed(t, row) || row_serves(l, t, row) ? "" :
	       t == TABLE_TASKS ? l->tasks.row[row].comm :
	       l->modules.row[row].name;
}

static uint32_t letters(enum table t, const char *name)
{
	uint32_t n = 0;

	while (t == TABLE_MODULES && (name[n] | 0x20) >= 'a' &&
	       (name[n] | 0x20) <= 'z')
		n++;
	return n < LETTERS_LEAST ? MODULE_NAME_BYTES : n + (name[n] == '_');
}

int group_has(const struct ledger *l, const struct group *g, uint32_t row)
{
	const char *name = name_of(l, g->table, row);

	return name[0] && !strncmp(name, name_of(l, g->table, g->row),
				   g->letters);
}

static void add(const struct ledger *l, struct group *g, uint32_t row,
		int at_peak)
{
	const struct module *m = &l->modules.row[row];
	const struct task *k = &l->tasks.row[row];
	const int task = g->table == TABLE_TASKS;
	const uint64_t image = task ? 0 :
			       count_when(&m->image, l->epoch, at_peak);
	const uint64_t vmalloc = count_when(task ? &k->vmalloc : &m->vmalloc,
					    l->epoch, at_peak);
	const uint64_t pages = count_when(task ? &k->pages : &m->pages,
					  l->epoch, at_peak) + image + vmalloc;

	g->rows += pages != 0;
	g->pages += pages;
	g->image_pages += image;
	g->vmalloc_pages += vmalloc;
}

void group_get(const struct report *r, enum table t, int at_peak,
	       struct group *most, struct group *all)
{
	const struct ledger *l = r->ledger;
	struct ranking k = {
		.ledger = l, .table = t, .by_name = 1, .item = l->scratch,
		.capacity = l->scratch_capacity,
	};
	struct group g;

	*most = *all = (struct group){ .table = t };
	for (uint32_t i = 0; i < table_rows(l, t); i++) {
		g = (struct group){ .table = t };
		add(l, &g, i, at_peak);
		if (name_of(l, t, i)[0] && g.rows)
			ranking_offer(&k, i);
	}
	ranking_sort(&k);
	for (uint32_t i = 0; i < k.kept; i++) {
		all->row = k.item[i];
		if (!i || !group_has(l, &g, all->row))
			g = (struct group){
				.table = t, .row = all->row,
				.letters = letters(t, name_of(l, t, all->row)),
			};
		add(l, &g, all->row, at_peak);
		add(l, all, all->row, at_peak);
		if (g.rows > 1 && g.pages > most->pages)
			*most = g;
	}
}

void group_write(struct line *line, const struct ledger *l,
		 const struct group *g)
{
	line_name_within(line, name_of(l, g->table, g->row), g->letters,
			 LINE_BYTES);
	line_str(line, g->letters < MODULE_NAME_BYTES && g->letters ? "*" : "");
}
