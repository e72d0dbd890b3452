/* SPDX-License-Identifier: MIT */
/* See tracer.h, before init. */
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "report/report.h"
#include "tracer/tracer.h"

/* init waits while we read. */
#define READ_NS 1000000000u
/* This many events are applied between two looks at the clock. */
#define EVENTS_A_LOOK 256u

#define BUFFER_FIGURE "trace_buf_size"
#define BUFFER_ROW "trace buffers"

uint64_t before_init_find(struct engine *g)
{
	if (has_feature(FEATURE_BEFORE) && g->boot)
		before_look(&g->before, &g->session);
	return !before_init_found(g) ? 0 :
	       before_arena_bytes(source_cpus(), g->session.page_size);
}

void before_init_open(struct engine *g)
{
	if (!before_init_found(g))
		return;
	if (!g->source->kind->needs_tracefs ||
	    before_open(&g->before, &g->arena, &g->offer, source_cpus(),
			g->session.page_size)) {
		session_note(&g->session, "the record from before init cannot "
			     "be read");
		g->before.used = 0;
	}
}

static void keep_lists(struct event_out *o, const struct event *e)
{
	((struct before_init_memory *)o)->lists = *e;
}

static void sample(const struct engine *g, struct before_init_memory *m)
{
	*m = (struct before_init_memory){ .out.event = keep_lists };
	m->free_pages = system_free_bytes() / g->session.page_size;
	proc_pcp(&m->out, 0, g->zoneinfo_fd);
}

/* The functions that are looked for in /proc/kallsyms. */
enum { CALLER, TRACER, FUNCTIONS_SOUGHT };

struct sought {
	uint64_t base[FUNCTIONS_SOUGHT], end[FUNCTIONS_SOUGHT];
};

static void see_symbol(struct sought *k, const char *line, size_t len)
{
	static const char *const names[] = {
		[CALLER] = "do_one_initcall",
		[TRACER] = "trace_event_raw_event_mm_page_alloc",
	};
	const char *name;
	uint64_t start;

	if (symbol_parse(line, &len, &start, &name))
		return;
	for (int i = 0; i < FUNCTIONS_SOUGHT; i++) {
		if (k->base[i] && !k->end[i] && start > k->base[i])
			k->end[i] = start;
		if (word_is(&(struct word){ name, len }, names[i]))
			k->base[i] = start;
	}
}

/* Both lie in the first tenth of the file or so. */
static void find_functions(struct engine *g)
{
	int fd = system_open_path("/proc/kallsyms", O_RDONLY);
	struct sought k = { { 0 }, { 0 } };
	struct lines lines;
	struct event *e;
	char *line;
	size_t len;

	if (fd < 0)
		return;
	lines_begin(&lines, fd);
	while (!(k.end[CALLER] && k.end[TRACER]) &&
	       (line = lines_next(&lines, &len)))
		see_symbol(&k, line, len);
	close(fd);
	g->before.tracer = k.base[TRACER];
	g->before.tracer_bytes = k.end[TRACER] ? k.end[TRACER] - k.base[TRACER] :
						 0;
	if (!k.end[CALLER])
		return;
	e = engine_event(g, EVENT_INITCALL_CALLER, 0);
	e->base = k.base[CALLER];
	e->size = k.end[CALLER] - k.base[CALLER];
	engine_take(g, e);
}

static void mark(struct engine *g, uint64_t time_ns)
{
	struct event *e = engine_event(g, EVENT_BEFORE_INIT, time_ns);

	e->pages = g->before.given;
	e->lost = g->before.overrun;
	engine_take(g, e);
}

/* Returns whether the whole record was read. */
static int apply_record(struct engine *g, uint64_t until_ns)
{
	const uint64_t end_ns = until_ns + READ_NS;
	int begun = 0;
	struct event e;

	before_begin(&g->before);
	while (before_next(&g->before, &e)) {
		if (!begun++) {
			g->session.start_ns = e.time_ns;
			mark(g, e.time_ns);
		}
		if (e.time_ns < until_ns)
			engine_take(g, &e);
		if (g->before.given % EVENTS_A_LOOK == 0 &&
		    clock_ns(CLOCK_MONOTONIC) > end_ns)
			return 0;
	}
	if (!begun)
		mark(g, until_ns);
	return 1;
}

/* Takes names for tasks that have none. */
struct namer {
	struct event_out out;
	struct engine *engine;
};

static void take_name(struct event_out *o, const struct event *e)
{
	struct engine *g = ((struct namer *)o)->engine;
	const uint32_t row = tasks_find(&g->ledger.tasks, e->tid);

	if (row && !g->ledger.tasks.row[row].comm[0])
		engine_take(g, e);
}

/* Tasks that still exist get their names from /proc, later. The other tasks
 * have exited, and their exit was not recorded. */
static void name_tasks(struct engine *g, uint64_t now_ns)
{
	struct namer n = { { take_name }, g };
	struct event *idle = engine_event(g, EVENT_COMM, now_ns);
	struct stat st;
	char path[32];

	strcpy(idle->name, "swapper");
	take_name(&n.out, idle);
	before_names(&n.out, now_ns);
	for (uint32_t i = TASKS_FIXED; i < g->ledger.tasks.used; i++) {
		struct event *e = engine_event(g, EVENT_EXIT, now_ns);

		e->tid = g->ledger.tasks.row[i].tid;
		print_to(path, sizeof(path), "/proc/%u", e->tid);
		if (e->tid && system_stat_path(path, &st))
			engine_take(g, e);
	}
}

static void emit_missing(struct engine *g, uint64_t now_ns, uint64_t entries,
			 const char *why)
{
	struct event *e = engine_event(g, EVENT_LOST, now_ns);

	e->lost = entries;
	g->lost_before_init += entries;
	engine_take(g, e);
	session_note(&g->session, "%llu entries before init are missing: %s",
		     (unsigned long long)entries, why);
}

static void note_overrun(struct engine *g)
{
	const uint64_t tenths = g->session.start_ns / 100000000;

	session_note(&g->session, "before +%llu.%llu s not recorded, %llu "
		     "entries: raise trace_buf_size (%lluK)",
		     (unsigned long long)tenths / 10,
		     (unsigned long long)tenths % 10,
		     (unsigned long long)g->before.overrun,
		     (unsigned long long)g->before.buffer_kib);
}

uint64_t before_init_read(struct engine *g, struct before_init_memory *m)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	sample(g, m);
	g->from_ns = now_ns;
	before_stop(&g->before);
	find_functions(g);
	if (!apply_record(g, now_ns))
		emit_missing(g, now_ns, before_unread(&g->before),
			     "to read them took more than 1 s");
	if (g->before.dropped)
		emit_missing(g, now_ns, g->before.dropped,
			     "their buffer was full: raise trace_buf_size");
	if (g->before.overrun)
		note_overrun(g);
	if (g->before.bad)
		session_note(&g->session, "%llu entries of the record from "
			     "before init are not of their format",
			     (unsigned long long)g->before.bad);
	name_tasks(g, now_ns);
	mark(g, now_ns);
	before_close(&g->before);
	return now_ns;
}

void before_init_emit(struct engine *g, uint64_t now_ns)
{
	const uint64_t bytes = g->before.buffers_kib << 10;
	struct event *e = engine_event(g, EVENT_RAM, now_ns);

	figure_emit(&g->events, now_ns, BUFFER_FIGURE, bytes);
	strcpy(e->name, BUFFER_ROW);
	e->flags = RAM_BEFORE;
	e->size = bytes;
	engine_take(g, e);
}
