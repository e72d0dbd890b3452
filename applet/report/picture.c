/* SPDX-License-Identifier: MIT */
/* The picture of a ledger: see parts.h, picture. */
#include <string.h>
#include "ledger/ledger.h"
#include "report/report.h"
#include "report/parts.h"

/* Places of points that are not in the timeline. */
enum { AT_PEAK = TIMELINE_POINTS, AT_END };

/* What is no column of the history, and no kind. */
#define BAND_AREAS (UINT32_MAX - 1)
#define BAND_OTHERS UINT32_MAX

/* Where the figures of the points come from. */
struct origin {
	const struct ledger *ledger;
	struct picture *p;
	struct moment peak, end;
	struct {
		const struct moment *m;
		uint32_t at;		/* in the timeline, or one of above */
	} point[PICTURE_POINTS];
	/* Of the chart that is made now. */
	uint32_t chart;
	const struct series *series;	/* NULL: of kinds */
	uint32_t column[BANDS_MAX];
	uint64_t total[2];		/* at the peak, at the end; not of
					 * kinds */
};

const char *const picture_text_names[PICTURE_TEXTS] = {
	[TEXT_KERNEL] = "kernel", [TEXT_REASON] = "reason",
	[TEXT_CMDLINE] = "command_line",
};

enum table chart_table(uint32_t chart)
{
	return chart == CHART_KINDS ? TABLE_KINDS :
	       chart == CHART_MODULES ? TABLE_MODULES : TABLE_TASKS;
}

uint64_t picture_pages(const struct picture *p, uint64_t kib)
{
	const uint64_t page_kib = p->fact[FACT_PAGE_BYTES] >> 10;

	return kib / (page_kib ? page_kib : 1);
}

uint64_t picture_time(const struct picture *p, uint64_t time_ns)
{
	const uint64_t from_ns = p->fact[FACT_FROM_NS];
	const uint64_t until_ns = p->fact[FACT_UNTIL_NS];

	return time_ns < from_ns ? from_ns :
	       time_ns > until_ns ? until_ns : time_ns;
}

static void add_point(struct origin *o, uint32_t at, const struct moment *m)
{
	const uint32_t i = o->p->points++;

	if (at == AT_PEAK)
		o->p->peak = i;
	o->point[i].m = m;
	o->point[i].at = at;
}

/* The peak stands where it belongs; the end is the last. */
static void get_points(struct origin *o)
{
	const struct ledger *l = o->ledger;
	const struct timeline *t = &l->timeline;
	uint32_t i = 0;

	snapshot_peak(l, &o->peak);
	if (!l->memory_sampled || !t->points)
		return;
	snapshot_now(l, &o->end);
	for (; i < t->points && t->point[i].time_ns <= o->peak.time_ns; i++)
		add_point(o, i, &t->point[i]);
	add_point(o, AT_PEAK, &o->peak);
	for (; i < t->points; i++)
		add_point(o, i, &t->point[i]);
	o->end.time_ns = l->last_ns;
	if (o->end.time_ns < o->point[o->p->points - 1].m->time_ns)
		o->end.time_ns = o->point[o->p->points - 1].m->time_ns;
	add_point(o, AT_END, &o->end);
}

/* What could not be given back is not known at the peak. */
static void get_values(const struct report *r, const struct origin *o,
		       uint32_t i)
{
	const struct ledger *l = r->ledger;
	const struct session *n = r->session;
	const struct moment *m = o->point[i].m;
	const int64_t grown = m->time_ns < l->growth.first_ns ? 0 :
			      l->growth.pages;

	memcpy(o->p->point[i].value, (const uint64_t[POINT_VALUES]){
		m->time_ns, session_kib(n, m->free_pages), m->traced_pages,
		m->areas_pages, ram_kib(l, n, grown),
		o->point[i].at == AT_PEAK ? UNKNOWN : advice_hard_kib(r, m),
		l->slab.on ? m->slab_bytes : UNKNOWN },
	       sizeof(o->p->point[i].value));
}

