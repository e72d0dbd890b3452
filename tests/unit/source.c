/* SPDX-License-Identifier: MIT */
/*
 * source/source.c, source/session.c: a source by its name, what a report says of
 * what it does not see (cases/notes), and notes that find no room.
 *
 * tracer/opening.c: a source of four CPUs and three more events, of which as
 * many are opened before PID 1 goes on as there is time for (cases/opening). Notes
 * tell the rest.
 */
#include <fnmatch.h>
#include "base/system.h"
#include "config/config.h"
#include "source/source.h"
#include "cases.h"

static void test_kinds(void)
{
	static const char *const names[] = {
		[SOURCE_PERF] = "perf", [SOURCE_FTRACE] = "ftrace",
		[SOURCE_SAMPLED] = "sampled",
	};
	int wrong = 0;

	for (unsigned int i = 0; i < SOURCES; i++) {
		const struct source_kind *kind = source_kind(i);

		wrong |= kind && strcmp(kind->name, names[i]) != 0;
		wrong |= kind && strlen(kind->name) >= SOURCE_NAME_BYTES;
	}
	tap_ok(source_kind(SOURCE_PERF) && !wrong &&
	       BACKEND_PERF == SOURCE_PERF + 1 &&
	       BACKEND_FTRACE == SOURCE_FTRACE + 1 &&
	       BACKEND_SAMPLED == SOURCE_SAMPLED + 1,
	       "each has its name, and its parameter its number");
}

static struct session session;

/* Of a source that sees all but for what the case says: the notes, and whether
 * areas are sampled. */
static void test_notes(struct cases *c)
{
	struct source seen = { .split = 1, .frames = CHAIN_FRAMES_MAX };
	struct source_offer offer = { .probes = 0 };
	char out[OUTCOME_BYTES] = "", what[16], name[40];

	session = (struct session){ .kernel = "6.1.0" };
	for (char *at = strtok(c->text, ";"); at; at = strtok(NULL, ";")) {
		enum tracepoint tp = 0;

		must(sscanf(at, "%15s %39s", what, name) == 2);
		if (!strcmp(what, "kernel")) {
			strcpy(session.kernel, name);
		} else if (!strcmp(what, "frames")) {
			seen.frames = (uint32_t)atoi(name);
			seen.frames_cut = strstr(at, "at most") != NULL;
		} else if (!strcmp(name, "kprobes")) {
			offer.probes = -ENOENT;
		} else if (!strcmp(name, "filters")) {
			seen.split = 0;
		} else {
			while (strcmp(tracepoint_name(tp), name))
				must(++tp < TP_COUNT);
			seen.missing[tp] = 1;
		}
	}
	if (source_notes(&seen, &offer, &session))
		append(out, "sampled; ");
	for (uint32_t i = 0; i < session.notes; i++)
		append(out, "%s%s", i ? " + " : "", session.note[i]);
	case_is(c, *out ? out : "none");
}

static int last_is(const char *want)
{
	return session.notes == NOTES_MAX &&
	       !strcmp(session.note[NOTES_MAX - 1], want);
}

static void test_room(void)
{
	session.notes = 0;
	for (int i = 1; i <= NOTES_MAX; i++)
		session_note(&session, "note %d", i);
	tap_ok(last_is("note 8"), "as many notes as there is room for");
	session_note(&session, "one more");
	tap_ok(last_is("2 more notes were dropped"), "the last one counts");
	session_note(&session, "one more");
	tap_ok(last_is("3 more notes were dropped"), "and counts on");
	session.notes = 2;	/* some are taken back */
	for (int i = 3; i <= NOTES_MAX + 1; i++)
		session_note(&session, "note %d", i);
	tap_ok(last_is("2 more notes were dropped"), "and begins anew");
}

/* --- tracer/opening.c --- */

/* Time stands still, but for what it takes to open an event. */
static uint64_t virtual_ns;

static uint64_t faked_clock_ns(clockid_t clock)
{
	(void)clock;
	return virtual_ns;
}

#include "tracer/tracer.h"

static void take(struct engine *g, const struct event *e)
{
	must(g && e);
}

static void take_read(struct event_out *o, const struct event *e)
{
	must(o && e);
}

#define clock_ns faked_clock_ns
#define engine_take take
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

static void close_source()
{
	f.closed++;
}

static const struct source_kind kind = {
	.name = "fake", .needs_tracefs = 1, .open_more = open_more,
	.close = close_source,
};

/* A tracer that began so long ago, and has the first CPU. */
static struct engine *begin(int boot, uint64_t ago_ms, uint64_t first_ms)
{
	static struct config c = { .ready_s = READY_S };
	static struct engine g;

	virtual_ns = UINT64_C(1) << 40;
	f = (struct fake){ .source = {
		.kind = &kind, .rings = CPUS, .open_rings = 1, .split = 1,
		.ring_bytes = 8192, .frames = CHAIN_FRAMES_MAX,
		.opening = OPENING_CPUS, .first_ns = first_ms * 1000000,
	} };
	g = (struct engine){
		.source = &f.source, .events.event = take_read, .boot = boot,
		.config = &c,
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

/* How many events are opened before PID 1 goes on, or before a tracer for which
 * nobody waits does: of all six, or of those that are not open yet. With no time
 * between two looks at the clock the bounds are exact. */
static void test_in_time(struct cases *c)
{
	struct engine *g = begin(!strcmp(c->reader, "PID 1 waits"), 0, 0);
	struct config asked = { .ready_s = READY_S };
	char word[16], got[16];
	uint32_t open = 0;
	unsigned int n;

	g->config = &asked;
	for (char *at = strtok(c->text, ","); at; at = strtok(NULL, ",")) {
		must(sscanf(at, "%15s %u", word, &n) == 2);
		if (!strcmp(word, "began"))
			g->began_ns -= n * UINT64_C(1000000);
		else if (!strcmp(word, "first"))
			f.source.first_ns = n * UINT64_C(1000000);
		else if (!strcmp(word, "each"))
			f.takes_ms = n;
		else if (!strcmp(word, "only"))
			f.slow = n;
		else if (!strcmp(word, "ready"))
			asked.ready_s = n;
		else
			open = n;
	}
	f.opened = open;
	f.slow += f.slow ? open : 0;
	if (open)
		f.source.opening = OPENING_REST;
	must(!opening_in_time(g));
	snprintf(got, sizeof(got), "%u", f.opened - open);
	case_is(c, got);
}

/* What is told, if all, all CPUs, or one is opened in time. */
static void test_notes_of_opening(void)
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
	test_kinds();
	each_case("notes", NULL, test_notes);
	test_room();
	each_case("opening", NULL, test_in_time);
	test_notes_of_opening();
	test_late();
	test_errors();
	return tap_plan_done();
}
