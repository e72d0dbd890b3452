/* SPDX-License-Identifier: MIT */
/* Tables of the report for people: see parts.h, text rows. */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

#define RUN_TIME_COLUMN (NAME_COLUMN + 4 * FIGURE_COLUMNS)
#define NS_PER_MS 1000000u

/* The columns that have a heading: those in which the table has figures. */
static uint32_t headed(const struct ledger *l, enum table t)
{
	if (of_books(l))
		return 1;
	if (t == TABLE_TASKS && !l->areas.charged.peak)
		return 3;
	return t == TABLE_CALLERS ? 2 : table_models[t].columns;
}

static void put_headings(struct sheet *s, enum table t)
{
	const struct ledger *l = s->ledger;
	const uint32_t count = headed(l, t);
	size_t end;

	line_pad(&s->line, NAME_COLUMN);
	end = s->line.len;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t column = table_models[t].column[i];
		const char *text = table_columns[column].heading;
		const size_t from = s->line.len;

		if (column != PAGES_KIND_IMAGE || !is_sampled(l))
			line_str(&s->line, text + (*text == '~' &&
						   !l->total.lost));
		line_right(&s->line, from, end += FIGURE_COLUMNS);
	}
	line_str(&s->line, t == TABLE_INITCALLS ? "  run time" :
		 t == TABLE_SITES ? "  cache" : "");
	if (t < TABLE_KINDS && (of_books(l) ||
				(l->kinds.known && !is_sampled(l))))
		line_str(&s->line, of_books(l) ? "  mostly" : "  now mostly");
	sheet_emit(s);
}

/* Adds the figures of a row behind its name. */
static void put_figures(struct sheet *s, const struct shown *r, enum table t)
{
	const struct table_model *of = &table_models[t];
	size_t end = NAME_COLUMN;

	for (uint32_t i = 0; i < of->columns; i++) {
		const uint64_t v = r->value[of->column[i]];
		const char unit = table_columns[of->column[i]].unit;
		/* A few objects take less than a KiB. */
		const char *mark = unit == 'b' && v && v < 10000 ? "%uB" :
				   (const char[]){ '%', unit, '\0' };

		end += FIGURE_COLUMNS;
		if (v != UNKNOWN)
			line_figure(&s->line, end, mark, v);
	}
	if (t == TABLE_MODULES && r->value[PAGES_KIND_VMALLOC] == UNKNOWN &&
	    !of_books(s->ledger))
		line_str(&s->line, "       -       -");
}

void text_table(struct sheet *s, const struct shown *t)
{
	const struct table_model *of = &table_models[t->table];

	if (s->line.len || (of_books(s->ledger) && t->table != TABLE_TASKS))
		line_str(&s->line, of->type);
	else
		line_str(&s->line, is_sampled(s->ledger) && of->sampled_title ?
			 of->sampled_title : of->title);
	put_headings(s, t->table);
}

/* The kinds of what the row holds now, or all tasks of its name. */
static void put_kinds(struct sheet *s, const struct shown *r)
{
	const struct ledger *l = s->ledger;
	uint64_t pages[KINDS], more[KINDS];
	const size_t start = s->line.len;

	if (!l->kinds.known || is_sampled(l) ||
	    (r->kind == SHOWN_ROW && r->count > 1))
		return;
	kinds_of_row(l, r->table, r->row, 0, pages);
	for (uint32_t i = TASKS_FIXED; r->kind == SHOWN_GROUP &&
	     i < l->tasks.used; i++) {
		if (i == r->row || strcmp(l->tasks.row[i].comm,
					  l->tasks.row[r->row].comm))
			continue;
		kinds_of_row(l, TABLE_TASKS, i, 0, more);
		for (uint32_t k = 0; k < KINDS; k++)
			pages[k] += more[k];
	}
	line_str(&s->line, "  ");
	if (!kinds_write(&s->line, pages, LARGEST_KINDS))
		s->line.len = start;
}

