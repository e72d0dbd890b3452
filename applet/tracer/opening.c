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

/* Of the other CPUs' page events each takes a millisecond at most, of the rest
 * each as long as one of the two first ones did. */
static int is_in_time(const struct engine *g, uint64_t event_ms)
{
	uint64_t end_ms = ms_since(g->began_ns);

	if (g->source->opening == OPENING_REST)
		end_ms += event_ms;
	return !g->boot || end_ms < OPEN_MS;
}

int opening_in_time(struct engine *g, uint64_t open_ms)
{
	struct source *s = g->source;
	uint64_t event_ms = open_ms / 2;
	int error = 0;

	while (s->opening && !error && is_in_time(g, event_ms)) {
		const uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);

		error = s->kind->open_more(s);
		if (event_ms < ms_since(begun_ns))
			event_ms = ms_since(begun_ns);
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
