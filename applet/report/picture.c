/* SPDX-License-Identifier: MIT */
/* Points and bands of a picture: see parts.h, picture. */
#include "ledger/ledger.h"
#include "report/report.h"
#include "report/parts.h"

static void add_point(struct picture *p, uint32_t at, const struct moment *m)
{
	p->point[p->points++] = (struct picture_point){ .m = m, .at = at };
}

/* The peak stands where it belongs; the end is the last. */
static void get_points(struct picture *p)
{
	const struct ledger *l = p->ledger;
	const struct timeline *t = &l->timeline;
	uint32_t i = 0;

	snapshot_peak(l, &p->peak);
	if (!l->memory_sampled || !t->points)
		return;
	snapshot_now(l, &p->end);
	for (; i < t->points && t->point[i].time_ns <= p->peak.time_ns; i++)
		add_point(p, i, &t->point[i]);
	add_point(p, POINT_PEAK, &p->peak);
	for (; i < t->points; i++)
		add_point(p, i, &t->point[i]);
	p->end.time_ns = l->last_ns;
	if (p->end.time_ns < p->point[p->points - 1].m->time_ns)
		p->end.time_ns = p->point[p->points - 1].m->time_ns;
	add_point(p, POINT_END, &p->end);
}

static uint64_t row_when(const struct ledger *l, enum table t, uint32_t row,
			 uint32_t at)
{
	const int peak = at == POINT_PEAK;
	const struct module *m = &l->modules.row[row];
	const struct task *k = &l->tasks.row[row];

	if (t == TABLE_TASKS)
		return (uint64_t)count_when(&k->pages, l->epoch, peak) +
		       count_when(&k->vmalloc, l->epoch, peak);
	return (uint64_t)count_when(&m->pages, l->epoch, peak) +
	       count_when(&m->image, l->epoch, peak) +
	       count_when(&m->vmalloc, l->epoch, peak);
}

static uint64_t column_pages(const struct picture *p, const struct chart *c,
			     uint32_t column, const struct picture_point *k)
{
	const uint32_t at = k->at;
	uint32_t row;

	if (!c->series)
		return k->m->kind[column];
	if (at < POINT_PEAK)
		return history_pages(c->series, column, at);
	row = c->series->column[column].row;
	return row == COLUMN_CLOSED ? 0 :
	       row_when(p->ledger, c->table, row, at);
}

/* These areas are charged to no task. */
static int has_areas_band(const struct ledger *l, enum table t)
{
	return t == TABLE_TASKS && !l->samples.on && !l->areas.charged.peak;
}

uint64_t chart_total(const struct picture *p, const struct chart *c,
		     uint32_t i)
{
	const struct picture_point *k = &p->point[i];
	const uint64_t beside = has_areas_band(p->ledger, c->table) ?
				k->m->areas_pages : 0;
	uint64_t total = 0;

	if (!c->series) {
		for (uint32_t n = 0; n < KINDS; n++)
			total += k->m->kind[n];
		return total;
	}
	if (k->at >= POINT_PEAK)
		return c->total[k->at - POINT_PEAK] + beside;
	return (p->ledger->history.on ? c->series->total[k->at] : 0) + beside;
}

uint64_t band_pages(const struct picture *p, const struct chart *c, uint32_t b,
		    uint32_t i)
{
	const struct picture_point *k = &p->point[i];
	const struct band *band = &c->band[b];
	uint64_t left;

	if (band->column == BAND_AREAS)
		return k->m->areas_pages;
	if (band->column != BAND_OTHERS)
		return column_pages(p, c, band->column, k);
	left = chart_total(p, c, i);
	for (uint32_t n = 0; n < b; n++)
		left -= smaller(left, band_pages(p, c, n, i));
	return left;
}

/* Puts it behind the bands. */
static const struct band *measure(const struct picture *p, struct chart *c,
				  uint32_t column)
{
	struct band *band = &c->band[c->bands];

	*band = (struct band){ .column = column };
	for (uint32_t i = 0; i < p->points; i++) {
		const uint64_t pages = band_pages(p, c, c->bands, i);

		if (band->peak < pages)
			band->peak = pages;
		if (p->point[i].at == POINT_PEAK)
			band->at_peak = pages;
		band->at_end = pages;
	}
	return band;
}

static void add_band(const struct picture *p, struct chart *c,
		     uint32_t column)
{
	measure(p, c, column);
	c->bands++;
}

/* The row of no module, and the rows "(other)", are not among the largest. */
static int may_be_named(const struct chart *c, uint32_t column)
{
	const uint32_t row = c->series ? c->series->column[column].row : 0;

	if (!c->series)
		return column != KIND_OTHER;
	return row >= (c->table == TABLE_TASKS ? TASK_IRQ : MODULES_FIXED);
}

static int is_shown(const struct chart *c, uint32_t column)
{
	for (uint32_t b = 0; b < c->bands; b++)
		if (c->band[b].column == column)
			return 1;
	return 0;
}

