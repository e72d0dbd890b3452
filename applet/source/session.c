/* SPDX-License-Identifier: MIT */
/* Events, what is known of a session, and its notes: see event.h. */
#include <stdarg.h>
#include <string.h>
#include "base/base.h"
#include "source/event.h"
#include "source/source.h"

/* --- event */

const char *const kept_names[KEPTS] = {
	[KEPT_MIN] = "min", [KEPT_RESERVE] = "reserve",
	[KEPT_APART] = "apart", [KEPT_CMA] = "cma", [KEPT_MARKS] = "marks",
	[KEPT_SWAP] = "swap", [KEPT_SWAP_FREES] = "swap-frees",
	[KEPT_HUGE_USED] = "huge-used", [KEPT_HUGE_UNUSED] = "huge-unused",
	[KEPT_HUGE_OTHERS] = "huge-others",
};

const char *const meminfo_sampled[MEMINFO_LINES] = {
	[MEMINFO_ANON] = "AnonPages",
	[MEMINFO_BUFFERS] = "Buffers",
	[MEMINFO_CACHED] = "Cached",
	[MEMINFO_HUGE] = "Hugetlb",
	[MEMINFO_PERCPU] = "Percpu",
	[MEMINFO_SHMEM] = "Shmem",
	[MEMINFO_SLAB] = "Slab",
	[MEMINFO_STACKS] = "KernelStack",
	[MEMINFO_SWAP_CACHED] = "SwapCached",
	[MEMINFO_TABLES] = "PageTables",
	[MEMINFO_TABLES_KVM] = "SecPageTables",
	[MEMINFO_VMALLOC] = "VmallocUsed",
};

void event_begin(struct event *e, enum event_type type, uint64_t time_ns)
{
	*e = (struct event){ .type = type, .time_ns = time_ns };
}

void event_named(struct event *e, enum event_type type, uint64_t time_ns,
		 const char *name)
{
	event_begin(e, type, time_ns);
	strcpy(e->name, name);
}

void figure_emit(struct event_out *out, uint64_t time_ns, const char *name,
		 uint64_t bytes)
{
	struct event e;

	event_named(&e, EVENT_FIGURE, time_ns, name);
	e.size = bytes;
	out->event(out, &e);
}

/* --- session: notes of a session */

void session_note(struct session *s, const char *format, ...)
{
	va_list args;

	if (s->notes == NOTES_MAX) {
		/* The first time, the note that stood there goes too. */
		s->notes_dropped += s->notes_dropped ? 1 : 2;
		print_to(s->note[NOTES_MAX - 1], NOTE_BYTES,
			 "%u more notes were dropped", s->notes_dropped);
		return;
	}
	s->notes_dropped = 0;
	va_start(args, format);
	vprint_to(s->note[s->notes++], NOTE_BYTES, format, &args);
	va_end(args);
}

/* --- notes: what a source does not see, as notes in the report */

/* The tracepoints whose absence is noted. A kernel without modules lacks
 * several rows in sequence: only the first of them is noted. If the system
 * calls that load a module have no events of their own, other events may
 * replace them. */
static const struct {
	enum tracepoint tp;
	int replaceable;
} noted[] = {
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

	for (unsigned int i = 0; i < ARRAY_LEN(noted); i++) {
		const int missing = s->missing[noted[i].tp];

		if (missing && !before && !(noted[i].replaceable && replaced))
			session_note(n, "not seen: %s: the kernel has no such "
				     "event", tracepoint_name(noted[i].tp));
		before = missing;
	}
}

/* Before Linux 5.14 vmalloc has no bulk allocation: page events show all pages.
 * The release decides, because without kprobes the only other way to know is
 * /proc/kallsyms, 10 MB of text to read while PID 1 waits. */
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
			     "lacks some of their events");
	if (!s->split)
		session_note(n, "first touches cannot be told apart: every "
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
