/* SPDX-License-Identifier: MIT */
/* The use of memory over time, and who held what: see history.h, timeline and
 * history. */
#include <string.h>
#include "ledger/history.h"
#include "limits.h"

uint64_t timeline_bytes(void)
{
	return TIMELINE_POINTS * sizeof(struct moment);
}

int timeline_init(struct timeline *t, struct arena *a)
{
	t->step_ns = TIMELINE_STEP_NS;
	t->point = arena_take(a, TIMELINE_POINTS, sizeof(*t->point));
	return a->failed;
}

static void drop_half(struct timeline *t)
{
	t->points /= 2;
	t->step_ns *= 2;
	for (uint32_t i = 1; i < t->points; i++)
		t->point[i] = t->point[2 * i];
}

struct moment *timeline_point(struct timeline *t, uint64_t time_ns)
{
	struct moment *p;

	if (t->points == TIMELINE_POINTS)
		drop_half(t);
	p = &t->point[t->points];
	if (t->points && time_ns < p[-1].time_ns + t->step_ns)
		return NULL;
	t->points++;
	*p = (struct moment){ .time_ns = time_ns };
	return p;
}

const char *phase_at(const struct phases *p, uint64_t time_ns)
{
	const char *name = NULL;

	for (uint32_t i = 0; i < p->used && p->phase[i].time_ns <= time_ns; i++)
		name = p->phase[i].name;
	return name;
}

static uint64_t series_bytes(uint32_t rows)
{
	return HISTORY_COLUMNS * (sizeof(struct column) +
				  TIMELINE_POINTS * sizeof(uint32_t)) +
	       TIMELINE_POINTS * sizeof(uint64_t) +
	       (uint64_t)rows * HISTORY_ROW_BYTES;
}

uint64_t history_bytes(uint32_t module_rows, uint32_t task_rows)
{
	return !has_history() ? 0 :
	       series_bytes(module_rows) + series_bytes(task_rows);
}

static void series_init(struct series *s, struct arena *a, uint32_t rows)
{
	s->column = arena_take(a, HISTORY_COLUMNS, sizeof(*s->column));
	s->pages = arena_take(a, HISTORY_COLUMNS * TIMELINE_POINTS,
			      sizeof(*s->pages));
	s->total = arena_take(a, TIMELINE_POINTS, sizeof(*s->total));
	s->end_ns = arena_take(a, rows, sizeof(*s->end_ns));
	s->of_row = arena_take(a, rows, sizeof(*s->of_row));
}

int history_init(struct history *h, struct arena *a, uint32_t module_rows,
		 uint32_t task_rows)
{
	series_init(&h->modules, a, module_rows);
	series_init(&h->tasks, a, task_rows);
	h->on = !a->failed;
	return a->failed;
}

static void thin_out(struct series *s, uint32_t points)
{
	for (uint32_t i = 1; i < points / 2; i++)
		s->total[i] = s->total[2 * i];
	for (uint32_t c = 0; c < s->columns; c++) {
		uint32_t *const pages = s->pages + c * TIMELINE_POINTS;

		for (uint32_t i = 1; i < points / 2; i++)
			pages[i] = pages[2 * i];
	}
}

void history_thin_out(struct history *h, uint32_t points)
{
	if (!history_is_on(h))
		return;
	thin_out(&h->modules, points);
	thin_out(&h->tasks, points);
}

/* The column with the smallest peak. */
static uint32_t smallest(const struct series *s)
{
	uint32_t best = 0;

	for (uint32_t c = 1; c < s->columns; c++)
		if (s->column[c].peak < s->column[best].peak)
			best = c;
	return best;
}

/* Takes a column for a row. Returns its number + 1, or 0. */
static uint8_t take_column(struct series *s, uint32_t row, uint32_t now)
{
	uint32_t c = s->columns;
	struct column *k;

	if (c < HISTORY_COLUMNS) {
		s->columns++;
	} else {
		c = smallest(s);
		if (s->column[c].peak >= now)
			return 0;
		if (s->column[c].row != COLUMN_CLOSED)
			s->of_row[s->column[c].row] = 0;
	}
	k = &s->column[c];
	*k = (struct column){ .row = row };
	memset(s->pages + c * TIMELINE_POINTS, 0,
	       TIMELINE_POINTS * sizeof(*s->pages));
	return (uint8_t)(c + 1);
}

static void begin_point(struct series *s, uint32_t point)
{
	s->total[point] = 0;
	for (uint32_t c = 0; c < s->columns; c++)
		s->pages[c * TIMELINE_POINTS + point] = 0;
}

static void add_row(struct series *s, uint32_t point, uint32_t row,
		    uint32_t now)
{
	uint32_t c;

	if (!now)
		return;
	s->total[point] += now;
	if (!s->of_row[row])
		s->of_row[row] = take_column(s, row, now);
	if (!s->of_row[row])
		return;
	c = s->of_row[row] - 1u;
	s->pages[c * TIMELINE_POINTS + point] = now;
	if (s->column[c].peak < now)
		s->column[c].peak = now;
}

void history_point(struct history *h, uint32_t point, const struct modules *m,
		   const struct tasks *t)
{
	if (!history_is_on(h))
		return;
	begin_point(&h->modules, point);
	for (uint32_t i = 0; i < m->used; i++)
		add_row(&h->modules, point, i, module_holds(&m->row[i]));
	begin_point(&h->tasks, point);
	for (uint32_t i = 0; i < t->used; i++)
		add_row(&h->tasks, point, i, task_holds(&t->row[i]));
}

void history_end(struct series *s, uint32_t row, uint64_t time_ns)
{
	if (s->end_ns)
		s->end_ns[row] = time_ns;
}

static void forget(struct series *s, uint32_t row, const char *name,
		   size_t size, uint32_t tid)
{
	struct column *k;

	s->end_ns[row] = 0;
	if (!s->of_row[row])
		return;
	k = &s->column[s->of_row[row] - 1];
	s->of_row[row] = 0;
	k->row = COLUMN_CLOSED;
	k->tid = tid;
	memcpy(k->name, name, size);
}

void history_forget_module(struct history *h, const struct modules *m,
			   uint32_t row)
{
	const struct module *k = &m->row[row];

	if (history_is_on(h))
		forget(&h->modules, row, k->name, sizeof(k->name), 0);
}

void history_forget_task(struct history *h, const struct tasks *t,
			 uint32_t row)
{
	const struct task *k = &t->row[row];

	if (history_is_on(h))
		forget(&h->tasks, row, k->comm, sizeof(k->comm), k->tid);
}
