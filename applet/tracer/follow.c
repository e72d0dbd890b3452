/* SPDX-License-Identifier: MIT */
/* CPUs that go and come while tracing goes on, and from when on all is traced: see
 * engine.h. */
#include <time.h>
#include "base/clock.h"
#include "base/print.h"
#include "tracer/engine.h"

/* The time between two looks at which CPUs are online. */
#define FOLLOW_EACH_NS 100000000u
/* While less than this part of memory is free, no other CPU is interrupted: one
 * that prints that memory runs out would keep us waiting. */
#define FREE_DIVISOR 8

/* Only the faults of objects depend on it. */
void engine_tell_whole(struct engine *g)
{
	struct event e;

	if (!g->ledger.slab.on)
		return;
	event_begin(&e, EVENT_WHOLE, clock_ns(CLOCK_MONOTONIC));
	if (g->source->opening || g->cpu_failed)
		e.flags = EVENT_PART;
	g->events.event(&g->events, &e);
}

/* A CPU whose events begin while tracing goes on may have handed out and freed
 * pages meanwhile. */
static void note_cpu(void *context, uint32_t cpu, int error)
{
	struct engine *g = context;
	const uint64_t ms = (clock_ns(CLOCK_MONOTONIC) - g->session.start_ns) /
			    1000000;

	g->cpus_came += !error;
	g->cpu_failed |= error != 0;
	engine_tell_whole(g);
	if (error)
		session_note(&g->session, "CPU %u came online and is not "
			     "traced: %s", cpu, error_text(error));
	else
		session_note(&g->session, "CPU %u came online: it is traced "
			     "from %llu ms after the start on", cpu,
			     (unsigned long long)ms);
}

void engine_follow_cpus(struct engine *g, uint64_t now_ns)
{
	const uint32_t rings = g->source->rings;
	uint32_t more;

	if (!g->source->kind->follow ||
	    now_ns < g->followed_ns + FOLLOW_EACH_NS)
		return;
	g->followed_ns = now_ns;
	g->source->may_interrupt =
		g->ledger.free_now_pages * (g->session.page_size / 1024) >
		g->session.mem_total_kib / FREE_DIVISOR;
	g->source->kind->follow(g->source, note_cpu, g);
	more = g->source->rings - rings;
	g->session.cpus_traced = g->source->open_rings;
	g->session.own_bytes += more * (g->source->ring_bytes +
					g->session.page_size);
}
