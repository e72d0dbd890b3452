/* SPDX-License-Identifier: MIT */
/*
 * The report for programs: one JSON object a line, each whole and shorter than
 * LINE_BYTES. Names are bounded so that everything else always fits, even the
 * largest numbers. A call chain that does not fit continues in the next line.
 *
 * Names are bytes, not text: each byte outside of printable ASCII is \u00NN.
 */
#include "report/parts.h"
#include "report/report.h"

static const char *const page_names[PAGES_IN_JSON] = {
	[PAGES_NOW] = "now_pages",
	[PAGES_PEAK] = "peak_pages",
	[PAGES_AT_PEAK] = "at_peak_pages",
	[PAGES_IMAGE] = "image_pages",
	[PAGES_VMALLOC] = "vmalloc_pages",
	[PAGES_IMAGE_PEAK] = "image_peak_pages",
	[PAGES_VMALLOC_PEAK] = "vmalloc_peak_pages",
	[PAGES_HELD] = "held_pages",
	[PAGES_HELD_PEAK] = "held_peak_pages",
	[PAGES_HELD_AT_PEAK] = "held_at_peak_pages",
};

/* The number of page counts in a row. */
static const unsigned char page_counts[TABLES] = {
	[TABLE_MODULES] = PAGES_IN_JSON,
	[TABLE_TASKS] = PAGES_IN_TASKS,
	[TABLE_KINDS] = PAGES_IN_TASKS,
	[TABLE_INITCALLS] = PAGES_IN_TASKS,
	[TABLE_CALLERS] = PAGES_AT_PEAK,
};

/* Writes those that this kind of line has. */
static void put_pages(struct sheet *s, const struct shown *shown,
		      unsigned int counts)
{
	for (unsigned int i = 0; i < counts; i++)
		json_number(s, page_names[i], shown->pages[i]);
	for (unsigned int i = counts; i < PAGES_IN_JSON &&
	     counts == PAGES_IN_TASKS && shown->table == TABLE_TASKS; i++)
		if (shown->pages[i] != UNKNOWN)
			json_number(s, page_names[i], shown->pages[i]);
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

/* Ends the line after the row's function. */
static void put_initcall(struct sheet *s, const struct shown *r)
{
	const struct initcall *i = &s->ledger->initcalls.row[r->row];

	put_pages(s, r, PAGES_IN_TASKS);
	json_number(s, "peak_at_most_pages", initcall_exact(i) ?
		    i->pages.peak : i->limit);
	if (s->r->live)		/* for who looks for its name */
		json_number(s, "addr", i->addr);
	json_numbers(s, "runs run_ns", (const uint64_t[]){
		     i->runs ? i->runs : UNKNOWN,
		     i->runs ? i->run_ns : UNKNOWN });
	json_end(s);
}

static void show_row(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->ledger;
	const char *name = "name";

	json_begin(s, table_name(r->table));
	if (s->r->live)
		json_number(s, "row", r->row);
	if (r->table >= TABLE_INITCALLS) {
		put_code(s, r);
		if (r->table == TABLE_INITCALLS)
			put_initcall(s, r);
		else
			sheet_line(s, ",\"now_pages\":%u,\"peak_pages\":%u}",
				   r->pages);
		return;
	}
	if (r->table == TABLE_TASKS) {
		const struct task *k = &g->tasks.row[r->row];

		json_numbers(s, "pid tgid start_ns rss_start_pages",
				(const uint64_t[]){
				k->tid, k->tgid, k->start_ns,
				k->rss_start_pages });
		name = "comm";
	}
	json_row_name(s, name, r->table, r->row);
	if (r->table == TABLE_KINDS)
		json_number(s, "peak_at_most_pages",
			   is_sampled(g) || kinds_exact(&g->kinds, r->row) ?
			   r->pages[PAGES_PEAK] : g->kinds.limit[r->row]);
	else
		json_name(s, "state",
			 row_state(g, r->table, r->row));
	if (r->table == TABLE_MODULES && g->modules.row[r->row].in_use)
		json_number(s, "in_use", 1);
	if (r->count > 1)
		json_number(s, "rows", r->count);
	put_pages(s, r, page_counts[r->table]);
	if (r->table == TABLE_MODULES)
		put_leak(s, r->leak, row_leak_objects(g, r->row));
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
	put_pages(s, folded, page_counts[folded->table]);
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
	json_begin(s, table_name(TABLES));
	put_owner(s, k);
	put_pages(s, k, PAGES_AT_PEAK);
	json_frames(s, k->leaf);
}

static void show_others(struct sheet *s, const struct shown *other)
{
	int stacks = other->kind == SHOWN_OTHER_STACKS;

	json_begin(s, "rest");
	json_name(s, "of", table_name(stacks ? TABLES : other->table));
	if (stacks)
		put_owner(s, other);
	json_number(s, "rows", other->count);
	put_pages(s, other, stacks ? PAGES_AT_PEAK : page_counts[other->table]);
	if (other->peak)
		json_number(s, "highest_peak_pages", other->peak);
	json_end(s);
}

static void show(void *context, const struct shown *shown)
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

/* Slab caches, as samples of /proc/slabinfo showed them. */
static void put_caches(struct sheet *s)
{
	const struct samples *p = &s->ledger->samples;

	for (uint32_t i = 0; i < p->caches; i++) {
		const struct count *c = &p->cache[i].pages;
		const struct shown row = { .pages = {
			c->now, c->peak, count_at_peak(c, s->ledger->epoch),
		} };

		json_begin(s, "cache");
		json_name(s, "name", p->cache[i].name);
		put_pages(s, &row, PAGES_IN_TASKS);
		json_end(s);
	}
}

void json_rows(struct sheet *s)
{
	select_walk(s->r, show, s);
}

static void json(struct sheet *s)
{
	json_head(s);
	json_rows(s);
	put_caches(s);
	slab_write(s);
	moment_timeline(s);
	json_picture(s);
	json_advice(s);
	if (has_feature(FEATURE_RAM))
		ram_json(s);
	json_finish(s);
}

void report_json(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_JSON, json);
}

static void live(struct sheet *s)
{
	json_head_line(s);
	select_walk(s->r, show, s);
	if (ledger_has_objects(s->ledger))
		slab_table_write(s, SLAB_SITES);
	json_finish(s);
}

void report_live(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_JSON, live);
}