static void put_initcall(struct sheet *s, uint32_t row)
{
	initcall_write(&s->line, s->r, row);
	if (s->ledger->initcalls.row[row].module)
		module_write(&s->line, s->ledger,
			     s->ledger->initcalls.row[row].module);
}

/* More may have been held before the functions were known. */
static void put_runs(struct sheet *s, uint32_t row)
{
	const struct initcall *i = &s->ledger->initcalls.row[row];

	line_figure(&s->line, RUN_TIME_COLUMN, i->runs ? "%m ms" : "-",
		    i->run_ns / (NS_PER_MS / 10));
	if (row == INITCALL_OTHER)
		line_str(&s->line, "  no room: raise rd.memstrack.stacks");
	if (!initcall_exact(i))
		line_value(&s->line, "  peak at most %p", i->limit);
}

/* More may have been held before the kinds were known. */
static void put_doubts(struct sheet *s, uint32_t kind)
{
	const uint64_t limit = s->ledger->kinds.limit[kind];

	if (is_sampled(s->ledger)) {
		line_str(&s->line, kind == KIND_OTHER ?
			 "  by a driver or the kernel itself" : "");
		return;
	}
	if (kind == KIND_ANON && !stackless_is_anonymous(s->ledger))
		line_str(&s->line, "  or their stack was not kept");
	if (!kinds_exact(&s->ledger->kinds, kind))
		line_fill(&s->line, "  peak at most %p", &limit);
}

static void put_leak(struct sheet *s, uint64_t pages, uint64_t objects)
{
	if (pages)
		line_value(&s->line, ", still holds %p", pages);
	if (objects)
		line_value(&s->line, pages ? " and %u object%s of slab" :
			   ", still holds %u object%s of slab", objects);
}

/* Adds what the figures of a row do not show. */
static void put_remark(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->ledger;
	const char *state = row_state(g, r->table, r->row);
	uint64_t rss;

	if (strcmp(state, "live")) {
		line_str(&s->line, "  ");
		line_str(&s->line, state);
	}
	if (r->table == TABLE_MODULES) {
		put_leak(s, r->leak, row_leak_objects(g, r->row));
		if (r->count > 1)
			line_value(&s->line, ", %u loads", r->count);
		return;
	}
	rss = g->tasks.row[r->row].rss_start_pages;
	if (rss)
		line_fill(&s->line, "  had %p at start", &rss);
}

static void put_caller(struct sheet *s, const struct caller *c)
{
	sheet_caller(s, c);
	if (c->module)
		module_write(&s->line, s->ledger, c->module);
}

static void put_name(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->ledger;

	if (r->table == TABLE_CALLERS)
		put_caller(s, &g->areas.caller[r->row]);
	else if (r->table == TABLE_INITCALLS)
		put_initcall(s, r->row);
	else if (has_feature(FEATURE_SLAB) && r->table == TABLE_SITES)
		sheet_site(s, r->row);
	else if (has_feature(FEATURE_SLAB) && r->table == TABLE_CACHES)
		sheet_cache(s, r->row);
	else {
		line_str(&s->line, r->of_group ? "  " : "");
		line_name(&s->line, row_name(g, r->table, r->row));
	}
	if (r->table == TABLE_TASKS && !row_is_fixed(r->table, r->row))
		line_value(&s->line, "[%u]", g->tasks.row[r->row].tid);
}

/* Ends the line of a site with the cache of its objects; its chain follows. */
static void end_site(struct sheet *s, uint32_t row)
{
	const struct site *site = &s->ledger->slab.sites.row[row];

	if (row != SITE_OTHER)
		line_str(&s->line, site->several ? "  (several)" : "  ");
	if (row != SITE_OTHER && !site->several)
		sheet_cache(s, site->cache);
	sheet_emit(s);
	if (site->leaf && s->r->level > 1)
		text_frames(s, site->leaf);
}

