/* SPDX-License-Identifier: MIT */
/*
 * The report as trace events, which ui.perfetto.dev and chrome://tracing open:
 * counters of free memory and of what is held, spans of module loads and of
 * processes, instants of the peak, of the lowest free memory and of OOM kills.
 *
 * Format: "Trace Event Format", Google. One JSON object, with one event a line;
 * ts and dur are in microseconds. A counter stays until its next event, so an
 * event is written only where the value changes. Three processes that do not
 * exist give the tracks an order; in the third, a thread is a process.
 */
#include <string.h>
#include "report/report.h"
#include "report/parts.h"

/* Bytes of a name, and of a piece of the command line, fully escaped. */
#define PIECE_BYTES 100u

enum track { TRACK_MEMORY = 1, TRACK_LOADS, TRACK_LIVES };

/* ,{"name":"…" */
static void begin(struct sheet *s, const char *prefix, const char *name)
{
	line_str(&s->line, ",{\"name\":\"");
	line_str(&s->line, prefix);
	line_name_within(&s->line, name, LINE_BYTES, JSON_NAME_ROOM);
}

static void put_us(struct sheet *s, const char *key, uint64_t ns)
{
	line_str(&s->line, key);
	line_fill(&s->line, "%u.%u%u%u", (const uint64_t[]){
		  ns / 1000, ns / 100 % 10, ns / 10 % 10, ns % 10 });
}

/* ","ph":"X","pid":2,"tid":3,"ts":1.234 */
static void put_event(struct sheet *s, const char *phase, enum track track,
		      uint32_t tid, uint64_t time_ns)
{
	line_str(&s->line, "\",\"ph\":\"");
	line_str(&s->line, phase);
	line_fill(&s->line, "\",\"pid\":%u,\"tid\":%u",
		  (const uint64_t[]){ track, tid });
	put_us(s, ",\"ts\":", time_ns);
}

/* The first event: it has no comma before it. */
static void put_track(struct sheet *s, enum track track, const char *name)
{
	line_str(&s->line, track == TRACK_MEMORY ?
		 "{\"name\":\"process_name" : ",{\"name\":\"process_name");
	put_event(s, "M", track, 0, 0);
	line_str(&s->line, ",\"args\":{\"name\":\"");
	line_str(&s->line, name);
	line_str(&s->line, "\"}}");
	sheet_emit(s);
	begin(s, "", "process_sort_index");
	put_event(s, "M", track, 0, 0);
	sheet_line(s, ",\"args\":{\"sort_index\":%u}}", &(uint64_t){ track });
}

/* As pieces, because all of it may be longer than a line. */
static void put_cmdline(struct sheet *s)
{
	const char *text = s->r->session->cmdline;

	while (*text) {
		size_t len = 0;

		while (text[len] && len < PIECE_BYTES)
			len++;
		line_char(&s->line, '"');
		line_name_within(&s->line, text, len, LINE_BYTES);
		line_char(&s->line, '"');
		text += len;
		if (*text)
			line_char(&s->line, ',');
		sheet_emit(s);
	}
}

static void put_head(struct sheet *s)
{
	const struct session *n = s->r->session;
	struct verdict v;

	line_quoted(&s->line, "{\"displayTimeUnit\":\"ms\",\"otherData\":{"
		    "\"version\":\"memstrack " MEMSTRACK_VERSION "\","
		    "\"kernel\":\"", n->kernel);
	json_name(s, "reason", n->reason);
	json_number(s, "ram_kib", s->value[FIGURE_RAM_KIB]);
	verdict_get(s->r, &v);
	json_number(s, "complete", (uint64_t)v.complete);
	json_number(s, "lost", s->ledger->total.lost);
	line_str(&s->line, ",\"command_line\":[");
	sheet_emit(s);
	put_cmdline(s);
	line_str(&s->line, "]},\"traceEvents\":[");
	sheet_emit(s);
	put_track(s, TRACK_MEMORY, "memory");
	put_track(s, TRACK_LOADS, "module loads");
	put_track(s, TRACK_LIVES, "processes");
}


static void put_kib(struct sheet *s, uint64_t time_ns, uint64_t kib)
{
	put_event(s, "C", TRACK_MEMORY, 0, time_ns);
	sheet_line(s, ",\"args\":{\"KiB\":%u}}", &kib);
}

enum { FREE, HARD, TRACED, AREAS, SLAB, COUNTERS };

static uint64_t counter_kib(const struct sheet *s, const struct picture *p,
			    int which, uint32_t i)
{
	const struct moment *k = p->point[i].m;

	if (which == HARD)
		return picture_hard_kib(p, i);
	if (which == SLAB)
		return k->slab_bytes / 1024;
	return pages_kib(which == FREE ? k->free_pages :
			 which == TRACED ? k->traced_pages : k->areas_pages,
			 s->line.page_kib);
}

static void put_value(struct sheet *s, const char *name, uint64_t time_ns,
		      uint64_t kib, uint64_t *last)
{
	if (kib == *last || kib == UNKNOWN)
		return;
	*last = kib;
	begin(s, "", name);
	put_kib(s, time_ns, kib);
}

/* The lowest free memory may lie between two points, and so may the most that
 * could not be given back. */
