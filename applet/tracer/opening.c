/* SPDX-License-Identifier: MIT */
/* Events that are opened in time, and events that are not: see tracer.h,
 * opening. */
#include <time.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"
#include "source/tracefs/tracefs.h"
#include "tracer/tracer.h"

/* The time between two drains, unless a single event takes longer. */
#define SLICE_MS 5u

/* An event is slow if it takes longer than this. One may be an accident, because
 * another task had the CPU; after so many in a row, the others follow when PID 1
 * runs. So PID 1 waits some tenths of a second for the rest, however many CPUs
 * there are. */
#define SLOW_MS 20u
#define SLOW_MOST 2u

static uint64_t ms_since(uint64_t ns)
{
	return (clock_ns(CLOCK_MONOTONIC) - ns) / 1000000;
}

/* The last event of the rest, and how many in a row were slow. The first one took
 * as long as that of frees, or that of allocations. */
struct pace {
	uint64_t event_ms;
	uint32_t slow;
};

static struct pace pace_of(uint64_t event_ms, uint32_t slow_before)
{
	return (struct pace){ event_ms,
			      event_ms > SLOW_MS ? slow_before + 1 : 0 };
}

/* Of the other CPUs' page events each takes a millisecond at most, of the rest
 * each as long as the one before it. With rd.memstrack.ready= all are worth the
 * time. */
static int is_in_time(const struct engine *g, const struct pace *p)
{
	const uint32_t ready_s = g->config->ready_s;
	uint64_t end_ms = ms_since(g->began_ns);

	if (g->source->opening == OPENING_REST)
		end_ms += p->event_ms;
	return !g->boot ||
	       (end_ms + READY_S * 1000 < OPEN_MS + ready_s * UINT64_C(1000) &&
		(p->slow < SLOW_MOST || ready_s > READY_S));
}

static int open_in_time(struct engine *g)
{
	struct source *s = g->source;
	struct pace p = pace_of(s->first_ns / 2000000, 0);

	while (s->opening && is_in_time(g, &p)) {
		const enum opening before = s->opening;
		const uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
		const int error = s->kind->open_more(s);

		if (error) {
			s->kind->close(s);
			return error;
		}
		if (before == OPENING_REST)
			p = pace_of(ms_since(begun_ns), p.slow);
	}
	return 0;
}

/* While PID 1 waits, nobody else has probes. */
int opening_in_time(struct engine *g)
{
	const int paused = g->boot && g->source->kind->needs_tracefs &&
			   tracefs_ftrace_pause();
	int error = open_in_time(g);

	if (paused && tracefs_ftrace_go_on())
		session_note(&g->session, "no vmalloc: ftrace stays off");
	return error;
}

/* Nothing can be traced. */
static void note_samples(struct session *n)
{
	session_note(n, "sampled, not traced: a task or a use of memory "
		     "between two looks is not seen, nor is a reboot without "
		     "signals");
	session_note(n, "a task's pages are its resident set: pages that "
		     "tasks share count in each of them");
}

static const char slow[] = "to switch events on takes long here";

/* What else has events. */
static const char *of_slab(const struct engine *g)
{
	return g->offer.points.slab ? ", objects of slab and" : " and";
}

void opening_note(struct engine *g)
{
	const struct source *s = g->source;

	g->session.cpus_traced = g->early_cpus = s->open_rings;
	g->session.cpus_online = source_cpus();
	g->samples_areas = 1;
	if (!s->opening)
		source_opened(&g->offer);
	if (!s->kind->needs_tracefs) {
		note_samples(&g->session);
	} else if (!s->opening) {
		g->samples_areas = source_notes(s, &g->offer, &g->session);
	} else {
		g->samples_areas = source_samples_areas(s, &g->offer,
							&g->session);
		g->late_note = g->session.notes;
		session_note(&g->session, "modules, vmalloc%s the OOM killer "
			     "are not traced yet: %s", of_slab(g), slow);
	}
}

struct filter {
	struct event_out out;	/* first: a filter takes events */
	struct engine *engine;
};

static void take_unknown(struct event_out *o, const struct event *e)
{
	struct engine *g = ((struct filter *)o)->engine;
	const uint32_t row = modules_find(&g->ledger.modules, e->name);

	if (!row || row == g->module_found)
		engine_take(g, e);
	if (!row)
		g->module_found = modules_find(&g->ledger.modules, e->name);
}

/* Modules that were loaded meanwhile are known from here on. */
static void catch_up(struct engine *g)
{
	const uint64_t now_ns = g->ledger.last_ns;
	struct filter f = { { take_unknown }, g };
	int samples;

	if (g->late_note < g->session.notes)
		print_to(g->session.note[g->late_note], NOTE_BYTES, "modules, "
			 "vmalloc%s the OOM killer are traced from %llu ms "
			 "after the start on: %s", of_slab(g),
			 (unsigned long long)ms_since(g->session.start_ns),
			 slow);
	source_opened(&g->offer);
	engine_emit_whole(g);
	samples = source_notes(g->source, &g->offer, &g->session);
	g->session.cpus_online = source_cpus();
	proc_modules(&f.out, now_ns);
	if (g->offer.probes)	/* they are sampled since the start */
		return;
	g->samples_areas = samples;
	engine_look_at_areas(g, now_ns);
}

/* Pages that were freed on a CPU that was not traced are looked for. */
static void note_cpus(struct engine *g)
{
	const uint32_t late = g->source->open_rings - g->early_cpus;

	g->cpus_came += late;
	if (late)
		session_note(&g->session, "%u of %u CPUs are traced from %llu "
			     "ms after the start on", late, g->source->rings,
			     (unsigned long long)ms_since(g->session.start_ns));
	g->session.own_bytes += late * g->source->ring_bytes;
}

