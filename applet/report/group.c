/* SPDX-License-Identifier: MIT */
/* See parts.h, group. */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

#define SAME_NAME 3u		/* two of them are two rows either way */
#define LETTERS_LEAST 2u
#define GROUP_LEVELS 2u		/* of directories */
#define FROM_LEVELS 3u

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

/* How many bytes of a module's directory so many levels are. */
static uint32_t dir_bytes(const struct ledger *l, uint32_t row,
			  uint32_t levels)
{
	const char *dir = module_dir(&l->modules.row[row]);
	uint32_t n = 0;

	while (dir[n] && (dir[n] != '/' || --levels))
		n++;
	return n;
}

/* Have both the same directory, to so many levels? */
static int same_dir(const struct ledger *l, uint32_t a, uint32_t b,
		    uint32_t levels)
{
	const uint32_t n = dir_bytes(l, a, levels);

	return n && n == dir_bytes(l, b, levels) &&
	       !memcmp(module_dir(&l->modules.row[a]),
		       module_dir(&l->modules.row[b]), n);
}

int group_has(const struct ledger *l, const struct group *g, uint32_t row)
{
	const char *name = name_of(l, g->table, row);

	if (g->dir)
		return name[0] && same_dir(l, g->row, row, GROUP_LEVELS);
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
	const uint64_t pages = row_holds(l, g->table, row, at_peak);

	g->rows += pages != 0;
	g->pages += pages;
	g->image_pages += image;
	g->vmalloc_pages += vmalloc;
}

static int holds(const struct ledger *l, enum table t, uint32_t row,
		 int at_peak)
{
	return row_holds(l, t, row, at_peak) && name_of(l, t, row)[0];
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
		if (holds(l, t, i, at_peak))
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

void group_of_dir(const struct report *r, int at_peak, struct group *most)
{
	const struct ledger *l = r->ledger;

	*most = (struct group){ .table = TABLE_MODULES };
	for (uint32_t i = 0; i < l->modules.used; i++) {
		struct group g = {
			.table = TABLE_MODULES, .row = i,
			.dir = dir_bytes(l, i, GROUP_LEVELS),
		};

		if (!g.dir || (most->rows && group_has(l, most, i)))
			continue;
		for (uint32_t j = i; j < l->modules.used; j++)
			if (group_has(l, &g, j))
				add(l, &g, j, at_peak);
		if (g.rows > 1 && g.pages > most->pages)
			*most = g;
	}
}

/* A directory of more than half is the one that is left when each row takes a
 * row of another directory away. */
void group_find_from(const struct ledger *l, struct group *g, int at_peak)
{
	for (uint32_t levels = FROM_LEVELS; levels && !g->from; levels--) {
		uint32_t left = 0, same = 0;

		for (uint32_t i = 0; i < l->modules.used; i++) {
			if (!*module_dir(&l->modules.row[i]) ||
			    !group_has(l, g, i) ||
			    !holds(l, TABLE_MODULES, i, at_peak))
				continue;
			if (!left)
				g->from_row = i;
			left += same_dir(l, g->from_row, i, levels) ? 1 : -1u;
		}
		for (uint32_t i = 0; left && i < l->modules.used; i++)
			same += same_dir(l, g->from_row, i, levels) &&
				group_has(l, g, i) &&
				holds(l, TABLE_MODULES, i, at_peak);
		if (2 * same > g->rows)
			g->from = dir_bytes(l, g->from_row, levels);
	}
}

/* Names that are not plain take more room. */
#define DIR_ROOM 60u

static void write_dir(struct line *line, const struct ledger *l, uint32_t row,
		      uint32_t bytes)
{
	line_name_within(line, module_dir(&l->modules.row[row]), bytes,
			 DIR_ROOM);
}

void group_write_from(struct line *line, const struct ledger *l,
		      const struct group *g)
{
	write_dir(line, l, g->from_row, g->from);
}

void group_write(struct line *line, const struct ledger *l,
		 const struct group *g)
{
	if (g->dir) {
		write_dir(line, l, g->row, g->dir);
		return;
	}
	line_name_within(line, name_of(l, g->table, g->row), g->letters,
			 LINE_BYTES);
	line_str(line, g->letters < MODULE_NAME_BYTES && g->letters ? "*" : "");
}

/* --- rows of one name */

/* May it be one row with others of its name? Tasks whose names nobody knows have
 * not one name. Of modules only loads that are over and leak nothing. */
static int has_like(const struct ledger *l, enum table t, uint32_t row)
{
	if (t == TABLE_TASKS)
		return row >= TASKS_FIXED && l->tasks.row[row].comm[0];
	return t == TABLE_MODULES && l->modules.row[row].state == MODULE_GONE &&
	       !row_leak(l, row) && !row_leak_objects(l, row);
}

int group_same_name(const struct ledger *l, enum table t, uint32_t a,
		    uint32_t b)
{
	return has_like(l, t, a) && has_like(l, t, b) &&
	       !strcmp(row_name(l, t, a), row_name(l, t, b));
}

/* A group's words come from the end of the scratch, as long as there is room. */
static int make_group(struct ranking *k, uint32_t first, uint64_t pages)
{
	const uint32_t item = ITEM_GROUP | k->groups;
	uint32_t *group;

	if (k->offered + 2 * (k->groups + 1) > k->ledger->scratch_capacity)
		return 0;
	group = item_group(k, item);
	k->groups++;
	group[0] = first;
	group[1] = (uint32_t)pages;
	return 1;
}

/* Of the rows with one name, which are sorted: the first that may be one row
 * with others, how many are, and what they hold. */
static uint32_t count_like(const struct ranking *k, uint32_t i, uint32_t end,
			   uint32_t *first, uint64_t *pages)
{
	uint32_t count = 0;

	*pages = 0;
	for (; i < end; i++) {
		if (!has_like(k->ledger, k->table, k->item[i]))
			continue;
		*first = count++ ? *first : k->item[i];
		*pages += row_shown(k, k->item[i]);
	}
	return count;
}

void group_by_name(struct ranking *k)
{
	const uint32_t least = k->table == TABLE_TASKS ? SAME_NAME : 2;
	uint32_t kept = 0, end, first;
	uint64_t pages;

	ranking_sort(k);
	for (uint32_t i = 0; i < k->kept; i = end) {
		int grouped;

		for (end = i + 1; end < k->kept &&
		     !strcmp(row_name(k->ledger, k->table, k->item[i]),
			     row_name(k->ledger, k->table, k->item[end]));)
			end++;
		grouped = count_like(k, i, end, &first, &pages) >= least &&
			  make_group(k, first, pages);
		for (uint32_t j = i; j < end; j++)
			if (!grouped ||
			    !has_like(k->ledger, k->table, k->item[j]))
				k->item[kept++] = k->item[j];
		if (grouped)
			k->item[kept++] = ITEM_GROUP | (k->groups - 1);
	}
	k->kept = kept;
}
