/* SPDX-License-Identifier: MIT */
/*
 * tracer/opening.c: a source of four CPUs and three more events, of which as
 * many are opened before PID 1 goes on as there is time for. Notes tell the
 * rest.
 */
#include <fnmatch.h>
#include "base/clock.h"
#include "tap.h"

/* Time stands still, but for what it takes to open an event. */
static uint64_t virtual_ns;

static uint64_t faked_clock_ns(clockid_t clock)
{
	(void)clock;
	return virtual_ns;
}

#define clock_ns faked_clock_ns
#define opening_in_time faked_opening_in_time
#define opening_note faked_opening_note
#define opening_go_on faked_opening_go_on
#include "tracer/opening.c"

#define CPUS 4u
#define REST 3u

static struct fake {
	struct source source;
	uint32_t opened, closed, fails_at;
	uint64_t takes_ms;	/* each event, or only this one: */
	uint32_t slow;
} f;

static int open_more(struct source *s)
{
	f.opened++;
	if (!f.slow || f.slow == f.opened)
		virtual_ns += f.takes_ms * 1000000;
	s->open_rings += s->opening == OPENING_CPUS && f.opened != f.fails_at;
	if (f.opened == CPUS - 1)
		s->opening = OPENING_REST;
	else if (f.opened == CPUS - 1 + REST)
		s->opening = ALL_OPEN;
	return f.opened == f.fails_at ? -EMFILE : 0;
}

/* Without prototypes: these take what the real functions take. */
static void close_source()
{
	f.closed++;
}

static void take()
{
}

static const struct source_kind kind = {
	.name = "fake", .needs_tracefs = 1, .open_more = open_more,
	.close = close_source,
};

/* A tracer that began so long ago, and has the first CPU. */
static struct engine *begin(int boot, uint64_t ago_ms, uint64_t first_ms)
{
	static struct engine g;

	virtual_ns = UINT64_C(1) << 40;
	f = (struct fake){ .source = {
		.kind = &kind, .rings = CPUS, .open_rings = 1, .split = 1,
		.ring_bytes = 8192, .frames = CHAIN_FRAMES_MAX,
		.opening = OPENING_CPUS, .first_ns = first_ms * 1000000,
	} };
	g = (struct engine){
		.source = &f.source, .events.event = take, .boot = boot,
		.began_ns = virtual_ns - ago_ms * 1000000,
		.session = { .start_ns = virtual_ns, .kernel = "6.1.0" },
	};
	return &g;
}

/* The note of this number is as the pattern of fnmatch(). */
static int is_noted(const struct engine *g, uint32_t number,
		    const char *pattern)
{
	return number < g->session.notes &&
	       !fnmatch(pattern, g->session.note[number], 0);
}

/* What is not opened in time is opened later; the calls of opening_go_on(). */
static uint32_t open_all(struct engine *g)
{
	uint32_t calls = 1;

	must(!opening_in_time(g));
	opening_note(g);
	while (opening_go_on(g))
		calls++;
	return calls;
}

#define FROM "modules, vmalloc and the OOM killer are traced from *" REASON
#define NOT_YET "modules, vmalloc and the OOM killer are not traced yet*" REASON
#define REASON ": to switch events on takes long here"

/* How many events are opened before PID 1 goes on: of all six, or of the rest
 * alone. With no time between two looks at the clock the bounds are exact. */