static void open_one(struct engine *g)
{
	struct source *s = g->source;
	const enum opening before = s->opening;
	const int error = s->kind->open_more(s);

	if (error && before == OPENING_CPUS && !g->cpu_failed) {
		g->cpu_failed = 1;
		session_note(&g->session, "not all CPUs are traced: %s",
			     error_text(error));
	}
	g->session.cpus_traced = s->open_rings;
	if (before == OPENING_CPUS && s->opening != before)
		note_cpus(g);
}

/* What the events reported until now is drained before this step catches up. */
int opening_go_on(struct engine *g)
{
	const uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);

	if (!g->source->opening) {
		if (g->opens_late)
			catch_up(g);
		return 0;
	}
	g->opens_late = 1;
	while (g->source->opening && ms_since(begun_ns) < SLICE_MS)
		open_one(g);
	return 1;
}

/* --- follow: CPUs and memory that come and go while tracing goes on, and the
 * time from which all is traced */

/* The time between two looks at which CPUs are online. */
#define FOLLOW_EACH_NS 100000000u
/* While less than this part of memory is free, no other CPU is interrupted: one
 * that prints that memory runs out would keep us waiting. */
#define FREE_DIVISOR 8

/* Only the faults of objects depend on it. */
void engine_emit_whole(struct engine *g)
{
	struct event *e;

	if (!ledger_has_objects(&g->ledger))
		return;
	e = engine_event(g, EVENT_WHOLE, clock_ns(CLOCK_MONOTONIC));
	if (g->source->opening || g->cpu_failed)
		e->flags = EVENT_PART;
	engine_take(g, e);
}

/* A CPU whose events begin while tracing goes on may have handed out and freed
 * pages meanwhile. */
static void note_cpu(void *context, uint32_t cpu, int error)
{
	struct engine *g = context;
	const uint64_t ms = (clock_ns(CLOCK_MONOTONIC) - g->session.start_ns) /
			    1000000;

	g->cpus_came += !error;
	g->cpu_failed |= error != 0;
	engine_emit_whole(g);
	if (error)
		session_note(&g->session, "CPU %u came online and is not "
			     "traced: %s", cpu, error_text(error));
	else
		session_note(&g->session, "CPU %u came online: it is traced "
			     "from %llu ms after the start on", cpu,
			     (unsigned long long)ms);
}

void engine_follow_cpus(struct engine *g, uint64_t now_ns)
{
	const uint32_t rings = g->source->rings;
	uint32_t more;

	if (!g->source->kind->follow ||
	    now_ns < g->followed_ns + FOLLOW_EACH_NS)
		return;
	g->followed_ns = now_ns;
	g->source->may_interrupt =
		g->ledger.free_now_pages * (g->session.page_size / 1024) >
		g->session.mem_total_kib / FREE_DIVISOR;
	g->source->kind->follow(g->source, note_cpu, g);
	more = g->source->rings - rings;
	g->session.cpus_traced = g->source->open_rings;
	g->session.own_bytes += more * (g->source->ring_bytes +
					g->session.page_size);
}

static void emit_range(struct engine *g, uint64_t pfn, uint64_t pages)
{
	struct event *e = engine_event(g, EVENT_RANGE, g->ledger.last_ns);

	e->pfn = pfn;
	e->pages = pages;
	e->size = pages * PAGE_STRUCT_BYTES;
	engine_take(g, e);
}

/* Of a range the parts that the ledger does not know. */
static void emit_new(struct engine *g, const struct ram_range *r)
{
	const uint64_t end = r->first_pfn + r->count_pages;
	uint64_t pfn = r->first_pfn;

	while (pfn < end) {
		const struct ram *known = &g->ledger.pages.ram;
		uint64_t next = end, past = pfn;

		for (uint32_t i = 0; i < known->count; i++) {
			const struct ram_range *k = &known->range[i];

			if (pfn - k->first_pfn < k->count_pages)
				past = k->first_pfn + k->count_pages;
			else if (k->first_pfn > pfn && k->first_pfn < next)
				next = k->first_pfn;
		}
		if (past == pfn)
			emit_range(g, pfn, next - pfn);
		pfn = past == pfn ? next : past;
	}
}

/* Sends the ledger new ranges. Returns all pages of RAM; 0: not known. */
static uint64_t follow_ranges(struct engine *g)
{
	struct ram ram;

	if (g->ledger.pages.ram_pages >= UINT32_MAX ||
	    proc_ram(&ram, g->session.page_size))
		return 0;
	for (uint32_t i = 0; i < ram.count; i++)
		emit_new(g, &ram.range[i]);
	return ram_pages(&ram);
}

/* RAM that goes offline may be removed later, which MemTotal does not show. */
void engine_follow_ram(struct engine *g, int always)
{
	const uint64_t bytes = system_ram_bytes();
	const uint64_t balloon = g->ram.balloon;
	struct event *e;
	uint64_t all;

	if (!bytes || (bytes == g->mem_total_bytes &&
		       !(always && g->ledger.growth.first_ns)))
		return;
	all = follow_ranges(g);
	e = engine_event(g, EVENT_GROWN, g->ledger.last_ns);
	e->pages = all;
	e->result = (int64_t)(ram_balloon(&g->ram) - balloon) +
		   ((int64_t)bytes - (int64_t)g->mem_total_bytes) /
		   g->session.page_size;
	g->mem_total_bytes = bytes;
	g->session.mem_total_kib += (uint64_t)(e->result * g->session.page_size /
					       1024);
	engine_take(g, e);
}
