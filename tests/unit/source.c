/* SPDX-License-Identifier: MIT */
/*
 * source/source.c, source/notes.c, source/session.c: a source by its name, what
 * a report says of what it does not see, and notes that find no room.
 */
#include "config/config.h"
#include "source/source.h"
#include "tap.h"

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

/* The notes of a source that sees all, but for what a test changes. */
static struct source s;
static struct source_offer o;
static struct session n;

static void all_seen(void)
{
	s = (struct source){ .split = 1, .frames = CHAIN_FRAMES_MAX };
	o = (struct source_offer){ .probes = 0 };
	n = (struct session){ .kernel = "6.1.0" };
}

/* The only note; then all is seen again. */
static void noted(const char *text, const char *what)
{
	source_notes(&s, &o, &n);
	tap_ok(n.notes == 1 && !strcmp(n.note[0], text), "%s", what);
	all_seen();
}

static void test_notes(void)
{
	all_seen();
	tap_ok(!source_notes(&s, &o, &n) && !n.notes, "all is seen: no note");
	s.frames = 16;
	s.frames_cut = 1;
	noted("call chains have at most 16 frames: "
	      "kernel.perf_event_max_stack", "the kernel allows fewer");
	s.frames = CHAIN_FRAMES_MAX - 1;
	noted("call chains have at most 63 frames: rd.memstrack.frames",
	      "fewer were asked for");
	s.missing[TP_MODULE_LOAD] = s.missing[TP_MODULE_FREE] = 1;
	noted("not seen: module/module_load: the kernel has no such event",
	      "the first of what a kernel without modules lacks");
	s.split = 0;
	noted("first touches cannot be told: every allocation carries its "
	      "call chain", "no filters");
}

/* Areas are sampled for want of a probe, of any of the four, but not before
 * 5.14, where page events show all. */
static void test_areas(void)
{
	static const struct {
		const char *kernel;
		enum tracepoint missing;	/* 0: there are no kprobes */
		int sampled;
	} t[] = {
		{ "6.1.0", TP_BULK, 1 }, { "6.1.0", TP_AREA_ENTER, 1 },
		{ "6.1.0", TP_AREA_ALLOC, 1 }, { "6.1.0", TP_AREA_FREE, 1 },
		{ "6.1.0", 0, 1 }, { "5.14.0-rc1", 0, 1 }, { "10.2", 0, 1 },
		{ "5.13.19", 0, 0 }, { "4.19.0-27-amd64", 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		all_seen();
		strcpy(n.kernel, t[i].kernel);
		s.missing[t[i].missing] = t[i].missing != 0;
		o.probes = t[i].missing ? 0 : -ENOENT;
		tap_ok(source_notes(&s, &o, &n) == t[i].sampled &&
		       n.notes == (uint32_t)t[i].sampled &&
		       (t[i].missing || !t[i].sampled ||
			strstr(n.note[0], "kprobes: No such file")),
		       "%s, %d: areas are%s sampled", t[i].kernel,
		       (int)t[i].missing, t[i].sampled ? "" : " not");
	}
}

static int last_is(const char *want)
{
	return n.notes == NOTES_MAX && !strcmp(n.note[NOTES_MAX - 1], want);
}

static void test_room(void)
{
	all_seen();
	for (int i = 1; i <= NOTES_MAX; i++)
		session_note(&n, "note %d", i);
	tap_ok(last_is("note 8"), "as many notes as there is room for");
	session_note(&n, "one more");
	tap_ok(last_is("2 more notes found no room"), "the last one counts");
	session_note(&n, "one more");
	tap_ok(last_is("3 more notes found no room"), "and counts on");
	n.notes = 2;	/* some are taken back */
	for (int i = 3; i <= NOTES_MAX + 1; i++)
		session_note(&n, "note %d", i);
	tap_ok(last_is("2 more notes found no room"), "and begins anew");
}

int main(void)
{
	test_kinds();
	test_notes();
	test_areas();
	test_room();
	return tap_plan_done();
}
