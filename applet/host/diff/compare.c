/* SPDX-License-Identifier: MIT */
/* See diff.h, compare. */
#include <string.h>
#include "host/diff/diff.h"
#include "base/system.h"
#include "report/report.h"

/* Adds another row's span, of the same side. */
static void add_span(struct span *s, const struct span *other)
{
	s->least = diff_sum(s->least, other->least);
	s->most = s->most == NO_BOUND || other->most == NO_BOUND ? NO_BOUND :
		  diff_sum(s->most, other->most);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static struct span span_of(const struct diff *d, const struct held *h)
{
	struct span s = { .there = 1, .known = 1, .least = h->now };

	s.most = h->now;
	if (d->config.by == DIFF_BY_NOW)
		return s;
	s.least = h->rows == 1 ? h->peak :
		  larger(h->peak, larger(h->now, h->at_peak));
	s.most = larger(h->most, s.least);
	return s;
}

/* A module in a report whose other pages of vmalloc are not in `now`, beside one
 * where they are: all that it held. Its three peaks may have stood at different
 * instants. */
static void add_areas(struct diff *d, const struct diff_row *row,
		      enum diff_side side, struct span *s)
{
	int64_t most = s->least, now = row->side[side].now;

	for (enum diff_table t = DIFF_IMAGE; t <= DIFF_VMALLOC; t++) {
		const struct diff_row *area =
			diff_row(&d->rows, t, d->rows.names + row->name,
				 row->name_len, 0);
		struct span other;

		if (!area || !area->side[side].rows)
			continue;
		other = span_of(d, &area->side[side]);
		now = diff_sum(now, area->side[side].now);
		most = larger(most, other.least);
		add_span(s, &other);
	}
	if (d->config.by != DIFF_BY_NOW)
		s->least = larger(most, now);
	s->most = larger(s->most, s->least);
}

void change_get(struct diff *d, const struct diff_row *row, struct change *c)
{
	const int areas = row->table == DIFF_MODULE &&
			  d->side[BEFORE].apart != d->side[AFTER].apart;

	for (enum diff_side i = BEFORE; i < SIDES; i++) {
		c->side[i] = (struct span){ .known = !d->side[i].open[row->table] };
		if (!row->side[i].rows)
			continue;
		c->side[i] = span_of(d, &row->side[i]);
		if (areas && d->side[i].apart)
			add_areas(d, row, i, &c->side[i]);
	}
	c->grown = diff_sum(c->side[AFTER].least, -c->side[BEFORE].least);
}

const char *change_word(const struct change *c)
{
	const struct span *before = &c->side[BEFORE], *after = &c->side[AFTER];

	if (!before->known || !after->known)
		return "unknown";
	if (!c->grown)
		return "same";
	if (!before->there)
		return "came";
	if (!after->there)
		return "went";
	return c->grown > 0 ? "grew" : "shrank";
}

/* Samples of a table are something else than what is traced. */
static int is_traced(enum diff_table t)
{
	return t >= DIFF_MODULE && t <= DIFF_INITCALL;
}

const char *why_not(const struct diff *d, enum diff_table t,
		    enum diff_side *side)
{
	const struct taken *k = d->side;
	int has[SIDES];

	for (unsigned int i = 0; i < SIDES; i++)
		has[i] = t == DIFF_IMAGE || t == DIFF_VMALLOC ?
			 k[i].apart && k[i].has[t] : k[i].has[t];
	*side = has[BEFORE] ? AFTER : BEFORE;
	if (!has[BEFORE] && !has[AFTER])
		return "";
	if (is_traced(t) && k[BEFORE].sampled != k[AFTER].sampled) {
		*side = k[BEFORE].sampled ? BEFORE : AFTER;
		return "sampled";
	}
	if (has[BEFORE] && has[AFTER])
		return NULL;
	return k[*side].has[DIFF_MODULE] && !k[*side].apart &&
	       (t == DIFF_IMAGE || t == DIFF_VMALLOC) ?
	       "part of the modules" : "none";
}

static int64_t size_of(int64_t n)
{
	return n < 0 ? -n : n;
}

struct diff_ranking {
	struct ranking ranking;		/* first */
	struct diff *d;
};

/* The largest change first, then by name. */
static int before(const struct ranking *k, uint32_t a, uint32_t b)
{
	struct diff *d = ((const struct diff_ranking *)k)->d;
	const struct diff_row *x = &d->rows.row[a], *y = &d->rows.row[b];
	struct change first, second;
	int sign;

	change_get(d, x, &first);
	change_get(d, y, &second);
	if (size_of(first.grown) != size_of(second.grown))
		return size_of(first.grown) > size_of(second.grown);
	sign = memcmp(d->rows.names + x->name, d->rows.names + y->name,
		      x->name_len < y->name_len ? x->name_len : y->name_len);
	return sign ? sign < 0 : x->name_len < y->name_len;
}

static void leave(struct left *left, const struct change *c)
{
	left->rows++;
	if (!c->side[BEFORE].known || !c->side[AFTER].known)
		left->unknown++;
	else if (c->grown > 0)
		left->grew = diff_sum(left->grew, c->grown);
	else
		left->shrank = diff_sum(left->shrank, c->grown);
}

static int begins(const struct diff *d, const struct diff_row *row,
		  const char *with)
{
	const size_t len = strlen(with);

	return row->name_len >= len &&
	       !memcmp(d->rows.names + row->name, with, len);
}

/* Installed memory, and what is free: more of these is no loss. */
static int is_gain(const struct diff *d, const struct diff_row *row)
{
	return row->table == DIFF_RAM &&
	       (begins(d, row, "all:") || begins(d, row, "free:"));
}

/* Is it a tag that one report has and the other has not, because it has room
 * for the largest alone? What all tags hold is in the totals. */
static int is_below(const struct diff_row *row)
{
	return row->table == DIFF_TAG &&
	       !(row->side[BEFORE].rows && row->side[AFTER].rows);
}

/* Counted by the kernel, not by the trace. */
static int is_counted(const struct diff *d, const struct diff_row *row)
{
	return row->table == DIFF_BEFORE || row->table == DIFF_TAG ||
	       (row->table == DIFF_RAM && !begins(d, row, "traced:") &&
		!begins(d, row, "unknown:"));
}

/* Where records were lost, pages held may be too few or too many. */
static int is_exact(const struct diff *d)
{
	return (d->side[BEFORE].number[COMPLETE] == 1 &&
		d->side[AFTER].number[COMPLETE] == 1) ||
	       (d->side[BEFORE].sampled && d->side[AFTER].sampled);
}

/* By how much a row grew at least, and at most. */
static void growth(const struct diff *d, const struct diff_row *row,
		   const struct change *c, int64_t *least, int64_t *most)
{
	const struct span *before = &c->side[BEFORE], *after = &c->side[AFTER];

	*least = before->most == NO_BOUND || !before->known ||
		 !(is_counted(d, row) || is_exact(d)) ? -PARSED_NUMBER_MAX :
		 diff_sum(after->least, -before->most);
	*most = after->most == NO_BOUND || !after->known ? PARSED_NUMBER_MAX :
		diff_sum(after->most, before->known ? -before->least : 0);
}

/* What --fail asks of a row: 1 it grew by more, -1 it may have, 0 it did not. */
static int fails(const struct diff *d, const struct diff_row *row,
		 const struct change *c, int64_t *least)
{
	const int64_t bound = d->config.fail_bytes;
	enum diff_side side;
	int64_t most;

	if (bound == UINT32_MAX || why_not(d, row->table, &side) ||
	    is_gain(d, row) || is_below(row))
		return 0;
	growth(d, row, c, least, &most);
	return *least > bound ? 1 : most > bound ? -1 : 0;
}

uint32_t diff_rank(struct diff *d, enum diff_table t, struct left *left)
{
	struct diff_ranking k = {
		.ranking = {
			.item = d->order, .before = before,
			.capacity = DIFF_ROWS_MAX,
		},
		.d = d,
	};
	struct change c;
	uint32_t shown;
	int64_t least;

	*left = (struct left){ 0 };
	for (uint32_t i = 0; i < d->rows.used; i++) {
		if (d->rows.row[i].table != t)
			continue;
		change_get(d, &d->rows.row[i], &c);
		if ((c.grown && size_of(c.grown) >= d->config.min_bytes) ||
		    fails(d, &d->rows.row[i], &c, &least))
			ranking_offer(&k.ranking, i);
		else if (c.grown)
			leave(left, &c);
	}
	ranking_sort(&k.ranking);
	shown = k.ranking.kept;
	if (d->config.top && shown > d->config.top)
		shown = d->config.top;
	for (uint32_t i = shown; i < k.ranking.kept; i++) {
		change_get(d, &d->rows.row[d->order[i]], &c);
		leave(left, &c);
	}
	return shown;
}

void diff_judge(struct diff *d)
{
	struct judged *j = &d->judged;
	int64_t least, worst = 0;
	struct change c;

	*j = (struct judged){ 0 };
	for (uint32_t i = 0; i < d->rows.used; i++) {
		const struct diff_row *row = &d->rows.row[i];
		int failed;

		change_get(d, row, &c);
		failed = fails(d, row, &c, &least);
		j->doubtful += failed < 0;
		if (failed <= 0)
			continue;
		j->failed++;
		if (least > worst) {
			worst = least;
			j->worst = row;
		}
	}
	j->certain = !j->doubtful && is_exact(d);
}
