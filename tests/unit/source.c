/* SPDX-License-Identifier: MIT */
/*
 * source/source.c, source/session.c: a source by its name, what a report says of
 * what it does not see (cases/notes), and notes that find no room.
 *
 * tracer/opening.c: a source of four CPUs and three more events, of which as
 * many are opened before PID 1 goes on as there is time for (cases/opening). Notes
 * tell the rest.
 */
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

/* A tracer that begins now, and has the first CPU. */
static struct engine *begin(int boot)
{
	static struct engine g;

	virtual_ns = UINT64_C(1) << 40;
	f = (struct fake){ .source = {
		.kind = &kind, .rings = CPUS, .open_rings = 1, .split = 1,
		.ring_bytes = 8192, .frames = CHAIN_FRAMES_MAX,
		.opening = OPENING_CPUS,
	} };
	g = (struct engine){
		.source = &f.source, .events.event = take_read, .boot = boot,
		.began_ns = virtual_ns,
		.session = { .start_ns = virtual_ns, .kernel = "6.1.0" },
	};
	return &g;
}

/* The notes, behind a semicolon, if they are not as before; up to the one behind
 * which this machine's areas are looked at. */
static void words_of_notes(const struct engine *g, char *out)
{
	static char before[OUTCOME_BYTES];
	char now[OUTCOME_BYTES] = "";

	for (uint32_t i = 0; i < g->session.notes; i++) {
		append(now, "%s%s", i ? " + " : "; ", g->session.note[i]);
		if (!strncmp(g->session.note[i], "vmalloc is sampled", 18))
			break;
	}
	if (strcmp(now, before))
		append(out, "%s", now);
	strcpy(before, now);
}

/* "WORD N, ...": how it is with the tracer and its source. How many events are
 * open. */
static uint32_t set(struct engine *g, struct config *asked, char *text)
{
	uint32_t open = 0;
	unsigned int n;
	char word[16];

	for (char *at = strtok(text, ","); at; at = strtok(NULL, ",")) {
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
			asked->ready_s = n;
		else if (!strcmp(word, "fails"))
			f.fails_at = n;
		else if (!strcmp(word, "areas"))
			f.source.missing[TP_AREA_FREE] = !n;
		else
			open = n;
	}
	f.opened = open;
	f.slow += f.slow ? open : 0;
	if (open)
		f.source.opening = OPENING_REST;
	return open;
}

/* What is not open in time is opened later, and noted. */
static void words_of_rest(struct engine *g, char *out)
{
	uint32_t calls = 1;

	opening_note(g);
	words_of_notes(g, out);
	for (; opening_go_on(g); calls++)
		words_of_notes(g, out);
	words_of_notes(g, out);
	must(!opening_go_on(g));
	append(out, "; calls %u, early %u, came %u, CPUs %u, KiB %u", calls,
	       g->early_cpus, g->cpus_came, g->session.cpus_traced,
	       (unsigned int)(g->session.own_bytes >> 10));
}

/* How many events are opened before PID 1 goes on, or before a tracer for which
 * nobody waits does: of all six, or of those that are not open yet. With no time
 * between two looks at the clock all figures are exact. */
static void test_opening(struct cases *c)
{
	struct engine *g = begin(strcmp(c->reader, "nobody waits") != 0);
	struct config asked = { .ready_s = READY_S };
	char out[OUTCOME_BYTES];
	uint32_t open;
	int error;

	g->config = &asked;
	open = set(g, &asked, c->text);
	error = opening_in_time(g);
	snprintf(out, sizeof(out), "%u%s%s%s", f.opened - open,
		 error ? " " : "", error ? error_text(error) : "",
		 f.closed ? ", closed" : "");
	if (!error && !strcmp(c->reader, "later"))
		words_of_rest(g, out);
	case_is(c, out);
}

int main(void)
{
	test_kinds();
	each_case("notes", NULL, test_notes);
	test_room();
	each_case("opening", NULL, test_opening);
	return tap_plan_done();
}
