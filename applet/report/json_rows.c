/* SPDX-License-Identifier: MIT */
/* Tables of the report for programs: see parts.h, json rows. */
#include "report/parts.h"
#include "report/report.h"

/* Writes the columns of the table, or of stacks. */
static void put_columns(struct sheet *s, const struct shown *shown, enum table t)
{
	const struct table_model *of = &table_models[t];

	for (unsigned int i = of->first; i < of->until; i++)
		if (i < of->always || shown->value[i] != UNKNOWN)
			json_number(s, table_columns[i].key, shown->value[i]);
}

void json_columns(struct sheet *s, const struct shown *shown, enum table t)
{
	put_columns(s, shown, t);
	if (is_sampled(s->ledger))
		json_number(s, "sampled", 1);
}

static void put_leak(struct sheet *s, uint64_t pages, uint64_t objects)
{
	if (pages)
		json_number(s, "leak_pages", pages);
	if (objects)
		json_number(s, "leak_objects", objects);
}

/* Code that has no row of its own, and its module. */
static void put_code(struct sheet *s, const struct shown *r)
{
	const struct ledger *l = s->ledger;
	const uint32_t module = r->table == TABLE_CALLERS ?
				l->areas.caller[r->row].module :
				l->initcalls.row[r->row].module;

	if (r->table == TABLE_CALLERS) {
		line_str(&s->line, ",\"caller\":\"");
		sheet_caller(s, &l->areas.caller[r->row]);
	} else {
		line_str(&s->line, ",\"function\":\"");
		initcall_write(&s->line, s->r, r->row);
	}
	line_char(&s->line, '"');
	json_name(s, "module", !module ? "" :
		  row_name(l, TABLE_MODULES, module));
}

static void put_initcall(struct sheet *s, const struct shown *r)
{
	const struct initcall *i = &s->ledger->initcalls.row[r->row];

	json_columns(s, r, TABLE_INITCALLS);
	json_number(s, "peak_at_most_pages", initcall_exact(i) ?
		    i->pages.peak : i->limit);
	if (s->r->live)		/* for who looks for its name */
		json_number(s, "addr", i->addr);
	json_numbers(s, "runs run_ns", (const uint64_t[]){
		     i->runs ? i->runs : UNKNOWN,
		     i->runs ? i->run_ns : UNKNOWN });
}

/* The module in whose text the site lies, or of its chain. */
static const char *module_of(const struct ledger *l, const struct site *k)
{
	const uint64_t row = k->leaf ? stacks_root(&l->stacks, k->leaf) :
			     stack_addr_retired(k->addr) ?
			     stack_retired_row(k->addr) :
			     modules_at(&l->modules, k->addr - 1);

	return row && row < l->modules.used ?
	       row_name(l, TABLE_MODULES, (uint32_t)row) : "";
}

static void put_site(struct sheet *s, const struct shown *r)
{
	const struct site *k = &s->ledger->slab.sites.row[r->row];

	sheet_site(s, r->row);
	json_name(s, "module", module_of(s->ledger, k));
	if (k->several || r->row == SITE_OTHER)
		json_name(s, "cache", "(several)");
	else
		sheet_cache(s, k->cache);
	json_columns(s, r, TABLE_SITES);
	json_end(s);
	if (!k->leaf || !live_wishes(s->r, TABLE_SITES, r->row))
		return;
	json_begin(s, "slab_stack");
	sheet_site(s, r->row);
	json_frames(s, k->leaf);
}

