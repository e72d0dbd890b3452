/* Events that are opened in time, and events that are not: see opening.h. */
#include <time.h>
#include "base/clock.h"
#include "base/print.h"
#include "tracer/opening.h"

/* The time between two drains, unless a single event takes longer. */
#define SLICE_MS 5u

static uint64_t ms_since(uint64_t ns)
{
	return (clock_ns(CLOCK_MONOTONIC) - ns) / 1000000;
}

int opening_in_time(struct engine *g)
{
	struct source *s = g->source;
	int error = 0;

	while (s->opening && !error) {
		if (g->boot && ms_since(g->began_ns) >=
			       (s->opening == OPENING_CPUS ? OPEN_CPUS_MS :
							     OPEN_REST_MS))
			break;
		error = s->kind->open_more(s);
	}
	if (error)
		s->kind->close(s);
	g->late_cpus = s->rings - s->open_rings;
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

void opening_done(struct engine *g)
{
	const struct source *s = g->source;

	g->session.cpus_traced = s->open_rings - g->failed_cpus;
	g->session.cpus_online = source_cpus();
	if (s->opening)
		return;
	if (s->kind->needs_tracefs) {
		g->samples_areas = source_notes(s, &g->offer, &g->session);
	} else {
		g->samples_areas = 1;
		note_samples(&g->session);
	}
}

/* Modules that were loaded meanwhile are known from here on. */
static void catch_up(struct engine *g)
{
	const uint64_t now_ns = g->ledger.last_ns;

	session_note(&g->session, "modules, vmalloc and the OOM killer are "
		     "traced from %llu ms after the start on: to switch events "
		     "on takes long here",
		     (unsigned long long)ms_since(g->session.start_ns));
	opening_done(g);
	proc_modules(&g->events, now_ns);
	engine_look_at_areas(g, now_ns);
}

static void note_cpus(struct engine *g)
{
	const uint32_t late = g->late_cpus - g->failed_cpus;

	if (late)
		session_note(&g->session, "%u of %u CPUs are traced from %llu "
			     "ms after the start on", late, g->source->rings,
			     (unsigned long long)ms_since(g->session.start_ns));
}

static void open_one(struct engine *g)
{
	struct source *s = g->source;
	const enum opening before = s->opening;
	const int error = s->kind->open_more(s);

	if (error && before == OPENING_CPUS && !g->failed_cpus++)
		session_note(&g->session, "not all CPUs are traced: %s",
			     error_text(error));
	g->session.cpus_traced = s->open_rings - g->failed_cpus;
	if (before == OPENING_CPUS && s->opening != before)
		note_cpus(g);
	if (!s->opening)
		catch_up(g);
}

int opening_go_on(struct engine *g)
{
	const uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);

	while (g->source->opening && ms_since(begun_ns) < SLICE_MS)
		open_one(g);
	return g->source->opening != ALL_OPEN;
}