static void test_in_time(void)
{
	static const struct {
		int boot, of_rest;
		uint64_t ago_ms, first_ms, takes_ms;
		uint32_t slow, opened;
		const char *name;
	} t[] = {
		{ 1, 0, 0, OPEN_MS / 4, 0, 0, 6, "at once: all" },
		{ 0, 0, 10 * OPEN_MS, OPEN_MS / 4, 0, 0, 6, "nobody waits" },
		{ 1, 0, OPEN_MS / 2, 2 * OPEN_MS, 0, 0, 3,
		  "there is time for all CPUs' page events, and for no other" },
		{ 1, 0, OPEN_MS / 3, 0, OPEN_MS * 2 / 5, 0, 2,
		  "a CPU that is begun in time may be late" },
		{ 1, 0, OPEN_MS - 1, 0, 1, 0, 1, "in the last millisecond" },
		{ 1, 0, OPEN_MS, 0, 0, 0, 0, "there is time for nothing" },
		{ 1, 1, OPEN_MS / 3, 0, OPEN_MS * 2 / 5, 0, 1,
		  "no event is begun that would be late" },
		{ 1, 1, OPEN_MS - 11, 22, 0, 0, 0,
		  "an event takes half as long as the first two" },
		{ 1, 1, OPEN_MS - 12, 22, 0, 0, 3, "and has time for that" },
		{ 1, 1, 0, 1, 21, 0, 2,
		  "PID 1 waits for two slow events in a row" },
		{ 1, 1, 0, 42, 21, 0, 1,
		  "of which the first one may be of pages" },
		{ 1, 1, 0, 42, 20, 0, 3, "none is slow that takes 20 ms" },
		{ 1, 1, 0, 1, 30, 2, 3,
		  "one between others that are not slow is an accident" },
		{ 0, 1, 0, 100, 30, 0, 3,
		  "if nobody waits, they may be as slow as they are" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct engine *g = begin(t[i].boot, t[i].ago_ms,
					 t[i].first_ms);
		const uint32_t before = t[i].of_rest ? CPUS - 1 : 0;

		f.opened = before;
		f.takes_ms = t[i].takes_ms;
		f.slow = t[i].slow ? before + t[i].slow : 0;
		if (t[i].of_rest)
			g->source->opening = OPENING_REST;
		tap_ok(!opening_in_time(g) && f.opened == before + t[i].opened,
		       "%s: %u", t[i].name, f.opened - before);
	}
}

/* What is told, if all, all CPUs, or one is opened in time. */
static void test_notes(void)
{
	struct engine *g = begin(1, 0, OPEN_MS / 4);

	tap_ok(open_all(g) == 1 && !g->session.notes &&
	       g->session.cpus_traced == CPUS,
	       "all in time: there is nothing to say");
	g = begin(1, OPEN_MS / 2, 2 * OPEN_MS);
	tap_ok(!opening_in_time(g), "all CPUs in time");
	opening_note(g);
	tap_ok(g->session.cpus_traced == CPUS && g->session.notes == 1 &&
	       is_noted(g, 0, NOT_YET), "which is told at once");
	tap_ok(opening_go_on(g) && is_noted(g, 0, NOT_YET) &&
	       !opening_go_on(g) && g->session.notes == 1 &&
	       is_noted(g, 0, FROM) && !opening_go_on(g) &&
	       g->session.notes == 1, "and behind a drain, from when on it is");
}

static void test_late(void)
{
	struct engine *g = begin(1, OPEN_MS, 0);

	f.takes_ms = 5;
	tap_ok(open_all(g) == CPUS + REST && g->early_cpus == 1,
	       "one CPU in time: rings are drained every 5 ms");
	tap_ok(g->session.notes == 2 && is_noted(g, 0, FROM) &&
	       is_noted(g, 1, "3 of 4 CPUs are traced from * ms after the "
			"start on") && g->session.cpus_traced == CPUS,
	       "CPUs and the rest are told");
	tap_ok(g->cpus_came == CPUS - 1 &&
	       g->session.own_bytes == (CPUS - 1) * 8192,
	       "their frees are looked for, their rings are ours");
}

static void test_errors(void)
{
	struct engine *g = begin(1, 0, 0);

	f.fails_at = 2;
	tap_ok(opening_in_time(g) == -EMFILE && f.closed == 1 && f.opened == 2,
	       "an error in time closes the source");
	g = begin(1, OPEN_MS, 0);
	f.fails_at = 2;
	open_all(g);
	tap_ok(!f.closed && g->session.cpus_traced == CPUS - 1 &&
	       is_noted(g, 1, "not all CPUs are traced: *") &&
	       is_noted(g, 2, "2 of 4 CPUs are traced from *"),
	       "a later one is told");
	g = begin(1, OPEN_MS / 2, 2 * OPEN_MS);
	f.source.missing[TP_AREA_FREE] = 1;
	open_all(g);
	tap_ok(is_noted(g, 1, "vmalloc is sampled*"),
	       "vmalloc is sampled if its events do not open later");
}

int main(void)
{
	test_in_time();
	test_notes();
	test_late();
	test_errors();
	return tap_plan_done();
}
