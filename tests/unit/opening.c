/* SPDX-License-Identifier: MIT */
/*
 * tracer/opening.c: a source of four CPUs and three more events, of which as many
 * are opened before PID 1 goes on as there is time for. Notes tell the rest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "tap.h"
#include "tracer/opening.h"

#define CPUS 4u
#define REST 3u

static struct {
	struct source source;
	uint32_t opened, closed, fails_at, modules;
	int error;
	long takes_ms;		/* each event, or only this one: */
	uint32_t slow;
} f;

static int open_more(struct source *s)
{
	const struct timespec t = { 0, f.takes_ms * 1000000 };	/* < 1 s */

	f.opened++;
	if (!f.slow || f.slow == f.opened)
		nanosleep(&t, NULL);
	s->open_rings += s->opening == OPENING_CPUS && f.opened != f.fails_at;
	if (f.opened == CPUS - 1)
		s->opening = OPENING_REST;
	else if (f.opened == CPUS - 1 + REST)
		s->opening = ALL_OPEN;
	return f.opened == f.fails_at ? f.error : 0;
}

static void close_source(struct source *s)
{
	(void)s;
	f.closed++;
}

static const struct source_kind kind = {
	.name = "fake", .needs_tracefs = 1, .open_more = open_more,
	.close = close_source,
};

static void take(struct event_out *o, const struct event *e)
{
	(void)o;
	f.modules += e->type == EVENT_MODULE_RANGE;
}

/* A tracer that began so long ago, and has the first CPU. */
static struct engine *begin(int boot, uint64_t ago_ms, uint64_t first_ms)
{
	static struct engine g;

	memset(&f, 0, sizeof(f));
	memset(&g, 0, sizeof(g));
	f.source = (struct source){
		.kind = &kind, .rings = CPUS, .open_rings = 1, .split = 1,
		.ring_bytes = 8192,
		.frames = CHAIN_FRAMES_MAX, .opening = OPENING_CPUS,
		.first_ns = first_ms * 1000000,
	};
	g.source = &f.source;
	g.events.event = take;
	g.boot = boot;
	g.session.start_ns = clock_ns(CLOCK_MONOTONIC);
	g.began_ns = g.session.start_ns - ago_ms * 1000000;
	strcpy(g.session.kernel, "6.1.0");
	return &g;
}

static int is_noted(const struct engine *g, uint32_t number, const char *begins,
		    const char *ends)
{
	const char *note = g->session.note[number];
	const size_t len = strlen(note);

	return number < g->session.notes &&
	       !strncmp(note, begins, strlen(begins)) && len >= strlen(ends) &&
	       !strcmp(note + len - strlen(ends), ends);
}

#define REST_NOTE "modules, vmalloc and the OOM killer are traced from "
#define REST_END ": to switch events on takes long here"
#define NOT_YET "modules, vmalloc and the OOM killer are not traced yet"

static void test_in_time(int boot, uint64_t ago_ms, const char *what)
{
	struct engine *g = begin(boot, ago_ms, OPEN_MS / 4);
	const int error = opening_in_time(g);

	opening_note(g);
	tap_ok(!error && f.opened == CPUS - 1 + REST && !f.source.opening,
	       "%s: all is opened", what);
	tap_ok(!g->session.notes && g->session.cpus_traced == CPUS &&
	       !opening_go_on(g), "%s: and there is nothing to say", what);
}

static void test_cpus_in_time(void)
{
	struct engine *g = begin(1, OPEN_MS / 2, 2 * OPEN_MS);

	tap_ok(!opening_in_time(g) && f.opened == CPUS - 1 &&
	       f.source.opening == OPENING_REST,
	       "there is time for all CPUs' page events, and for no other");
	opening_note(g);
	tap_ok(g->session.cpus_traced == CPUS && g->session.notes == 1 &&
	       is_noted(g, 0, NOT_YET, REST_END), "which is told at once");
	tap_ok(opening_go_on(g) && is_noted(g, 0, NOT_YET, REST_END) &&
	       !opening_go_on(g) && g->session.notes == 1 &&
	       is_noted(g, 0, REST_NOTE, REST_END) && !opening_go_on(g) &&
	       g->session.notes == 1, "and behind a drain, from when on it is");
}

