/* SPDX-License-Identifier: MIT */
/*
 * The report for a monitoring system: Prometheus' text format 0.0.4, for
 * node_exporter's textfile directory.
 *
 * Names end in the base unit (bytes, seconds), those of counters in _total, and
 * no sample has a time stamp, because node_exporter refuses them. What is not
 * known has no sample. Names of tables: see parts.h, labels.
 */
#include "report/report.h"
#include "report/parts.h"

enum unit { COUNT, BYTES, KIB, PAGES, NS };

static const struct metric {
	const char *name, *help;
	uint8_t figure;		/* enum figure; of a table: enum label_value */
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
	{ "bytes", "Held now.", LABEL_NOW, PAGES, 0 },
	{ "peak_bytes", "The highest peak of one of this name.",
	  LABEL_PEAK, PAGES, 0 },
	{ "at_peak_bytes", "Held when the most was used.",
	  LABEL_AT_PEAK, PAGES, 0 },
	{ "image_bytes", "Memory of its code and data.",
	  LABEL_IMAGE, PAGES, 0 },
	{ "vmalloc_bytes", "Held in areas that its code asked for.",
	  LABEL_VMALLOC, PAGES, 0 },
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
	label_write(s, all->table, l == &all->rest ? NULL : l);
	line_char(&s->line, '}');
	put_value(s, m->unit, l->value[m->figure]);
}

static int has_value(const struct labels *all, enum label_value figure)
{
	for (uint32_t i = 0; i < all->used; i++)
		if (all->label[i].value[figure] != UNKNOWN)
			return 1;
	return 0;
}

static void put_table(struct sheet *s, enum table t)
{
	struct labels all;

	labels_get(s->r, t, &all);
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