/* These areas are charged to no task. */
static int has_areas_band(const struct origin *o)
{
	return o->chart == CHART_TASKS && !is_sampled(o->ledger) &&
	       !o->ledger->areas.charged.peak;
}

static uint64_t total_pages(const struct origin *o, uint32_t i)
{
	const struct moment *m = o->point[i].m;
	const uint32_t at = o->point[i].at;
	uint64_t total = has_areas_band(o) ? m->areas_pages : 0;

	for (uint32_t n = 0; !o->series && n < KINDS; n++)
		total += m->kind[n];
	if (o->series && at >= AT_PEAK)
		total += o->total[at - AT_PEAK];
	else if (o->series && history_is_on(&o->ledger->history))
		total += o->series->total[at];
	return total;
}

/* Of a column, or of one of above. */
static uint64_t pages_at(const struct origin *o, uint32_t column, uint32_t i)
{
	const struct moment *m = o->point[i].m;
	const uint32_t at = o->point[i].at;
	uint32_t row;

	if (column == BAND_AREAS)
		return m->areas_pages;
	if (column == BAND_OTHERS) {
		uint64_t left = total_pages(o, i);

		for (uint32_t b = 0; b < o->p->chart[o->chart].bands; b++)
			left -= smaller(left,
					o->p->point[i].pages[o->chart][b]);
		return left;
	}
	if (!o->series)
		return m->kind[column];
	if (at < AT_PEAK)
		return history_pages(o->series, column, at);
	row = o->series->column[column].row;
	return row == COLUMN_CLOSED ? 0 :
	       row_holds(o->ledger, chart_table(o->chart), row,
			at == AT_PEAK);
}

static void name_row(const struct ledger *l, enum table t, uint32_t row,
		     struct picture_name *n)
{
	print_to(n->name, sizeof(n->name), "%s", row_name(l, t, row));
	n->row = row;
	if (t == TABLE_TASKS)
		n->pid = l->tasks.row[row].tid;
}

static void name_band(const struct origin *o, uint32_t column,
		      struct picture_name *n)
{
	const enum table t = chart_table(o->chart);
	const struct column *k = o->series && column < HISTORY_COLUMNS ?
				 &o->series->column[column] : NULL;

	*n = (struct picture_name){ .pid = UNKNOWN, .row = UNKNOWN };
	if (k && k->row != COLUMN_CLOSED) {
		name_row(o->ledger, t, k->row, n);
	} else {
		print_to(n->name, sizeof(n->name), "%s",
			 column == BAND_AREAS ? "(areas)" :
			 column == BAND_OTHERS ? "(others)" :
			 !k ? kind_name(column) :
			 k->name[0] ? k->name : "(failed load)");
		if (k && t == TABLE_TASKS)
			n->pid = k->tid;
	}
	if (!n->pid)
		n->pid = UNKNOWN;
}

static void add_band(struct origin *o, uint32_t column)
{
	struct chart *c = &o->p->chart[o->chart];

	name_band(o, column, &c->band[c->bands]);
	o->column[c->bands] = column;
	for (uint32_t i = 0; i < o->p->points; i++)
		o->p->point[i].pages[o->chart][c->bands] = (uint32_t)
			smaller(pages_at(o, column, i), UINT32_MAX);
	c->bands++;
}

/* The row of no module, and the rows "(other)", are not among the largest. */
static int may_be_named(const struct origin *o, uint32_t column)
{
	const uint32_t row = o->series ? o->series->column[column].row : 0;

	if (!o->series)
		return column != KIND_OTHER;
	return row >= (o->chart == CHART_TASKS ? TASK_IRQ : MODULES_FIXED);
}

static int is_shown(const struct origin *o, uint32_t column)
{
	for (uint32_t b = 0; b < o->p->chart[o->chart].bands; b++)
		if (o->column[b] == column)
			return 1;
	return 0;
}

/* The largest column that is not shown yet; BAND_OTHERS: none. */
static uint32_t next_largest(const struct origin *o)
{
	const uint32_t columns = o->series ? o->series->columns : KINDS;
	uint32_t best = BAND_OTHERS;
	uint64_t most = 0;

	for (uint32_t k = 0; k < columns; k++) {
		if (!may_be_named(o, k) || is_shown(o, k))
			continue;
		for (uint32_t i = 0; i < o->p->points; i++)
			if (pages_at(o, k, i) > most) {
				most = pages_at(o, k, i);
				best = k;
			}
	}
	return best;
}

