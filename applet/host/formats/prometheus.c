/* SPDX-License-Identifier: MIT */
/*
 * The report for a monitoring system: Prometheus' text format 0.0.4, for
 * node_exporter's textfile directory.
 *
 * Names end in the base unit (bytes, seconds), those of counters in _total, and
 * no sample has a time stamp, because node_exporter refuses them. What is not
 * known has no sample.
 */
#include <string.h>
#include "host/formats/formats.h"

/*
 * The rows of a table for a monitoring system: few, and each name once.
 *
 * Such a system keeps a series for each name of each machine. So rows of one
 * name (processes of one program, modules that were loaded again) are one, and
 * the largest LABELS_SHOWN names, or as many as the report's `top`, stand
 * apart; the rest is one row, "(rest)".
 */

#define LABELS_SHOWN 20u
#define LABELS_MAX 64u

/* Behind the pages of a row: in ns. */
#define LABEL_RUN PAGE_COUNTS

/* Peaks of different instants are never added up: PAGES_PEAK is the highest peak
 * of one row. */
struct label {
	uint32_t row;		/* that has this name */
	uint32_t rows;
	uint64_t value[LABEL_RUN + 1];
};

struct labels {
	enum table table;
	uint32_t used;
	struct label rest;	/* rows 0: there is none */
	struct label label[LABELS_MAX];	/* the largest first */
};

#define REST "(rest)"

/* The rows of a table by name. */
struct by_name {
	struct ranking ranking;		/* first: a by_name is a ranking */
	const struct report *report;
};

/* An address is another one after each boot: it would be a new series. */
static void write_initcall(struct line *l, const struct report *r,
			   uint32_t row)
{
	const size_t start = l->len;

	initcall_write(l, r, row);
	if (l->text[start] != '0')
		return;
	l->len = start;
	line_str(l, "(no name)");
}

/* Only initcalls have names that are not kept: they are written anew. */
static int compare(const struct by_name *n, uint32_t a, uint32_t b)
{
	const struct ledger *l = n->ranking.ledger;
	const enum table t = n->ranking.table;
	char text[2][LINE_BYTES];
	struct line line[2] = { { .text = text[0] }, { .text = text[1] } };
	const struct initcall *i = l->initcalls.row;

	if (t != TABLE_INITCALLS)
		return strcmp(row_name(l, t, a), row_name(l, t, b));
	write_initcall(&line[0], n->report, a);
	write_initcall(&line[1], n->report, b);
	text[0][line[0].len] = text[1][line[1].len] = '\0';
	if (strcmp(text[0], text[1]))
		return strcmp(text[0], text[1]);
	return strcmp(row_name(l, TABLE_MODULES, i[a].module),
		      row_name(l, TABLE_MODULES, i[b].module));
}

static int before(const struct ranking *k, uint32_t a, uint32_t b)
{
	const int sign = compare((const struct by_name *)k, a, b);

	return sign ? sign < 0 : a < b;
}

static void add_label(struct label *to, const struct label *from)
{
	to->rows += from->rows;
	for (unsigned int i = 0; i <= LABEL_RUN; i++) {
		const uint64_t more = from->value[i];

		if (i == PAGES_PEAK)
			to->value[i] = more > to->value[i] ? more : to->value[i];
		else if (more == UNKNOWN || to->value[i] == UNKNOWN)
			to->value[i] = UNKNOWN;
		else
			to->value[i] += more;
	}
}

/* Only from events: frames do not show how long a load took. */
static uint64_t run_ns(const struct ledger *l, uint32_t row)
{
	const struct initcall *i = &l->initcalls.row[row];

	return i->runs ? i->run_ns : UNKNOWN;
}

static void get_row(const struct ledger *l, enum table t, uint32_t row,
		    struct label *label)
{
	*label = (struct label){ .row = row, .rows = 1 };
	row_pages(l, t, row, label->value);
	if (t == TABLE_INITCALLS)
		label->value[LABEL_RUN] = run_ns(l, row);
}

static uint64_t weight(const struct label *l)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i <= PAGES_AT_PEAK; i++)
		if (l->value[i] > most)
			most = l->value[i];
	return most;
}

/* Keeps the largest in order; what has no place goes to the rest. */
static void keep(struct labels *all, struct label moved, uint32_t most)
{
	for (uint32_t i = 0; i < all->used; i++) {
		const struct label kept = all->label[i];

		if (weight(&moved) <= weight(&kept))
			continue;
		all->label[i] = moved;
		moved = kept;
	}
	if (all->used < most)
		all->label[all->used++] = moved;
	else
		add_label(&all->rest, &moved);
}

/* A program may call itself as we call the rest. */
static int is_rest(const struct ledger *l, enum table t, uint32_t row)
{
	return t != TABLE_INITCALLS && !strcmp(row_name(l, t, row), REST);
}