/* The largest column that is not shown yet; BAND_OTHERS: none. */
static uint32_t next_largest(const struct picture *p, struct chart *c)
{
	const uint32_t columns = c->series ? c->series->columns : KINDS;
	uint32_t best = BAND_OTHERS;
	uint64_t most = 0;

	for (uint32_t k = 0; k < columns; k++) {
		if (!may_be_named(c, k) || is_shown(c, k) ||
		    measure(p, c, k)->peak <= most)
			continue;
		best = k;
		most = c->band[c->bands].peak;
	}
	return best;
}

static uint32_t rows_of(const struct ledger *l, enum table t)
{
	return t == TABLE_TASKS ? l->tasks.used : l->modules.used;
}

static void get_chart(const struct picture *p, struct chart *c)
{
	const struct ledger *l = p->ledger;
	uint32_t column = has_areas_band(l, c->table) ? BAND_AREAS :
							  BAND_OTHERS;

	for (uint32_t i = 0; c->series && i < rows_of(l, c->table); i++)
		for (uint32_t at = POINT_PEAK; at <= POINT_END; at++)
			c->total[at - POINT_PEAK] += row_when(l, c->table, i,
							      at);
	if (c->table == TABLE_MODULES)
		column = l->history.on && c->series->of_row[MODULE_NONE] ?
			 c->series->of_row[MODULE_NONE] - 1u : BAND_OTHERS;
	if (column != BAND_OTHERS)
		add_band(p, c, column);
	c->fixed = c->bands;
	while (c->bands < c->fixed + BANDS_NAMED &&
	       (column = next_largest(p, c)) != BAND_OTHERS)
		add_band(p, c, column);
	add_band(p, c, BAND_OTHERS);
	for (uint32_t i = 0; i < p->points; i++)
		if (c->most < chart_total(p, c, i))
			c->most = chart_total(p, c, i);
}

void picture_get(const struct report *r, struct picture *p)
{
	const struct ledger *l = r->ledger;

	*p = (struct picture){
		.r = r, .ledger = l, .from_ns = r->session->start_ns,
		.until_ns = l->last_ns,
		.chart = {
			[CHART_KINDS] = { .table = TABLE_KINDS },
			[CHART_MODULES] = { TABLE_MODULES,
					    .series = &l->history.modules },
			[CHART_TASKS] = { TABLE_TASKS,
					  .series = &l->history.tasks },
		},
	};
	get_points(p);
	for (uint32_t i = 0; i < CHARTS; i++)
		get_chart(p, &p->chart[i]);
	if (p->points && p->from_ns > p->point[0].m->time_ns)
		p->from_ns = p->point[0].m->time_ns;
	if (p->points && p->until_ns < p->end.time_ns)
		p->until_ns = p->end.time_ns;
	if (p->until_ns <= p->from_ns)
		p->until_ns = p->from_ns + 1;
}

uint64_t picture_hard_kib(const struct picture *p, uint32_t i)
{
	return p->point[i].at == POINT_PEAK ? UNKNOWN :
	       advice_hard_kib(p->r, p->point[i].m);
}

const char *band_name(const struct picture *p, const struct chart *c,
		      const struct band *b, uint32_t *pid)
{
	const struct column *k;

	*pid = 0;
	if (b->column == BAND_AREAS)
		return "(areas)";
	if (b->column == BAND_OTHERS)
		return "(others)";
	if (!c->series)
		return kind_name(b->column);
	k = &c->series->column[b->column];
	if (c->table == TABLE_TASKS)
		*pid = k->row == COLUMN_CLOSED ? k->tid :
		       p->ledger->tasks.row[k->row].tid;
	if (k->row != COLUMN_CLOSED)
		return row_name(p->ledger, c->table, k->row);
	return k->name[0] ? k->name : "(failed load)";
}

uint64_t picture_time(const struct picture *p, uint64_t time_ns)
{
	return time_ns < p->from_ns ? p->from_ns :
	       time_ns > p->until_ns ? p->until_ns : time_ns;
}

int picture_span(const struct picture *p, enum table t, uint32_t row,
		 uint64_t *begin_ns, uint64_t *end_ns)
{
	const struct ledger *l = p->ledger;
	const struct module *m = &l->modules.row[row];
	const struct task *k = &l->tasks.row[row];
	const struct series *s = t == TABLE_TASKS ? &l->history.tasks :
						    &l->history.modules;
	int goes_on;

	if (t == TABLE_TASKS) {
		if (row < TASKS_FIXED || k->process != row || !k->tid ||
		    k->state == TASK_UNUSED)
			return 0;
		*begin_ns = k->start_ns;
		goes_on = k->state == TASK_LIVE;
	} else {
		if (row < MODULES_FIXED || !m->load_ns)
			return 0;
		*begin_ns = m->load_ns;
		goes_on = m->state == MODULE_LOADING;
	}
	*begin_ns = picture_time(p, *begin_ns);
	*end_ns = goes_on ? p->until_ns :
		  l->history.on && s->end_ns[row] ?
		  picture_time(p, s->end_ns[row]) : *begin_ns;
	if (*end_ns < *begin_ns)
		*end_ns = *begin_ns;
	return 1;
}