/* A row without a name, which is not among the largest. */
static uint32_t first_column(const struct origin *o)
{
	if (o->chart == CHART_MODULES &&
	    history_is_on(&o->ledger->history) &&
	    o->series->of_row[MODULE_NONE])
		return o->series->of_row[MODULE_NONE] - 1u;
	return has_areas_band(o) ? BAND_AREAS : BAND_OTHERS;
}

static void get_chart(struct origin *o, uint32_t chart)
{
	const struct ledger *l = o->ledger;
	const enum table t = chart_table(chart);
	struct chart *c = &o->p->chart[chart];
	uint32_t column;

	o->chart = chart;
	o->series = chart == CHART_KINDS ? NULL : chart == CHART_MODULES ?
		    &l->history.modules : &l->history.tasks;
	memset(o->total, 0, sizeof(o->total));
	for (uint32_t i = 0; o->series && i < table_rows(l, t); i++)
		for (int end = 0; end < 2; end++)
			o->total[end] += row_holds(l, t, i, !end);
	column = first_column(o);
	if (column != BAND_OTHERS)
		add_band(o, column);
	c->fixed = c->bands;
	while (c->bands < c->fixed + BANDS_NAMED &&
	       (column = next_largest(o)) != BAND_OTHERS)
		add_band(o, column);
	add_band(o, BAND_OTHERS);
}

/* The state, or NULL if nothing is known of this row's load or life. */
static const char *span_state(const struct ledger *l, enum table t,
			      uint32_t row)
{
	const struct module *m = &l->modules.row[row];
	const struct task *k = &l->tasks.row[row];

	if (t == TABLE_TASKS ?
	    row < TASKS_FIXED || k->process != row || !k->tid ||
	    k->state == TASK_UNUSED : row < MODULES_FIXED || !m->load_ns)
		return NULL;
	return row_state(l, t, row);
}

static int get_span(const struct picture *p, enum table t, uint32_t row,
		    struct picture_span *s)
{
	const struct ledger *l = p->from;
	const struct module *m = &l->modules.row[row];
	const struct task *k = &l->tasks.row[row];
	const int is_task = t == TABLE_TASKS;
	const struct series *h = is_task ? &l->history.tasks :
					   &l->history.modules;
	const char *state = span_state(l, t, row);
	uint64_t begin_ns, end_ns;

	if (!state)
		return 0;
	begin_ns = picture_time(p, is_task ? k->start_ns : m->load_ns);
	end_ns = (is_task ? k->state == TASK_LIVE :
			    m->state == MODULE_LOADING) ?
		 p->fact[FACT_UNTIL_NS] : history_is_on(&l->history) && h->end_ns[row] ?
		 picture_time(p, h->end_ns[row]) : begin_ns;
	*s = (struct picture_span){ .value = {
		row, is_task ? k->tid : UNKNOWN,
		is_task ? k->parent_tgid : UNKNOWN, begin_ns,
		end_ns < begin_ns ? begin_ns : end_ns,
		is_task ? k->pages.peak : m->pages.peak,
		is_task ? k->held_peak : m->held_peak } };
	print_to(s->name, sizeof(s->name), "%s", row_name(l, t, row));
	print_to(s->state, sizeof(s->state), "%s", state);
	return 1;
}

