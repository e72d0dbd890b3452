/* SPDX-License-Identifier: MIT */
/* The difference for programs: one object a line, as of a report. */
#include <string.h>
#include "diff/diff.h"
#include "report/report.h"

#define PATH_ROOM 200u
#define TEXT_ROOM 60u		/* a kernel's release, a reason */

_Static_assert((uint64_t)NO_VALUE == UNKNOWN, "both become null");

static void put_numbers(struct line *l, const char *keys, const int64_t *value)
{
	line_numbers(l, "%i", keys, (const uint64_t *)value);
}

static void put_number(struct line *l, const char *key, int64_t value)
{
	put_numbers(l, key, &value);
}

/* A word of ours. */
static void put_word(struct line *l, const char *key, const char *word)
{
	line_text(l, key, word, TEXT_ROOM, TEXT_ROOM);
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
	put_word(l, "of", side_name(side));
	line_text(l, "path", k->path, LINE_BYTES, PATH_ROOM);
	for (unsigned int i = 0; i < TAKEN_TEXTS; i++)
		line_text(l, text_key(i), k->text[i], TAKEN_NAME_BYTES,
			 TEXT_ROOM);
	for (unsigned int i = 0; i < HEAD_NUMBERS; i++)
		put_number(l, number_key(i), k->number[i]);
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
		put_number(l, key, s->most == NO_BOUND ? NO_VALUE :
			   kib(s->most));
}

static void put_row(struct diff_sheet *s, const struct diff_row *row)
{
	struct line *l = &s->line;
	struct change c;

	change_get(s->d, row, &c);
	line_object(&s->line, "diff");
	put_word(l, "table", diff_table_name(row->table));
	line_text(l, "name", s->d->rows.names + row->name, row->name_len,
		 JSON_NAME_ROOM);
	put_number(l, "before_kib", c.side[BEFORE].known ?
		   kib(c.side[BEFORE].least) : NO_VALUE);
	put_number(l, "after_kib", c.side[AFTER].known ?
		   kib(c.side[AFTER].least) : NO_VALUE);
	put_word(l, "change", change_word(&c));
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
		put_word(l, "table", diff_table_name(t));
		put_word(l, "of", side_name(side));
		put_word(l, "why", why);
		end(s);
		return;
	}
	rows = diff_rank(s->d, t, &left);
	for (uint32_t i = 0; i < rows; i++)
		put_row(s, &s->d->rows.row[s->d->order[i]]);
	if (!left.rows)
		return;
	line_object(&s->line, "diff_left");
	put_word(l, "table", diff_table_name(t));
	put_numbers(l, "rows unknown grew_kib shrank_kib", (const int64_t[]){
		       left.rows, left.unknown, kib(left.grew),
		       kib(left.shrank) });
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
	put_word(l, "by", c->by == DIFF_BY_NOW ? "now" : "peak");
	put_numbers(l, "min_bytes fail_bytes failed doubtful certain records "
		       "records_cut", (const int64_t[]){
		       c->min_bytes,
		       c->fail_bytes == UINT32_MAX ? NO_VALUE :
		       (int64_t)c->fail_bytes,
		       j->failed, j->doubtful, j->certain, s->records,
		       s->records_cut });
	end(s);
}