static void get_labels(const struct report *r, enum table t, struct labels *all)
{
	const struct ledger *l = r->ledger;
	const uint32_t most = (uint32_t)smaller(r->top ? r->top : LABELS_SHOWN,
						LABELS_MAX);
	struct by_name n = { .report = r, .ranking = {
		.ledger = l, .table = t, .item = l->scratch,
		.capacity = l->scratch_capacity, .before = before,
	} };
	struct label label, next;

	*all = (struct labels){ .table = t };
	for (uint32_t i = 0; i < table_rows(l, t); i++)
		if (row_peak(l, t, i))
			ranking_offer(&n.ranking, i);
	ranking_sort(&n.ranking);
	for (uint32_t i = 0; i < n.ranking.kept;) {
		get_row(l, t, l->scratch[i], &label);
		while (++i < n.ranking.kept &&
		       !compare(&n, label.row, l->scratch[i])) {
			get_row(l, t, l->scratch[i], &next);
			add_label(&label, &next);
		}
		if (is_rest(l, t, label.row))
			add_label(&all->rest, &label);
		else
			keep(all, label, most);
	}
}

/* module="xfs", task="load", initcall="populate_rootfs",module=""; NULL: the
 * rest. */
static void write_label(struct sheet *s, enum table t, const struct label *l)
{
	const struct ledger *g = s->ledger;
	const uint32_t module = l && t == TABLE_INITCALLS ?
				g->initcalls.row[l->row].module : 0;

	line_str(&s->line, table_name(t));
	line_str(&s->line, "=\"");
	if (!l)
		line_str(&s->line, REST);
	else if (t == TABLE_INITCALLS)
		write_initcall(&s->line, s->r, l->row);
	else
		line_name(&s->line, row_name(g, t, l->row));
	if (t == TABLE_INITCALLS)
		line_str(&s->line, "\",module=\"");
	if (module)
		row_write(&s->line, g, TABLE_MODULES, module);
	line_char(&s->line, '"');
}

enum unit { COUNT, BYTES, KIB, PAGES, NS };

static const struct metric {
	const char *name, *help;
	uint8_t figure;		/* enum figure; of a table: place of a label */
	uint8_t unit;
	uint8_t counter;
} metrics[] = {
	{ "ram_bytes", "RAM that the kernel manages, free and in use.",
	  FIGURE_RAM_KIB, KIB, 0 },
	{ "memory_free_start_bytes", "Free memory when tracing began.",
	  FIGURE_FREE_START_KIB, KIB, 0 },
	{ "memory_free_bytes", "Free memory at the report.",
	  FIGURE_FREE_NOW_KIB, KIB, 0 },
	{ "memory_free_lowest_bytes", "The lowest free memory.",
	  FIGURE_FREE_LOWEST_KIB, KIB, 0 },
	{ "memory_free_lowest_uptime_seconds",
	  "When it was, since the kernel started.",
	  FIGURE_FREE_LOWEST_NS, NS, 0 },
	{ "memory_advised_bytes", "Memory that is enough, with a twentieth more.",
	  FIGURE_ADVICE_KIB, KIB, 0 },
	{ "memory_needed_bytes", "Memory that was needed.",
	  FIGURE_NEED_KIB, KIB, 0 },
	{ "start_uptime_seconds", "When tracing began.",
	  FIGURE_START_NS, NS, 0 },
	{ "report_uptime_seconds", "When this was written.",
	  FIGURE_END_NS, NS, 0 },
	{ "traced_bytes", "Traced pages that are held.",
	  FIGURE_NOW_PAGES, PAGES, 0 },
	{ "traced_peak_bytes", "The most that was held at one instant.",
	  FIGURE_PEAK_PAGES, PAGES, 0 },
	{ "traced_peak_uptime_seconds", "When it was held.",
	  FIGURE_PEAK_NS, NS, 0 },
	{ "areas_bytes", "Held in areas, which no event of pages shows.",
	  FIGURE_AREAS, PAGES, 0 },
	{ "allocations_total", "Allocations that were seen.",
	  FIGURE_ALLOCS, COUNT, 1 },
	{ "frees_total", "Frees that were seen.", FIGURE_FREES, COUNT, 1 },
	{ "lost_events_total", "Events that were lost: if there are any, no "
	  "figure is exact.", FIGURE_LOST, COUNT, 1 },
	{ "own_bytes", "Memory of the tracer itself.",
	  FIGURE_OWN_BYTES, BYTES, 0 },
	{ "own_cpu_seconds_total", "Time that the tracer has run.",
	  FIGURE_CPU_NS, NS, 1 },
};

/* Of modules, tasks and initcalls; a table's own name stands before it. */
static const struct metric rows[] = {
	{ "bytes", "Held now.", PAGES_NOW, PAGES, 0 },
	{ "peak_bytes", "The highest peak of one of this name.",
	  PAGES_PEAK, PAGES, 0 },
	{ "at_peak_bytes", "Held when the most was used.",
	  PAGES_AT_PEAK, PAGES, 0 },
	{ "image_bytes", "Memory of its code and data.",
	  PAGES_IMAGE, PAGES, 0 },
	{ "vmalloc_bytes", "Held in areas that its code asked for.",
	  PAGES_VMALLOC, PAGES, 0 },
	{ "run_seconds", "Time of all its runs.", LABEL_RUN, NS, 0 },
};