static void get_facts(const struct report *r, const uint64_t value[FIGURES],
		      const struct origin *o, struct picture *p)
{
	const struct ledger *l = r->ledger;
	const struct session *n = r->session;
	uint64_t *fact = p->fact;
	struct verdict v;

	verdict_get(r, &v);
	fact[FACT_PAGE_BYTES] = n->page_size;
	fact[FACT_RAM_KIB] = value[FIGURE_RAM_KIB];
	fact[FACT_START_NS] = fact[FACT_FROM_NS] = n->start_ns;
	fact[FACT_END_NS] = n->end_ns;
	fact[FACT_UNTIL_NS] = l->last_ns;
	fact[FACT_FREE_START_KIB] = session_kib(n, l->free_start_pages);
	fact[FACT_FREE_LOWEST_KIB] = session_kib(n, l->free_lowest_pages);
	fact[FACT_FREE_LOWEST_NS] = l->free_lowest_ns;
	fact[FACT_PEAK_NS] = l->used_peak_ns;
	fact[FACT_HELD_PAGES] = (uint64_t)o->peak.traced_pages +
				o->peak.areas_pages;
	fact[FACT_HARD_KIB] = fact[FACT_HARD_NS] = UNKNOWN;
	if (l->need.known) {
		fact[FACT_HARD_KIB] = value[FIGURE_HARD_KIB];
		fact[FACT_HARD_NS] = value[FIGURE_HARD_NS];
	}
	fact[FACT_COMPLETE] = (uint64_t)v.complete;
	fact[FACT_SAMPLED] = (uint64_t)is_sampled(l);
	fact[FACT_LOST] = l->total.lost;
	fact[FACT_POINTS] = p->points;
	p->kills = l->kills;
	for (uint32_t i = 0; i < l->kills; i++)
		p->kill_ns[i] = l->kill[i].time_ns;
	p->phases = l->phases;
	memcpy(p->text[TEXT_KERNEL], n->kernel, sizeof(n->kernel));
	memcpy(p->text[TEXT_REASON], n->reason, sizeof(n->reason));
	memcpy(p->text[TEXT_CMDLINE], n->cmdline, sizeof(n->cmdline));
}

static void get_largest(const struct ledger *l, enum table t,
			const struct largest *k, struct picture_name *n)
{
	*n = (struct picture_name){ .pid = UNKNOWN, .row = UNKNOWN };
	if (!k->pages)
		return;
	name_row(l, t, k->row, n);
	n->pages = k->pages;
}

static void get_time(struct picture *p)
{
	const uint64_t *first = p->point[0].value;
	const uint64_t *last = p->points ? p->point[p->points - 1].value : first;

	if (p->points && p->fact[FACT_FROM_NS] > first[POINT_TIME_NS])
		p->fact[FACT_FROM_NS] = first[POINT_TIME_NS];
	if (p->points && p->fact[FACT_UNTIL_NS] < last[POINT_TIME_NS])
		p->fact[FACT_UNTIL_NS] = last[POINT_TIME_NS];
	if (p->fact[FACT_UNTIL_NS] <= p->fact[FACT_FROM_NS])
		p->fact[FACT_UNTIL_NS] = p->fact[FACT_FROM_NS] + 1;
}

void picture_get(const struct report *r, const uint64_t value[FIGURES],
		 struct picture *p)
{
	struct ledger *const l = r->ledger;
	struct origin o = { .ledger = l, .p = p };
	struct picture_span s;

	memset(p, 0, sizeof(*p));
	p->from = l;
	p->get_span = get_span;
	p->without_history = !history_is_on(&l->history);
	get_points(&o);
	for (uint32_t i = 0; i < p->points; i++)
		get_values(r, &o, i);
	for (uint32_t i = 0; i < CHARTS; i++)
		get_chart(&o, i);
	get_facts(r, value, &o, p);
	get_largest(l, TABLE_MODULES, &o.peak.module[0],
		    &p->largest[TABLE_MODULES]);
	get_largest(l, TABLE_TASKS, &o.peak.task[0],
		    &p->largest[TABLE_TASKS]);
	get_time(p);
	for (enum table t = TABLE_MODULES; t <= TABLE_TASKS; t++) {
		p->spans[t] = table_rows(l, t);
		for (uint32_t i = 0; i < p->spans[t]; i++)
			p->fact[FACT_SPANS] += (uint64_t)get_span(p, t, i, &s);
	}
}

const struct picture *picture_of(const struct sheet *s, struct picture *made)
{
	if (s->r->picture)
		return s->r->picture;
	picture_get(s->r, s->value, made);
	return made;
}
