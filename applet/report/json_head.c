/* SPDX-License-Identifier: MIT */
/*
 * The first lines of the report for programs: the head, the answer, the
 * counters, and what was used before.
 */
#include "report/report.h"
#include "report/parts.h"

/* The bytes for names that the longest line of a kind leaves. */
#define KERNEL_ROOM 110u
#define REASON_ROOM 50u
#define SOURCE_ROOM 20u
#define STATE_ROOM 20u
#define NOTE_ROOM 800u
#define KINDS_IN_VERDICT 3

static void baseline(struct sheet *s)
{
	const struct ledger *l = s->ledger;

	for (uint32_t i = 0; i < l->figures; i++) {
		const struct figure_kib *f = &l->figure[i];

		json_begin(s, is_limit(f->name) ? "limit" : "baseline");
		json_name(s, "name", f->name);
		json_number(s, is_limit(f->name) ? "limit_kib" : "size_kib",
			    f->kib);
		json_end(s);
	}
}

/* "function [module] file:line" as two members. */
static void tags(struct sheet *s)
{
	const struct tag_rows *t = &s->ledger->tags;

	for (uint32_t i = 0; i < t->used; i++) {
		const struct tag_row *row = &t->row[i];
		const char *place = past_last(row->name, ' ');
		const int has_place = place > row->name && *place != '[';

		json_begin(s, "before_tag");
		line_text(&s->line, "name", row->name, has_place ?
			  (size_t)(place - row->name) - 1 : sizeof(row->name),
			  JSON_NAME_ROOM);
		json_name(s, "place", has_place ? place : "");
		json_numbers(s, "live_bytes calls at_least", (const uint64_t[]){
			     row->bytes, row->calls, row->at_least });
		json_end(s);
	}
	if (!t->ended)
		return;
	json_begin(s, "before_tags");
	json_numbers(s, "tags wrong_lines is_part", (const uint64_t[]){
		     t->all, t->wrong_lines, t->is_part });
	json_end(s);
}

static void huge_pages(struct sheet *s)
{
	const uint64_t *kept = &s->ledger->kept_pages[KEPT_HUGE_USED];

	if (!(kept[0] | kept[1] | kept[2]))
		return;
	json_begin(s, "huge_pages");
	json_numbers(s, "used_pages unused_pages other_sizes_pages", kept);
	json_end(s);
}

/* The record from before init, when it ended. */
static void before_init(struct sheet *s)
{
	const struct before_init *b = &s->ledger->before_init;

	if (!b->marks)
		return;
	json_begin(s, "before_init");
	json_numbers(s, "start_ns end_ns events lost held_pages freed_pages "
			"handed_pages free_kib lists_pages",
			(const uint64_t[]){
			b->start_ns, b->end_ns, b->events, b->lost,
			b->held_pages, b->freed_pages, b->handed_pages,
			session_kib(s->r->session,
				    s->ledger->free_start_pages),
			s->ledger->pcp_start_pages });
	json_end(s);
}

/* Memory that came or went while tracing. */
static void growth(struct sheet *s)
{
	const struct growth *g = &s->ledger->growth;
	const struct session *n = s->r->session;

	if (!g->first_ns)
		return;
	json_begin(s, "growth");
	json_numbers(s, "first_ns last_ns more_kib less_kib plugged_kib "
			"page_structs_kib", (const uint64_t[]){
			g->first_ns, g->last_ns,
			session_kib(n, g->more_pages),
			session_kib(n, g->less_pages),
			g->ram_pages ? session_kib(n, g->ram_pages) : UNKNOWN,
			advice_came_structs_kib(s->ledger) });
	json_end(s);
}

void json_advice(struct sheet *s)
{
	static const char *const reasons[] = {
		[FOR_PEAK] = "peak",
		[FOR_UNPACKING] = "unpacking",
		[FOR_ROOTFS] = "rootfs",
		[FOR_TMPFS] = "tmpfs",
	};
	const struct ledger *l = s->ledger;

	if (!l->memory_sampled)
		return;
	json_begin(s, "advice");
	line_str(&s->line, l->kdump ? ",\"of\":\"crashkernel\"" :
				      ",\"of\":\"memory\"");
	json_put_figures(s, FIGURE_ADVICE, FIGURE_HEAD);
	json_name(s, "for", reasons[advice_for(s->value)]);
	if (is_at_least(s->r, s->value))
		json_number(s, "at_least", 1);
	if (is_taken_back(s->r))
		json_number(s, "low_ns", l->low_ns);
	if (s->value[FIGURE_ADVICE_KIB] == UNKNOWN)
		json_name(s, "reason", no_advice(l));
	else if (l->total.lost)
		json_number(s, "more_kib", advice_more_kib(s->r, s->value));
	json_end(s);
	saves_json(s);
}