/* A module, a task or a kind. */
static void put_owner_row(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->ledger;

	if (r->table == TABLE_TASKS) {
		const struct task *k = &g->tasks.row[r->row];

		json_numbers(s, "pid tgid start_ns rss_start_pages",
				(const uint64_t[]){
				k->tid, k->tgid, k->start_ns,
				k->rss_start_pages });
	}
	json_row_name(s, r->table == TABLE_TASKS ? "comm" : "name", r->table,
		      r->row);
	if (r->table == TABLE_KINDS)
		json_number(s, "peak_at_most_pages",
			   is_sampled(g) || kinds_exact(&g->kinds, r->row) ?
			   r->value[PAGES_PEAK] : g->kinds.limit[r->row]);
	else
		json_name(s, "state",
			 row_state(g, r->table, r->row));
	if (r->table == TABLE_MODULES && g->modules.row[r->row].in_use)
		json_number(s, "in_use", 1);
	if (r->count > 1)
		json_number(s, "rows", r->count);
	json_columns(s, r, r->table);
	if (r->table == TABLE_MODULES)
		put_leak(s, r->leak, row_leak_objects(g, r->row));
}

static void show_row(struct sheet *s, const struct shown *r)
{
	json_begin(s, table_name(r->table));
	if (s->r->live)
		json_number(s, "row", r->row);
	switch (r->table) {
	case TABLE_INITCALLS:
		put_code(s, r);
		put_initcall(s, r);
		break;
	case TABLE_CALLERS:	/* counted, even where samples are taken */
		put_code(s, r);
		put_columns(s, r, r->table);
		break;
	case TABLE_SITES:
		put_site(s, r);
		return;
	case TABLE_OBJECTS_OF_MODULES:
		json_row_name(s, "module", r->table, r->row);
		json_columns(s, r, r->table);
		break;
	case TABLE_CACHES:
		sheet_cache(s, r->row);
		json_columns(s, r, r->table);
		break;
	default:
		put_owner_row(s, r);
	}
	json_end(s);
}

static void show_folded(struct sheet *s, const struct shown *folded)
{
	json_begin(s, table_name(folded->table));
	if (folded->table == TABLE_TASKS)
		json_row_name(s, "comm", TABLE_TASKS, folded->row);
	else
		json_name(s, "name", "(failed loads)");
	json_number(s, "rows", folded->count);
	if (folded->table == TABLE_MODULES)
		json_name(s, "state", "failed");
	json_columns(s, folded, folded->table);
	if (folded->table == TABLE_MODULES)
		put_leak(s, folded->leak, 0);
	json_end(s);
}

static void put_owner(struct sheet *s, const struct shown *r)
{
	const int is_module = r->table == TABLE_MODULES;

	if (is_module || row_is_fixed(r->table, r->row))
		line_quoted(&s->line, is_module ? ",\"owner\":\"module:" :
			    ",\"owner\":\"task:",
			    row_name(s->ledger, r->table, r->row));
	else
		line_value(&s->line, ",\"owner\":\"task:%u\"",
			   s->ledger->tasks.row[r->row].tid);
}

static void show_stack(struct sheet *s, const struct shown *k)
{
	json_begin(s, table_name(TABLE_STACKS));
	put_owner(s, k);
	json_columns(s, k, TABLE_STACKS);
	json_frames(s, k->leaf);
}

static void show_others(struct sheet *s, const struct shown *other)
{
	const int stacks = other->kind == SHOWN_OTHER_STACKS;
	const enum table t = stacks ? TABLE_STACKS : other->table;

	json_begin(s, "rest");
	json_name(s, "of", table_name(t));
	if (stacks)
		put_owner(s, other);
	json_number(s, "rows", other->count);
	if (stacks || !is_of_objects(t))
		json_columns(s, other, t);
	if (other->peak)
		json_number(s, "highest_peak_pages", other->peak);
	json_end(s);
}

void json_show(void *context, const struct shown *shown)
{
	struct sheet *s = context;

	switch (shown->kind) {
	case SHOWN_TABLE:
	case SHOWN_GROUP:
		break;
	case SHOWN_ROW:
		show_row(s, shown);
		break;
	case SHOWN_STACK:
		show_stack(s, shown);
		break;
	case SHOWN_FAILED_LOADS:
	case SHOWN_SAME_NAME:
		show_folded(s, shown);
		break;
	default:
		show_others(s, shown);
	}
}

void json_rows(struct sheet *s)
{
	select_walk(s->r, json_show, s);
}
