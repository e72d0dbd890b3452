/* SPDX-License-Identifier: MIT */
/* The difference for programs: one object a line, as of a report. */
#include <string.h>
#include "diff/taken.h"
#include "diff/write.h"
#include "report/json_line.h"

#define PATH_ROOM 200u
#define TEXT_ROOM 60u		/* a kernel's release, a reason */

static void put_number(struct line *l, const char *key, int64_t value)
{
	line_member(l, key, value == NOT_TOLD ? UNKNOWN : (uint64_t)value,
		    "%i");
}

/* Rounded half away from 0. */
static int64_t kib(int64_t bytes)
{
	return bytes < 0 ? -((512 - bytes) / 1024) : (bytes + 512) / 1024;
}

static void end(struct diff_sheet *s)
{
	line_char(&s->line, '}');
	diff_emit(s);
}

static const char *side_name(enum diff_side side)
{
	return side == BEFORE ? "before" : "after";
}

static void put_report(struct diff_sheet *s, enum diff_side side)
{
	const struct taken *k = &s->d->side[side];
	struct line *l = &s->line;

	line_object(&s->line, "diff_report");
	line_text(l, "of", side_name(side), TEXT_ROOM, TEXT_ROOM);
	line_text(l, "path", k->path, LINE_BYTES, PATH_ROOM);
	for (unsigned int i = 0; i < TEXTS_TOLD; i++)
		line_text(l, text_told(i), k->text[i], TAKEN_NAME_BYTES,
			 TEXT_ROOM);
	for (unsigned int i = 0; i < TOLD_AGAIN; i++)
		put_number(l, number_told(i), k->number[i]);
	put_number(l, "whole", taken_is_whole(k));
	end(s);
}

static void say(struct diff_sheet *s, const char *text)
{
	line_object(&s->line, "note");
	line_text(&s->line, "text", text, LINE_BYTES, 800);
	end(s);
}

static void put_bound(struct line *l, const char *key, const struct span *s)
{
	if (s->most != s->least)
		put_number(l, key, s->most == NO_BOUND ? NOT_TOLD :
			   kib(s->most));
}

static void put_row(struct diff_sheet *s, const struct diff_row *row)
{
	struct line *l = &s->line;
	struct change c;

	change_get(s->d, row, &c);
	line_object(&s->line, "diff");
	line_text(l, "table", diff_table_name(row->table), TEXT_ROOM, TEXT_ROOM);
	line_text(l, "name", s->d->rows.names + row->name, row->name_len,
		 JSON_NAME_ROOM);
	put_number(l, "before_kib", c.side[BEFORE].known ?
		   kib(c.side[BEFORE].least) : NOT_TOLD);
	put_number(l, "after_kib", c.side[AFTER].known ?
		   kib(c.side[AFTER].least) : NOT_TOLD);
	line_text(l, "change", change_word(&c), TEXT_ROOM, TEXT_ROOM);
	put_bound(l, "before_at_most_kib", &c.side[BEFORE]);
	put_bound(l, "after_at_most_kib", &c.side[AFTER]);
	end(s);
}

static void put_table(struct diff_sheet *s, enum diff_table t)
{
	struct line *l = &s->line;
	enum diff_side side;
	const char *why = why_not(s->d, t, &side);
	struct left left;
	uint32_t rows;

	if (why) {
		if (!*why)
			return;
		line_object(&s->line, "diff_none");
		line_text(l, "table", diff_table_name(t), TEXT_ROOM, TEXT_ROOM);
		line_text(l, "of", side_name(side), TEXT_ROOM, TEXT_ROOM);
		line_text(l, "why", why, TEXT_ROOM, TEXT_ROOM);
		end(s);
		return;
	}
	rows = diff_rank(s->d, t, &left);
	for (uint32_t i = 0; i < rows; i++)
		put_row(s, &s->d->rows.row[s->d->order[i]]);
	if (!left.rows)
		return;
	line_object(&s->line, "diff_left");
	line_text(l, "table", diff_table_name(t), TEXT_ROOM, TEXT_ROOM);
	put_number(l, "rows", left.rows);
	put_number(l, "unknown", left.unknown);
	put_number(l, "grew_kib", kib(left.grew));
	put_number(l, "shrank_kib", kib(left.shrank));
	end(s);
}

void diff_json(struct diff_sheet *s, const struct judged *j)
{
	const struct config *c = &s->d->config;
	struct line *l = &s->line;

	put_report(s, BEFORE);
	put_report(s, AFTER);
	diff_doubts(s, say);
	for (unsigned int t = 0; t < DIFF_TABLES; t++)
		put_table(s, (enum diff_table)t);
	s->last = 1;
	line_object(&s->line, "diff_end");
	line_text(l, "by", c->by == DIFF_BY_NOW ? "now" : "peak", TEXT_ROOM,
		 TEXT_ROOM);
	put_number(l, "min_bytes", c->min_bytes);
	put_number(l, "fail_bytes", c->fail_bytes == UINT32_MAX ? NOT_TOLD :
		   (int64_t)c->fail_bytes);
	put_number(l, "failed", j->failed);
	put_number(l, "doubtful", j->doubtful);
	put_number(l, "certain", j->certain);
	put_number(l, "records", s->records);
	put_number(l, "records_cut", s->records_cut);
	end(s);
}