static void put_row(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->ledger;

	put_name(s, r);
	put_figures(s, r, r->table);
	if (has_feature(FEATURE_SLAB) && r->table == TABLE_SITES) {
		end_site(s, r->row);
		return;
	}
	if (r->table == TABLE_KINDS)
		put_doubts(s, r->row);
	else if (r->table == TABLE_INITCALLS)
		put_runs(s, r->row);
	else if (r->table < TABLE_KINDS)
		put_kinds(s, r);
	if (r->table < TABLE_KINDS && !row_is_fixed(r->table, r->row) &&
	    !of_books(g))
		put_remark(s, r);
	sheet_emit(s);
}

/* All tasks of one name; the next line is the largest of them. */
static void put_group(struct sheet *s, const struct shown *all)
{
	line_name(&s->line, row_name(s->ledger, all->table, all->row));
	line_value(&s->line, " x %u", all->count);
	put_figures(s, all, TABLE_TASKS);
	put_kinds(s, all);
	sheet_emit(s);
}

static void put_failed_loads(struct sheet *s, const struct shown *loads)
{
	line_value(&s->line, "(failed loads: %u)", loads->count);
	put_figures(s, loads, TABLE_MODULES);
	line_fill(&s->line, loads->leak ? "  failed, still hold %u page%s" :
					  "  failed", &loads->leak);
	sheet_emit(s);
}

/* Stacks of modules come first, each with its number; a task's stack that is
 * among them is that number. */
static int refers(struct sheet *s, const struct shown *k)
{
	uint32_t i = 0;

	if (k->table == TABLE_MODULES) {
		if (s->shown_leaves < REFERRED_MAX)
			s->shown_leaf[s->shown_leaves++] = k->leaf;
		return 0;
	}
	while (i < s->shown_leaves && s->shown_leaf[i] != k->leaf)
		i++;
	return s->all_leaves || i < s->shown_leaves;
}

static void show_stack(struct sheet *s, const struct shown *k)
{
	const struct ledger *g = s->ledger;
	int framed;

	line_str(&s->line, "  ");
	framed = sheet_stack(s, k);
	if (framed && k->table == TABLE_MODULES)
		line_value(&s->line, ", #%u", k->leaf);
	put_figures(s, k, TABLE_STACKS);
	if (framed && refers(s, k)) {
		line_value(&s->line, "  #%u of ", k->leaf);
		line_name(&s->line, row_name(g, TABLE_MODULES,
					     stacks_root(&g->stacks, k->leaf)));
		framed = 0;
	} else if (!framed && k->leaf != NO_LEAF) {
		line_char(&s->line, ' ');
		module_write(&s->line, g, k->leaf);
	} else if (!framed && stackless_is_anonymous(g)) {
		line_str(&s->line, "  first touches of anonymous memory");
	}
	sheet_emit(s);
	if (framed)
		text_frames(s, k->leaf);
}

static void show_others(struct sheet *s, const struct shown *other)
{
	const enum table t = other->kind == SHOWN_OTHER_STACKS ? TABLE_STACKS :
								 other->table;

	line_value(&s->line, table_models[t].others, other->count);
	put_figures(s, other, t);
	if (other->peak && other->table < TABLE_KINDS) {
		line_value(&s->line, "  peak up to %p: ", other->peak);
		row_write(&s->line, s->ledger, other->table, other->row);
	}
	sheet_emit(s);
}

void text_show(void *context, const struct shown *shown)
{
	struct sheet *s = context;

	switch (shown->kind) {
	case SHOWN_TABLE:
		text_table(s, shown);
		break;
	case SHOWN_ROW:
		put_row(s, shown);
		break;
	case SHOWN_STACK:
		show_stack(s, shown);
		break;
	case SHOWN_FAILED_LOADS:
		put_failed_loads(s, shown);
		break;
	case SHOWN_GROUP:
		put_group(s, shown);
		break;
	case SHOWN_SAME_NAME:
		break;
	default:
		show_others(s, shown);
	}
}
