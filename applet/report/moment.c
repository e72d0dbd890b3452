/* SPDX-License-Identifier: MIT */
/* See parts.h, moment. */
#include "ledger/ledger.h"
#include "report/report.h"
#include "report/parts.h"

/* Bytes for the name of a module or task. A line of JSON has six to ten names,
 * or as many as fit. A kind takes 50 bytes at most, and 55 follow. */
#define NAME_ROOM 60u
#define KIND_ROOM 105u

enum list {
	LARGEST_MODULES, LARGEST_TASKS, OF_KINDS, UNMOVABLE, LOADED, LISTS
};

static const struct moment_texts {
	const char *peak, *point;	/* the start of a line */
	const char *time;		/* a phase of the boot may follow */
	const char *figures, *sampled;	/* sampled: of a sampled ledger */
	const char *slab;		/* if its objects are traced */
	struct list_texts {
		const char *begin;
		const char *first;	/* before a name */
		const char *behind;	/* the name, with pages */
	} list[LISTS];
	const char *end;
} moment_texts[] = {
	[ESCAPE_TEXT] = {
		.peak = "peak    at ",
		.point = "time    ",
		.time = "%t",
		.figures = ": free %p, traced %p, areas %p",
		.sampled = ": free %p, areas %p, sampled",
		.slab = ", slab objects %b",
		.list[LARGEST_MODULES] = { "", "; modules ", " %p" },
		.list[LARGEST_TASKS] = { "", "; tasks ", " %p" },
		.list[UNMOVABLE] = { "", ": ", " %p" },
		.list[LOADED] = { "", "; loaded ", "" },
		.end = "",
	},
	[ESCAPE_JSON] = {
		.peak = "{\"type\":\"peak\"",
		.point = "{\"type\":\"timeline\"",
		.time = ",\"time_ns\":%u",
		.figures = ",\"free_kib\":%u,"
			   "\"traced_pages\":%u,\"areas_pages\":%u",
		.sampled = ",\"free_kib\":%u,"
			   "\"traced_pages\":null,\"areas_pages\":%u",
		.slab = ",\"live_bytes\":%u",
		.list[LARGEST_MODULES] = {
			",\"modules\":[", "{\"name\":\"", "\",\"held_pages\":%u}",
		},
		.list[LARGEST_TASKS] = {
			",\"tasks\":[", "{\"name\":\"", "\",\"held_pages\":%u}",
		},
		.list[OF_KINDS] = {
			",\"kinds\":[", "{\"name\":\"", "\",\"held_pages\":%u}",
		},
		.list[UNMOVABLE] = {
			",\"unmovable\":[", "{\"name\":\"",
			"\",\"held_pages\":%u}",
		},
		.list[LOADED] = { ",\"loaded\":[", "\"", "\"" },
		.end = "}",
	},
};

/* The name of one of the largest rows; NULL: there are no more. */
static const char *largest(const struct ledger *l, enum list list,
			   const struct moment *m, uint32_t i, uint64_t *pages)
{
	enum table t = list == LARGEST_TASKS ? TABLE_TASKS : TABLE_MODULES;
	struct largest kind[LARGEST] = { { 0, 0 } };
	const struct largest *k = t == TABLE_TASKS ? &m->task[i] :
						     &m->module[i];

	if (list == OF_KINDS) {
		for (uint32_t n = 0; n < KINDS; n++)
			snapshot_offer(kind, LARGEST, n, m->kind[n]);
		*pages = kind[i].pages;
		return *pages ? kind_name(kind[i].row) : NULL;
	}
	*pages = k->pages;
	return k->pages ? row_name_at(l, t, k->row, m->time_ns) : NULL;
}

/* The name of a module whose load was seen after the last point and up to this
 * one; else NULL. */
static const char *loaded(const struct ledger *l, const struct moment *m,
			  uint32_t row)
{
	const struct module *k = &l->modules.row[row];
	uint64_t since_ns = m > l->timeline.point ? m[-1].time_ns : 0;

	return row >= MODULES_FIXED && k->name[0] && k->load_ns > since_ns &&
	       k->load_ns <= m->time_ns ? k->name : NULL;
}

static void put_list(struct sheet *s, enum list list, const struct moment *m)
{
	const struct ledger *l = s->ledger;
	const struct list_texts *t = &moment_texts[s->line.escape].list[list];
	const int is_json = sheet_is_json(s);
	uint32_t count = list == LOADED ? l->modules.used : LARGEST;
	size_t room = LINE_BYTES, most = LINE_BYTES;
	const char *name;
	uint64_t pages;
	int more = 0;

	if (is_json) {
		room = NAME_ROOM;
		most -= list == OF_KINDS ? KIND_ROOM : NAME_ROOM + 8;
	}
	line_str(&s->line, t->begin);
	for (uint32_t i = 0; i < count; i++) {
		name = list == LOADED ? loaded(l, m, i) :
		       largest(l, list, m, i, &pages);
		if (!name || s->line.len > most)
			continue;
		if (more)
			line_str(&s->line, is_json ? "," : ", ");
		if (!more || is_json)
			line_str(&s->line, t->first);
		line_name_within(&s->line, name, LINE_BYTES, room);
		line_fill(&s->line, t->behind, &pages);
		more = 1;
	}
	line_str(&s->line, is_json ? "]" : "");
}

static void put_figures(struct sheet *s, const struct moment *m)
{
	const struct moment_texts *t = &moment_texts[s->line.escape];
	const uint64_t free = sheet_is_json(s) ?
			      session_kib(s->r->session, m->free_pages) :
			      m->free_pages;

	line_value(&s->line, t->time, m->time_ns);
	if (!sheet_is_json(s))
		sheet_phase(s, m->time_ns);
	if (is_sampled(s->ledger))
		line_fill(&s->line, t->sampled, (const uint64_t[]){
			  free, m->areas_pages });
	else
		line_fill(&s->line, t->figures, (const uint64_t[]){
			  free, m->traced_pages, m->areas_pages });
	if (ledger_has_objects(s->ledger))
		line_value(&s->line, moment_texts[s->line.escape].slab,
			   m->slab_bytes);
	put_list(s, LARGEST_MODULES, m);
	put_list(s, LARGEST_TASKS, m);
	if (sheet_is_json(s) && kinds_are_known(s->ledger))
		put_list(s, OF_KINDS, m);
}

void moment_unmovable(struct sheet *s, const struct moment *m)
{
	put_list(s, UNMOVABLE, m);
}

void moment_peak(struct sheet *s)
{
	const struct moment_texts *t = &moment_texts[s->line.escape];
	struct moment m;

	snapshot_peak(s->ledger, &m);
	if (!s->ledger->memory_sampled)
		return;
	line_str(&s->line, t->peak);
	put_figures(s, &m);
	sheet_line(s, t->end, NULL);
}

void moment_timeline(struct sheet *s)
{
	const struct moment_texts *t = &moment_texts[s->line.escape];
	const struct timeline *line = &s->ledger->timeline;

	for (uint32_t i = 0; i < line->points; i++) {
		line_str(&s->line, t->point);
		put_figures(s, &line->point[i]);
		if (sheet_is_json(s))
			json_number(s, "unreclaimable_kib",
				    advice_hard_kib(s->r, &line->point[i]));
		put_list(s, LOADED, &line->point[i]);
		sheet_line(s, t->end, NULL);
	}
}