/* "memstrack_module_peak_bytes" */
static void put_name(struct sheet *s, const char *table, const char *name)
{
	line_str(&s->line, "memstrack_");
	line_str(&s->line, table);
	line_str(&s->line, *table ? "_" : "");
	line_str(&s->line, name);
}

static void put_head(struct sheet *s, const char *table, const char *name,
		     const char *help, int is_counter)
{
	line_str(&s->line, "# HELP ");
	put_name(s, table, name);
	line_char(&s->line, ' ');
	sheet_line(s, help, NULL);
	line_str(&s->line, "# TYPE ");
	put_name(s, table, name);
	sheet_line(s, is_counter ? " counter" : " gauge", NULL);
}

static void put_seconds(struct line *l, uint64_t ns)
{
	uint64_t unit = 100000000;

	line_value(l, " %u.", ns / 1000000000);
	for (; unit; unit /= 10)
		line_char(l, (char)('0' + ns / unit % 10));
}

static void put_value(struct sheet *s, enum unit unit, uint64_t value)
{
	const uint64_t bytes[] = {
		[COUNT] = 1, [BYTES] = 1, [KIB] = 1024,
		[PAGES] = s->r->session->page_size,
	};

	if (unit == NS)
		put_seconds(&s->line, value);
	else if (__builtin_mul_overflow(value, bytes[unit], &value))
		line_str(&s->line, " +Inf");
	else
		line_fill(&s->line, " %u", &value);
	sheet_emit(s);
}

/* What this build is and what was traced, as labels. */
static void put_info(struct sheet *s)
{
	put_head(s, "", "info", "What was traced, and why it is reported.", 0);
	put_name(s, "", "info{version=\"" MEMSTRACK_VERSION);
	line_quoted(&s->line, "\",kernel=\"", s->r->session->kernel);
	line_quoted(&s->line, ",source=\"", s->ledger->source);
	line_quoted(&s->line, ",reason=\"", s->r->session->reason);
	sheet_line(s, "} 1", NULL);
}

static void put_complete(struct sheet *s)
{
	struct verdict v;

	verdict_get(s->r, &v);
	put_head(s, "", "complete", "1: every figure is exact.", 0);
	put_name(s, "", "complete");
	put_value(s, COUNT, (uint64_t)v.complete);
}

/* Without a sample of free memory, no advice has a meaning. */
static int is_known(const struct sheet *s, enum figure f)
{
	return s->value[f] != UNKNOWN &&
	       (s->ledger->memory_sampled || f < FIGURE_ADVICE ||
		f >= FIGURE_HEAD);
}

static void put_metrics(struct sheet *s)
{
	for (const struct metric *m = metrics;
	     m < metrics + ARRAY_LEN(metrics); m++) {
		if (!is_known(s, m->figure))
			continue;
		put_head(s, "", m->name, m->help, m->counter);
		put_name(s, "", m->name);
		put_value(s, m->unit, s->value[m->figure]);
	}
}

static void put_row(struct sheet *s, const struct labels *all,
		    const struct metric *m, const struct label *l)
{
	if (l->value[m->figure] == UNKNOWN)
		return;
	put_name(s, table_name(all->table), m->name);
	line_char(&s->line, '{');
	write_label(s, all->table, l == &all->rest ? NULL : l);
	line_char(&s->line, '}');
	put_value(s, m->unit, l->value[m->figure]);
}

static int has_value(const struct labels *all, unsigned int figure)
{
	for (uint32_t i = 0; i < all->used; i++)
		if (all->label[i].value[figure] != UNKNOWN)
			return 1;
	return 0;
}

static void put_table(struct sheet *s, enum table t)
{
	struct labels all;

	get_labels(s->r, t, &all);
	for (const struct metric *m = rows;
	     all.used && m < rows + ARRAY_LEN(rows); m++) {
		if (!has_value(&all, m->figure) ||
		    (m->figure == LABEL_RUN && t != TABLE_INITCALLS))
			continue;
		put_head(s, table_name(t), m->name, m->help, 0);
		for (uint32_t i = 0; i < all.used; i++)
			put_row(s, &all, m, &all.label[i]);
		if (all.rest.rows)
			put_row(s, &all, m, &all.rest);
	}
}

static void prometheus(struct sheet *s)
{
	put_info(s);
	put_complete(s);
	put_metrics(s);
	put_table(s, TABLE_MODULES);
	put_table(s, TABLE_TASKS);
	put_table(s, TABLE_INITCALLS);
	s->last = 1;
	if (!s->value[FIGURE_CUT])
		return;
	sheet_figures(s, "# %u line%s not written", FIGURE_CUT);
	sheet_emit(s);
}

void report_prometheus(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_LABEL, prometheus);
}
