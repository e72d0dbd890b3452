/* SPDX-License-Identifier: MIT */
/* The order of rows, the marked row, and what keys do to them: see top.h, view.
 * */
#include <string.h>
#include "top/top.h"

/* Does `a` come before `b`? */
static int before(const struct view *v, const struct top_row *a,
		  const struct top_row *b)
{
	int64_t x = 0, y = 0;

	switch (v->sort) {
	case SORT_PEAK:
		x = (int64_t)a->peak;
		y = (int64_t)b->peak;
		break;
	case SORT_CHANGE:
		x = a->change;
		y = b->change;
		break;
	case SORT_NAME:
		y = strcmp(a->name, b->name);
		break;
	default:
		break;
	}
	if (x == y && v->sort != SORT_NAME) {
		x = (int64_t)a->now;
		y = (int64_t)b->now;
	}
	return x != y ? x > y : a->number < b->number;
}

/* Insertion: from one picture to the next the order hardly changes. */
void view_order(struct view *v, const struct top_picture *p)
{
	const struct top_rows *t = &p->table[v->table];

	for (uint32_t i = 0; i < t->used; i++) {
		uint32_t to = i;

		for (; to && before(v, &t->row[i],
				    &t->row[v->order[to - 1]]); to--)
			v->order[to] = v->order[to - 1];
		v->order[to] = (uint16_t)i;
	}
	/* At the top the mark stays there. */
	if (v->in_stacks || !v->at)
		return;
	for (uint32_t i = 0; i < t->used; i++) {
		const struct top_row *r = &t->row[v->order[i]];

		if (r->number == v->number && r->key == v->key)
			v->at = i;
	}
	if (v->at >= t->used)
		v->at = t->used ? t->used - 1 : 0;
}

static void mark(struct view *v, const struct top_picture *p, uint32_t at)
{
	const struct top_rows *t = &p->table[v->table];
	const struct top_row *r;

	if (!t->used)
		return;
	v->at = at < t->used ? at : t->used - 1;
	r = &t->row[v->order[v->at]];
	v->number = r->number;
	v->key = r->key;
}

static void show_table(struct view *v, const struct top_picture *p,
		       unsigned int t)
{
	if (t >= TOP_TABLES || !p->table[t].used)
		return;
	v->table = (enum top_table)t;
	v->in_stacks = 0;
	v->first = v->at = 0;
	v->number = UINT32_MAX;
	view_order(v, p);
	mark(v, p, 0);
}

static void next_table(struct view *v, const struct top_picture *p)
{
	unsigned int t = v->table;

	do
		t = (t + 1) % TOP_TABLES;
	while (t != v->table && !p->table[t].used);
	show_table(v, p, t);
}

/* Up or down: to another row, or other lines of stacks. */
static void move(struct view *v, const struct top_picture *p, int64_t by)
{
	const int64_t from = v->in_stacks ? v->first : v->at;
	const uint32_t to = from + by < 0 ? 0 : from + by > UINT16_MAX ?
			    UINT16_MAX : (uint32_t)(from + by);

	if (v->in_stacks)
		v->first = to;
	else
		mark(v, p, to);
}

/* Initcalls are counted without stacks, and a row of many rows has none. */
static int enter(struct view *v, const struct top_picture *p)
{
	const struct top_rows *t = &p->table[v->table];
	const char *why = v->table == TOP_INITCALLS ?
			  "no stacks are kept of initcalls" :
			  p->sampled ? "sampled: there are no stacks" :
			  "this row has no stacks";

	if (v->in_stacks || !t->used)
		return 0;
	mark(v, p, v->at);
	if (v->table == TOP_INITCALLS || p->sampled ||
	    v->number == UINT32_MAX) {
		print_to(v->message, sizeof(v->message), "%s", why);
		return 0;
	}
	v->in_stacks = 1;
	v->first = 0;
	return 1;
}

static void leave(struct view *v, const struct top_picture *p)
{
	if (!v->in_stacks)
		return;
	v->in_stacks = 0;
	v->first = 0;
	view_order(v, p);
}

int view_key(struct view *v, const struct top_picture *p, enum key key)
{
	const int64_t page = v->page > 1 ? v->page - 1 : 1;

	v->message[0] = '\0';
	if (key >= KEY_TABLE_1 && key <= KEY_TABLE_4)
		show_table(v, p, key - KEY_TABLE_1);
	else if (key == KEY_UP || key == KEY_DOWN)
		move(v, p, key == KEY_UP ? -1 : 1);
	else if (key == KEY_PAGE_UP || key == KEY_PAGE_DOWN)
		move(v, p, key == KEY_PAGE_UP ? -page : page);
	else if (key == KEY_HOME || key == KEY_END)
		move(v, p, key == KEY_HOME ? -(int64_t)UINT16_MAX : UINT16_MAX);
	else if (key == KEY_NEXT_TABLE)
		next_table(v, p);
	else if (key == KEY_BACK)
		leave(v, p);
	else if (key == KEY_ENTER)
		return enter(v, p);
	else if (key == KEY_PAUSE)
		v->paused = !v->paused;
	else if (key == KEY_SORT)
		v->sort = (enum sort)((v->sort + 1) % SORTS);
	view_order(v, p);
	return (key == KEY_SORT || key == KEY_NOW || key == KEY_PAUSE) &&
	       !v->paused;
}