static void put_largest(struct sheet *s, enum table t, const struct largest *k,
			int stands_out)
{
	const char *type = table_name(t);

	if (!stands_out) {
		json_number(s, type, UNKNOWN);
		return;
	}
	json_row_name(s, type, t, k->row);
	line_str(&s->line, ",\"");
	line_str(&s->line, type);
	line_value(&s->line, "_pages\":%u", k->pages);
}

/* No name of such a group is longer than a module's, which is plain. */
static void put_group(struct sheet *s, const struct group *g)
{
	const char *type = table_name(g->table);

	if (!g->rows)
		return;
	line_str(&s->line, ",\"");
	line_str(&s->line, type);
	line_str(&s->line, "_group\":{\"name\":\"");
	group_write(&s->line, s->ledger, g);
	if (g->from) {
		line_str(&s->line, "\",\"from\":\"");
		group_write_from(&s->line, s->ledger, g);
	}
	line_char(&s->line, '"');
	json_numbers(s, "rows held_pages image_pages vmalloc_pages",
		     (const uint64_t[]){ g->rows, g->pages, g->image_pages,
					 g->vmalloc_pages });
	line_char(&s->line, '}');
}

static void verdict(struct sheet *s)
{
	struct verdict v;
	const char *comma = "";

	verdict_get(s->r, &v);
	json_begin(s, "verdict");
	json_string(s, "state", s->r->session->reason, STATE_ROOM);
	json_number(s, "complete", (uint64_t)v.complete);
	json_number(s, "held_pages", v.held_pages);
	put_largest(s, TABLE_MODULES, v.at.module, v.module_stands_out);
	put_largest(s, TABLE_TASKS, v.at.task, v.task_stands_out);
	if (v.task_stands_out)
		json_number(s, "task_pid",
			    s->ledger->tasks.row[v.at.task[0].row].tid);
	put_group(s, &v.group[TABLE_MODULES]);
	put_group(s, &v.group[TABLE_TASKS]);
	json_name(s, "kinds_of", is_sampled(s->ledger) ? "all" :
		  v.group[TABLE_MODULES].rows ? "module_group" :
		  v.module_stands_out ? table_name(TABLE_MODULES) : "all");
	line_str(&s->line, ",\"kinds\":[");
	for (int i = 0; kinds_are_known(s->ledger) && i < KINDS_IN_VERDICT &&
	     v.kind[v.order[i]]; i++) {
		line_str(&s->line, comma);
		line_str(&s->line, "{\"name\":\"");
		line_str(&s->line, kind_name(v.order[i]));
		line_fill(&s->line, "\",\"held_pages\":%u}", &v.kind[v.order[i]]);
		comma = ",";
	}
	line_char(&s->line, ']');
	json_number(s, figure_name(FIGURE_ADVICE_KIB),
		    s->ledger->memory_sampled ? s->value[FIGURE_ADVICE_KIB] :
						UNKNOWN);
	json_end(s);
}

void json_head_line(struct sheet *s)
{
	const struct session *n = s->r->session;

	json_begin(s, "head\",\"version\":\"" MEMSTRACK_VERSION);
	json_put_figures(s, FIGURE_LEVEL, FIGURE_START_NS);
	json_string(s, "reason", n->reason, REASON_ROOM);
	if (s->ledger->source[0])
		json_string(s, "source", s->ledger->source,
			    SOURCE_ROOM);
	if (s->ledger->samples.kills_counted)
		json_number(s, "oom_kills", s->ledger->samples.kills -
			    s->ledger->samples.kills_start);
	if (s->ledger->before_init.marks) {
		json_number(s, "before_init", s->ledger->before_init.events);
		json_number(s, "before_init_lost",
			    s->ledger->before_init.lost);
	}
	json_put_figures(s, FIGURE_START_NS, FIGURE_PAGE_SIZE);
	json_string(s, "kernel", n->kernel, KERNEL_ROOM);
	json_put_figures(s, FIGURE_PAGE_SIZE, FIGURE_OWN);
	json_end(s);
}

void json_head(struct sheet *s)
{
	const struct session *n = s->r->session;

	json_head_line(s);
	verdict(s);
	troubles_json(s);
	initramfs_json(s);
	json_begin(s, "own");
	json_put_figures(s, FIGURE_OWN, FIGURE_COUNTERS);
	if (n->layout.history)
		json_number(s, "history_bytes",
			    history_bytes(n->layout.modules, n->layout.tasks));
	json_end(s);
	json_figures(s, "counters", FIGURE_COUNTERS, FIGURE_WRITTEN);
	json_figures(s, "reconcile", FIGURE_BALANCE, FIGURE_ADVICE);
	growth(s);
	before_init(s);
	baseline(s);
	if (has_feature(FEATURE_RAM))
		tags(s);
	huge_pages(s);
	moment_peak(s);
	for (uint32_t i = 0; i < n->notes && i < NOTES_MAX; i++) {
		json_begin(s, "note");
		json_string(s, "text", n->note[i], NOTE_ROOM);
		json_end(s);
	}
}