static void test_slow(void)
{
	struct engine *g = begin(1, OPEN_MS / 3, 0);

	f.takes_ms = OPEN_MS * 2 / 5;
	tap_ok(!opening_in_time(g) && f.opened == 2,
	       "a CPU that is begun in time may be late");
	begin(1, OPEN_MS / 3, 0)->source->opening = OPENING_REST;
	f.takes_ms = OPEN_MS * 2 / 5;
	tap_ok(!opening_in_time(g) && f.opened == 1,
	       "no event is begun that would be late");
}

/* Time is left, but each event of the rest takes longer than one may. */
static struct engine *begin_rest(int boot, uint64_t first_ms)
{
	struct engine *g = begin(boot, 0, first_ms);

	g->source->opening = OPENING_REST;
	f.opened = CPUS - 1;
	f.takes_ms = 30;
	return g;
}

static void test_each_slow(void)
{
	struct engine *g = begin_rest(1, 1);

	tap_ok(!opening_in_time(g) && f.opened == CPUS - 1 + 2,
	       "PID 1 waits for two slow events in a row");
	g = begin_rest(1, 100);
	tap_ok(!opening_in_time(g) && f.opened == CPUS - 1 + 1,
	       "of which the first one may be of pages");
	g = begin_rest(1, 1);
	f.slow = CPUS - 1 + 2;
	tap_ok(!opening_in_time(g) && !f.source.opening,
	       "one between others that are not slow is an accident");
	g = begin_rest(0, 100);
	tap_ok(!opening_in_time(g) && !f.source.opening,
	       "if nobody waits, they may be as slow as they are");
}

static void test_late(void)
{
	struct engine *g = begin(1, OPEN_MS, 0);
	uint32_t calls = 1;

	tap_ok(!opening_in_time(g) && !f.opened, "there is time for nothing");
	opening_note(g);
	tap_ok(g->session.cpus_traced == 1, "one CPU is traced");
	f.takes_ms = 10;
	while (opening_go_on(g))
		calls++;
	tap_ok(calls == CPUS + REST, "rings are drained in between");
	tap_ok(g->session.notes == 2 &&
	       is_noted(g, 0, REST_NOTE, REST_END) &&
	       is_noted(g, 1, "3 of 4 CPUs are traced from ",
			" ms after the start on") &&
	       g->session.cpus_traced == CPUS, "CPUs and the rest are told");
	tap_ok(g->cpus_came == CPUS - 1 &&
	       g->session.own_bytes == (CPUS - 1) * 8192,
	       "their frees are looked for, their rings are ours");
}

static void test_errors(void)
{
	struct engine *g = begin(1, 0, 0);

	f.fails_at = 2;
	f.error = -EMFILE;
	tap_ok(opening_in_time(g) == -EMFILE && f.closed == 1 && f.opened == 2,
	       "an error in time closes the source");
	g = begin(1, OPEN_MS, 0);
	f.fails_at = 2;
	f.error = -EMFILE;
	if (opening_in_time(g))
		abort();
	opening_note(g);
	while (opening_go_on(g))
		;
	tap_ok(!f.closed && g->session.cpus_traced == CPUS - 1 &&
	       is_noted(g, 1, "not all CPUs are traced: ", "") &&
	       is_noted(g, 2, "2 of 4 CPUs are traced from ", ""),
	       "a later one is told");
}

static void test_missing(void)
{
	struct engine *g = begin(1, OPEN_MS / 2, 2 * OPEN_MS);

	f.source.missing[TP_AREA_FREE] = 1;
	if (opening_in_time(g))
		abort();
	opening_note(g);
	while (opening_go_on(g))
		;
	tap_ok(is_noted(g, 1, "vmalloc is sampled", ""),
	       "vmalloc is sampled if its events do not open later");
}

int main(void)
{
	test_in_time(1, 0, "at once");
	test_in_time(0, 10 * OPEN_MS, "nobody waits");
	test_cpus_in_time();
	test_slow();
	test_each_slow();
	test_late();
	test_errors();
	test_missing();
	return tap_plan_done();
}
