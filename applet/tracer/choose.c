/* SPDX-License-Identifier: MIT */
/*
 * The choice of a source: see tracer.h, choose.
 *
 * A source may fail although the kernel seems to have it. It then releases
 * everything, and the next kind is tried with memory of its own. If the kind
 * that was asked for by name fails, a boot is traced by another kind rather
 * than not at all, because the same boot cannot be repeated. On a running
 * system the user can ask for another kind.
 */
#include <errno.h>
#include "base/base.h"
#include "source/proc/proc.h"
#include "tracer/tracer.h"

struct choice {
	struct engine *engine;
	uint64_t extra_bytes;
	int prepared;		/* the offer was read */
	int deep;		/* call chains must not end early */
	unsigned int shallow;	/* kind with short chains; SOURCES: none */
	const char *problem;	/* why tracepoints cannot be read, or NULL */
	const char *why[SOURCES]; /* why this kind does not work, or NULL */
};

/* 0: not known, or of no use. Only during boot does nobody else take memory
 * while our events are opened. */
static uint64_t free_pages(const struct engine *g)
{
	return g->boot ? proc_free_pages() : 0;
}

/* Counts what the kernel has allocated for our probes and events: the fall of
 * free memory, minus the rings, which we count ourselves. */
static void count_events_memory(struct engine *g, uint64_t free_before,
				uint64_t ring_pages)
{
	const uint64_t free_after = free_pages(g);

	if (free_after && free_before > free_after + ring_pages)
		g->events_pages += free_before - free_after - ring_pages;
}

/* Once, for all kinds that read tracepoints. */
static void prepare(struct choice *c)
{
	struct engine *g = c->engine;
	const uint64_t free_before = free_pages(g);

	if (c->prepared++)
		return;
	if (g->boot)
		source_opens(&g->offer);
	c->problem = source_prepare(&g->offer);
	if (c->problem)
		source_end(NULL);	/* our probes are of no use */
	count_events_memory(g, free_before, 0);
}

/* `deep`: call chains must not end early; -ENODATA: they do. */
static int open_source(struct engine *g, const struct source_kind *kind,
		       uint32_t cpus, int deep)
{
	const struct source_wish wish = {
		.arena = &g->arena, .offer = &g->offer, .cpus = cpus,
		.cpus_most = g->cpus_most,
		.page_bytes = g->session.page_size,
		.total_bytes = g->session.layout.ring_bytes,
		.frames = g->config->frames ? g->config->frames :
			  CHAIN_FRAMES_MAX,
		.guard = g->guard,
		/* Reads /proc, whose memory is not the events'. */
		.threads = !g->boot || proc_has_threads(),
	};
	const uint64_t free_before = free_pages(g);
	int error = kind->open(&g->source, &wish);

	if (!error && deep && g->source->shallow) {
		kind->close(g->source);
		return -ENODATA;
	}
	if (!error)
		error = opening_in_time(g);
	if (error == -ENOSPC)
		sink_say(g->sink, "no room for rings of %u CPUs: raise "
			 "rd.memstrack.ring or mem", cpus);
	else if (error == -ENOMEM)
		sink_say(g->sink, "%s events: %s", kind->name,
			 error_text(error));
	if (error)
		return error;
	g->session.layout.ring_bytes = g->source->ring_bytes *
				       g->source->open_rings;
	count_events_memory(g, free_before, g->source->open_rings *
			    (g->source->ring_bytes / g->session.page_size + 1));
	return 0;
}

static int has_no_room(int error)
{
	return error == -ENOMEM || error == -ENOSPC;
}

/* 0; -ENOMEM or -ENOSPC after a line in the log: no kind would find room; or
 * another error, with a text in why[]. At boot a kind without rings may find
 * room where a kind with rings did not. */
static int try_kind(struct choice *c, enum source_number number)
{
	const struct source_kind *kind = source_kind(number);
	struct engine *g = c->engine;
	const uint32_t most = g->cpus_most, online = source_cpus();
	const uint32_t cpus = online < most ? online : most;
	const uint32_t notes = g->session.notes;
	int error = kind ? kind->usable() : -ENOSYS;

	if (error) {
		c->why[number] = error_text(error);
		return error;
	}
	if (kind->needs_tracefs)
		prepare(c);
	if (kind->needs_tracefs && c->problem) {
		c->why[number] = c->problem;
		return -ENOENT;
	}
	error = memory_take(g, kind, cpus,
			    c->extra_bytes + kind->arena_bytes(most));
	if (error)
		return -ENOMEM;
	error = open_source(g, kind, cpus, c->deep);
	if (error == -ENODATA)
		c->shallow = number;
	if (!error)
		return 0;
	g->source = NULL;
	memory_return(g);
	g->session.notes = notes;
	c->why[number] = c->shallow == number ? "call chains end early here" :
			 error_text(error);
	return g->boot && has_no_room(error) ? -ENOBUFS : error;
}

/* Reports why the kinds in [first, until) do not work: as notes, if another
 * kind works. If there are no tracepoints, one line covers all kinds that read
 * them. */
static void report(const struct choice *c, unsigned int first,
		 unsigned int until, int as_notes)
{
	struct engine *g = c->engine;

	if (c->problem && !as_notes)
		sink_say(g->sink, "%s", c->problem);
	for (unsigned int i = first; i < until; i++) {
		const struct source_kind *kind = source_kind(i);
		const char *why = c->why[i];

		if (kind && why && as_notes)
			session_note(&g->session, "not traced by %s: %s",
				     kind->name, why);
		else if (kind && why && !(c->problem && kind->needs_tracefs))
			sink_say(g->sink, "%s events: %s", kind->name, why);
	}
}

/* A kind that only samples is tried after a kind whose call chains end
 * early. */
static int try_next(struct choice *c, unsigned int number)
{
	const struct source_kind *kind = source_kind(number);
	const unsigned int shallow = c->shallow;

	if (!kind || !kind->samples || shallow == SOURCES)
		return try_kind(c, number);
	c->deep = 0;
	c->shallow = SOURCES;
	c->why[shallow] = NULL;
	return try_kind(c, shallow);
}

/* Tries all kinds but `asked`. */
static int try_others(struct choice *c, unsigned int asked)
{
	unsigned int i = 0;
	int error = -ENOSYS;

	c->deep = 1;
	for (; i < SOURCES; i++) {
		if (i == asked)
			continue;
		error = try_next(c, i);
		if (!error || has_no_room(error))
			break;
	}
	if (asked < SOURCES)
		c->why[asked] = NULL;	/* reported already */
	if (!error || !has_no_room(error))
		report(c, 0, i, !error);
	return error;
}

int choose_source(struct engine *g, uint64_t extra_bytes)
{
	struct choice c = {
		.engine = g, .extra_bytes = extra_bytes, .shallow = SOURCES,
	};
	const unsigned int asked = g->config->backend - 1u;
	int error;

	if (g->config->backend == BACKEND_AUTO)
		return try_others(&c, SOURCES);
	error = try_kind(&c, asked);
	if (!error || has_no_room(error))
		return error;
	if (!source_kind(asked))
		sink_say(g->sink, "this program has no such source of events");
	report(&c, asked, asked + 1, 0);
	return g->boot ? try_others(&c, asked) : error;
}
