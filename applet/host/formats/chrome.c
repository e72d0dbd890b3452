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
#include "host/formats/formats.h"

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
static void put_cmdline(struct sheet *s, const char *text)
{
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

static void put_head(struct sheet *s, const struct picture *p)
{
	line_quoted(&s->line, "{\"displayTimeUnit\":\"ms\",\"otherData\":{"
		    "\"version\":\"memstrack " MEMSTRACK_VERSION "\","
		    "\"kernel\":\"", p->text[TEXT_KERNEL]);
	json_name(s, "reason", p->text[TEXT_REASON]);
	json_number(s, "ram_kib", p->fact[FACT_RAM_KIB]);
	json_number(s, "complete", p->fact[FACT_COMPLETE]);
	json_number(s, "lost", p->fact[FACT_LOST]);
	line_str(&s->line, ",\"command_line\":[");
	sheet_emit(s);
	put_cmdline(s, p->text[TEXT_CMDLINE]);
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
	const uint64_t *value = p->point[i].value;
	const uint64_t live_bytes = value[POINT_LIVE_BYTES];

	switch (which) {
	case FREE:
		return value[POINT_FREE_KIB];
	case HARD:
		return value[POINT_HARD_KIB];
	case SLAB:
		return live_bytes == UNKNOWN ? UNKNOWN : live_bytes / 1024;
	}
	return pages_kib(value[which == TRACED ? POINT_TRACED : POINT_AREAS],
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
	const uint64_t ns = p->fact[which == FREE ? FACT_FREE_LOWEST_NS :
						    FACT_HARD_NS];
	const uint64_t kib = p->fact[which == FREE ? FACT_FREE_LOWEST_KIB :
						     FACT_HARD_KIB];
	uint64_t last = UNKNOWN;

	for (uint32_t i = 0; i < p->points; i++) {
		const uint64_t at_ns = p->point[i].value[POINT_TIME_NS];
		const int last_one = i + 1 == p->points;

		put_value(s, name, at_ns, counter_kib(s, p, which, i), &last);
		if (which <= HARD && at_ns <= ns &&
		    (last_one || p->point[i + 1].value[POINT_TIME_NS] > ns))
			put_value(s, name, ns, kib, &last);
	}
}

static void put_counters(struct sheet *s, const struct picture *p)
{
	static const char *const names[COUNTERS] = {
		"free", "unreclaimable", "traced", "areas", "slab objects",
	};

	for (int c = 0; c < COUNTERS; c++)
		if (!(c == TRACED && p->fact[FACT_SAMPLED]) &&
		    !(c == HARD && p->fact[FACT_HARD_KIB] == UNKNOWN))
			put_counter(s, p, c, names[c]);
}

#define PREFIX_BYTES 40u

/* The prefix of a band's name. If several bands have one name, a number
 * distinguishes the third and all later bands. */
static void write_prefix(char to[PREFIX_BYTES], const struct picture *p,
			 uint32_t chart, uint32_t b)
{
	const char *kind = table_name(chart_table(chart));
	const struct picture_name *band = p->chart[chart].band;
	unsigned int again = 0;

	for (uint32_t i = 0; i < b; i++)
		again += !strcmp(band[b].name, band[i].name) &&
			 band[b].pid == band[i].pid;
	if (again < 2)
		print_to(to, PREFIX_BYTES, "%s%s ", kind,
			 again ? ", another" : "");
	else
		print_to(to, PREFIX_BYTES, "%s, another %u ", kind, again);
}

static void put_band(struct sheet *s, const struct picture *p,
		     uint32_t chart, uint32_t b)
{
	const struct picture_name *band = &p->chart[chart].band[b];
	char prefix[PREFIX_BYTES];
	uint64_t last = UNKNOWN;

	write_prefix(prefix, p, chart, b);
	for (uint32_t i = 0; i < p->points; i++) {
		const uint64_t kib = pages_kib(p->point[i].pages[chart][b],
					       s->line.page_kib);

		if (kib == last)
			continue;
		last = kib;
		begin(s, prefix, band->name);
		if (band->pid != UNKNOWN)
			line_value(&s->line, "[%u]", band->pid);
		put_kib(s, p->point[i].value[POINT_TIME_NS], kib);
	}
}

static void put_spans(struct sheet *s, const struct picture *p, enum table t)
{
	const enum track track = t == TABLE_TASKS ? TRACK_LIVES : TRACK_LOADS;
	struct picture_span k;

	for (uint32_t i = 0; i < p->spans[t]; i++) {
		uint32_t tid;

		if (!p->get_span(p, t, i, &k))
			continue;
		tid = (uint32_t)k.value[t == TABLE_TASKS ? SPAN_PID : SPAN_ROW];
		if (!k.name[0])		/* Perfetto refuses such an event */
			print_to(k.name, sizeof(k.name), "[%u]", tid);
		begin(s, "", "thread_name");
		put_event(s, "M", track, tid, 0);
		line_quoted(&s->line, ",\"args\":{\"name\":\"", k.name);
		line_str(&s->line, "}}");
		sheet_emit(s);
		begin(s, "", k.name);
		put_event(s, "X", track, tid, k.value[SPAN_BEGIN_NS]);
		put_us(s, ",\"dur\":", k.value[SPAN_END_NS] -
					 k.value[SPAN_BEGIN_NS]);
		line_quoted(&s->line, ",\"args\":{\"state\":\"", k.state);
		if (t == TABLE_TASKS)
			json_number(s, "ppid", k.value[SPAN_PPID]);
		sheet_line(s, ",\"peak_kib\":%u}}", &(uint64_t){
			   pages_kib(k.value[SPAN_PEAK], s->line.page_kib) });
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
	struct picture made;
	const struct picture *p = picture_of(s, &made);

	s->last = 1;	/* whole, or it is no JSON */
	put_head(s, p);
	put_counters(s, p);
	for (uint32_t i = 0; p->points && i < CHARTS; i++)
		for (uint32_t b = 0; b < p->chart[i].bands; b++)
			put_band(s, p, i, b);
	put_spans(s, p, TABLE_MODULES);
	put_spans(s, p, TABLE_TASKS);
	if (p->points) {
		put_instant(s, p, "most used", p->fact[FACT_PEAK_NS]);
		put_instant(s, p, "lowest free", p->fact[FACT_FREE_LOWEST_NS]);
	}
	for (uint32_t i = 0; i < p->kills; i++)
		put_instant(s, p, "OOM kill", p->kill_ns[i]);
	for (uint32_t i = 0; i < p->phases.used; i++)
		put_instant(s, p, p->phases.phase[i].name,
			    p->phases.phase[i].time_ns);
	line_str(&s->line, "]}");
	sheet_emit(s);
}

void report_chrome(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_JSON, chrome);
}
