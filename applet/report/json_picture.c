/* SPDX-License-Identifier: MIT */
/*
 * A picture in the report for programs: see parts.h, picture. All of it is there,
 * so host/view/picture.c makes the same picture of these lines.
 */
#include "report/parts.h"
#include "report/report.h"

/* Bytes of a piece of a text, which may be longer than a line, and when all of
 * them are escaped. */
#define PIECE_BYTES 100u
#define PIECE_ROOM (6 * PIECE_BYTES + 1)

static void put_text(struct sheet *s, const char *name, const char *text)
{
	size_t len;

	for (; *text; text += len) {
		for (len = 0; text[len] && len < PIECE_BYTES; len++)
			;
		json_begin(s, "picture_text");
		json_name(s, "of", name);
		line_text(&s->line, "text", text, len, PIECE_ROOM);
		json_end(s);
	}
}

static void begin_named(struct sheet *s, const char *type, enum table t,
			const struct picture_name *n)
{
	json_begin(s, type);
	json_name(s, "of", table_name(t));
	json_name(s, "name", n->name);
	json_numbers(s, "pid row", (const uint64_t[]){ n->pid, n->row });
}

static void put_bands(struct sheet *s, const struct picture *p, uint32_t chart)
{
	const struct chart *c = &p->chart[chart];

	for (uint32_t b = 0; b < c->bands; b++) {
		begin_named(s, "band", chart_table(chart), &c->band[b]);
		json_number(s, "is_row", b >= c->fixed && b + 1 < c->bands);
		json_end(s);
	}
}

/* ,"kind_pages":[12,0,7] */
static void put_pages(struct sheet *s, const struct picture *p, uint32_t i,
		      uint32_t chart)
{
	line_str(&s->line, ",\"");
	line_str(&s->line, table_name(chart_table(chart)));
	line_str(&s->line, "_pages\":[");
	for (uint32_t b = 0; b < p->chart[chart].bands; b++)
		line_value(&s->line, b ? ",%u" : "%u",
			   p->point[i].pages[chart][b]);
	line_char(&s->line, ']');
}

static void put_point(struct sheet *s, const struct picture *p, uint32_t i)
{
	json_begin(s, "point");
	json_numbers(s, POINT_KEYS, p->point[i].value);
	json_number(s, "is_peak", i == p->peak);
	for (uint32_t chart = 0; chart < CHARTS; chart++)
		put_pages(s, p, i, chart);
	json_end(s);
}

static void put_spans(struct sheet *s, const struct picture *p, enum table t)
{
	struct picture_span k;

	for (uint32_t i = 0; i < p->spans[t]; i++) {
		if (!p->get_span(p, t, i, &k))
			continue;
		json_begin(s, "span");
		json_name(s, "of", table_name(t));
		json_name(s, "name", k.name);
		json_name(s, "state", k.state);
		json_numbers(s, SPAN_KEYS, k.value);
		json_end(s);
	}
}

static void put_phases(struct sheet *s)
{
	const struct phases *p = &s->ledger->phases;

	for (uint32_t i = 0; i < p->used; i++) {
		json_begin(s, "phase");
		json_name(s, "name", p->phase[i].name);
		json_number(s, "time_ns", p->phase[i].time_ns);
		json_end(s);
	}
}

/* A picture takes 30 KiB of the stack: it is not under what else is written. */
__attribute__((noinline))
void json_picture(struct sheet *s)
{
	struct picture p;

	if (!history_is_on(&s->ledger->history)) {
		put_phases(s);
		return;
	}
	picture_get(s->r, s->value, &p);
	json_begin(s, "picture");
	json_numbers(s, FACT_KEYS, p.fact);
	json_end(s);
	for (int i = 0; i < PICTURE_TEXTS; i++)
		put_text(s, picture_text_names[i], p.text[i]);
	for (enum table t = TABLE_MODULES; t <= TABLE_TASKS; t++) {
		begin_named(s, "largest", t, &p.largest[t]);
		json_number(s, "held_pages", p.largest[t].pages);
		json_end(s);
	}
	for (uint32_t i = 0; i < p.kills; i++) {
		json_begin(s, "kill");
		json_number(s, "time_ns", p.kill_ns[i]);
		json_end(s);
	}
	put_phases(s);
	for (uint32_t chart = 0; chart < CHARTS; chart++)
		put_bands(s, &p, chart);
	for (uint32_t i = 0; i < p.points; i++)
		put_point(s, &p, i);
	for (enum table t = TABLE_MODULES; t <= TABLE_TASKS; t++)
		put_spans(s, &p, t);
}
