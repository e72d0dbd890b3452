/* SPDX-License-Identifier: MIT */
/* What a source does not see, as notes in the report: see source.h. */
#include "base/base.h"
#include "source/source.h"

/* The tracepoints whose absence is told. A kernel without modules lacks several
 * rows in sequence: only the first of them is told. If the system calls of a
 * module load have no events of their own, other events may stand in for
 * them. */
static const struct {
	enum tracepoint tp;
	int replaceable;
} told[] = {
	{ TP_MODULE_LOAD, 0 },
	{ TP_MODULE_FREE, 0 },
	{ TP_ENTER_INIT_MODULE, 1 },
	{ TP_ENTER_FINIT_MODULE, 1 },
	{ TP_EXIT_INIT_MODULE, 1 },
	{ TP_EXIT_FINIT_MODULE, 1 },
};

static void note_missing(const struct source *s, struct session *n)
{
	const int replaced = !s->missing[TP_LOAD_EXIT] ||
			     !s->missing[TP_RAW_EXIT] ||
			     !s->missing[TP_INITCALL];
	int before = 0;

	for (unsigned int i = 0; i < ARRAY_LEN(told); i++) {
		const int missing = s->missing[told[i].tp];

		if (missing && !before && !(told[i].replaceable && replaced))
			session_note(n, "not seen: %s: the kernel has no such "
				     "event", tracepoint_name(told[i].tp));
		before = missing;
	}
}

/* Before Linux 5.14 vmalloc has no bulk allocation: page events show all pages.
 * By the release, because this is asked where there are no kprobes: then only
 * /proc/kallsyms would tell, 10 MB of text to read while PID 1 waits. */
static int has_bulk(const char *release)
{
	unsigned int major = 0, number = 0;

	for (int dots = 0; dots < 2; release++) {
		const unsigned int digit = (unsigned char)*release - '0';

		if (digit < 10) {
			number = number * 10 + digit;
		} else if (!dots++) {
			major = number;
			number = 0;
		}
	}
	return major > 5 || (major == 5 && number >= 14);
}

static int has_probes(const struct source *s)
{
	return !s->missing[TP_BULK] && !s->missing[TP_AREA_ENTER] &&
	       !s->missing[TP_AREA_ALLOC] && !s->missing[TP_AREA_FREE];
}

int source_samples_areas(const struct source *s, const struct source_offer *o,
			 const struct session *n)
{
	return (o->probes || !has_probes(s)) && has_bulk(n->kernel);
}

int source_notes(const struct source *s, const struct source_offer *o,
		 struct session *n)
{
	if (o->points.problem[0])
		session_note(n, "%s", o->points.problem);
	if (o->points.point[TP_INITCALL].id)
		session_note(n, "the loading window is approximate: from "
			     "module_load to the end of init");
	note_missing(s, n);
	if (o->points.slab &&
	    (s->missing[TP_KMALLOC] || s->missing[TP_CACHE_ALLOC] ||
	     s->missing[TP_KFREE] || s->missing[TP_CACHE_FREE]))
		session_note(n, "objects of slab are not all seen: the kernel "
			     "has not all their events");
	if (!s->split)
		session_note(n, "first touches cannot be told: every "
			     "allocation carries its call chain");
	if (s->frames < CHAIN_FRAMES_MAX)
		session_note(n, "call chains have at most %u frames: %s",
			     s->frames, s->frames_cut ?
			     "kernel.perf_event_max_stack" :
			     "rd.memstrack.frames");
	if (s->shallow)
		session_note(n, "call chains end early: this kernel does not "
			     "unwind from a tracepoint");
	if (!source_samples_areas(s, o, n))
		return 0;
	session_note(n, "vmalloc is sampled, not traced (kprobes: %s): pages "
		     "may be in other rows too", error_text(o->probes));
	return 1;
}