static void put_counter(struct sheet *s, const struct picture *p, int which,
			const char *name)
{
	const uint64_t ns = which == FREE ? p->ledger->free_lowest_ns :
					    s->value[FIGURE_HARD_NS];
	const uint64_t kib = s->value[which == FREE ? FIGURE_FREE_LOWEST_KIB :
						      FIGURE_HARD_KIB];
	uint64_t last = UNKNOWN;

	for (uint32_t i = 0; i < p->points; i++) {
		const uint64_t at_ns = p->point[i].m->time_ns;

		put_value(s, name, at_ns, counter_kib(s, p, which, i), &last);
		if (which <= HARD && at_ns <= ns &&
		    (i + 1 == p->points || p->point[i + 1].m->time_ns > ns))
			put_value(s, name, ns, kib, &last);
	}
}

static void put_counters(struct sheet *s, const struct picture *p)
{
	static const char *const names[COUNTERS] = {
		"free", "unreclaimable", "traced", "areas", "slab objects",
	};

	for (int c = 0; c < COUNTERS; c++)
		if (!(c == TRACED && p->ledger->samples.on) &&
		    !(c == HARD && !p->ledger->need.known) &&
		    !(c == SLAB && !p->ledger->slab.on))
			put_counter(s, p, c, names[c]);
}

#define PREFIX_BYTES 40u

/* The prefix of a band's name. If several bands have one name, a number
 * distinguishes the third and all later bands. */
static void write_prefix(char to[PREFIX_BYTES], const struct picture *p,
			 const struct chart *c, uint32_t b)
{
	const char *kind = table_name(c->table);
	uint32_t pid, other;
	const char *name = band_name(p, c, &c->band[b], &pid);
	unsigned int again = 0;

	for (uint32_t i = 0; i < b; i++)
		again += !strcmp(name, band_name(p, c, &c->band[i], &other)) &&
			 pid == other;
	if (again < 2)
		print_to(to, PREFIX_BYTES, "%s%s ", kind,
			 again ? ", another" : "");
	else
		print_to(to, PREFIX_BYTES, "%s, another %u ", kind, again);
}

static void put_band(struct sheet *s, const struct picture *p,
		     const struct chart *c, uint32_t b)
{
	uint32_t pid;
	const char *name = band_name(p, c, &c->band[b], &pid);
	char prefix[PREFIX_BYTES];
	uint64_t last = UNKNOWN;

	write_prefix(prefix, p, c, b);
	for (uint32_t i = 0; i < p->points; i++) {
		const uint64_t kib = pages_kib(band_pages(p, c, b, i),
					       s->line.page_kib);

		if (kib == last)
			continue;
		last = kib;
		begin(s, prefix, name);
		if (pid)
			line_value(&s->line, "[%u]", pid);
		put_kib(s, p->point[i].m->time_ns, kib);
	}
}

static void put_spans(struct sheet *s, const struct picture *p, enum table t)
{
	const struct ledger *l = p->ledger;
	const enum track track = t == TABLE_TASKS ? TRACK_LIVES : TRACK_LOADS;
	const uint32_t rows = t == TABLE_TASKS ? l->tasks.used :
						 l->modules.used;
	uint64_t begin_ns, end_ns;

	for (uint32_t i = 0; i < rows; i++) {
		const uint32_t tid = t == TABLE_TASKS ? l->tasks.row[i].tid : i;
		const char *name = row_name(l, t, i);
		char number[13];

		if (!picture_span(p, t, i, &begin_ns, &end_ns))
			continue;
		if (!name[0]) {		/* Perfetto refuses such an event */
			print_to(number, sizeof(number), "[%u]", tid);
			name = number;
		}
		begin(s, "", "thread_name");
		put_event(s, "M", track, tid, 0);
		line_quoted(&s->line, ",\"args\":{\"name\":\"", name);
		line_str(&s->line, "}}");
		sheet_emit(s);
		begin(s, "", name);
		put_event(s, "X", track, tid, begin_ns);
		put_us(s, ",\"dur\":", end_ns - begin_ns);
		line_quoted(&s->line, ",\"args\":{\"state\":\"",
			    row_state(l, t, i));
		if (t == TABLE_TASKS)
			json_number(s, "ppid", l->tasks.row[i].parent_tgid);
		sheet_line(s, ",\"peak_kib\":%u}}", &(uint64_t){
			   pages_kib(t == TABLE_TASKS ?
				     l->tasks.row[i].pages.peak :
				     l->modules.row[i].pages.peak,
				     s->line.page_kib) });
	}
}

static void put_instant(struct sheet *s, const struct picture *p,
			const char *name, uint64_t time_ns)
{
	begin(s, "", name);
	put_event(s, "i", TRACK_MEMORY, 0, picture_time(p, time_ns));
	line_str(&s->line, ",\"s\":\"g\"}");
	sheet_emit(s);
}

static void chrome(struct sheet *s)
{
	const struct ledger *l = s->ledger;
	struct picture p;

	s->last = 1;	/* whole, or it is no JSON */
	picture_get(s->r, &p);
	put_head(s);
	put_counters(s, &p);
	for (uint32_t i = 0; p.points && i < CHARTS; i++)
		for (uint32_t b = 0; b < p.chart[i].bands; b++)
			put_band(s, &p, &p.chart[i], b);
	put_spans(s, &p, TABLE_MODULES);
	put_spans(s, &p, TABLE_TASKS);
	if (p.points) {
		put_instant(s, &p, "most used", l->used_peak_ns);
		put_instant(s, &p, "lowest free", l->free_lowest_ns);
	}
	for (uint32_t i = 0; i < l->kills; i++)
		put_instant(s, &p, "OOM kill", l->kill[i].time_ns);
	line_str(&s->line, "]}");
	sheet_emit(s);
}

void report_chrome(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_JSON, chrome);
}
