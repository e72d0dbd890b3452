/* SPDX-License-Identifier: MIT */
/* CPUs and memory that go and come while tracing goes on, and from when on all is
 * traced: see tracer.h, engine. */
#include <time.h>
#include "base/system.h"
#include "base/base.h"
#include "source/proc/proc.h"
#include "tracer/tracer.h"

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

static void tell_range(struct engine *g, uint64_t pfn, uint64_t pages)
{
	struct event e;

	event_begin(&e, EVENT_RANGE, g->ledger.last_ns);
	e.pfn = pfn;
	e.pages = pages;
	e.size = pages * PAGE_STRUCT_BYTES;
	g->events.event(&g->events, &e);
}

/* Of a range the parts that the ledger does not know. */
static void tell_new(struct engine *g, const struct ram_range *r)
{
	const uint64_t end = r->first_pfn + r->count_pages;
	uint64_t pfn = r->first_pfn;

	while (pfn < end) {
		const struct ram *known = &g->ledger.pages.ram;
		uint64_t next = end, past = pfn;

		for (uint32_t i = 0; i < known->count; i++) {
			const struct ram_range *k = &known->range[i];

			if (pfn - k->first_pfn < k->count_pages)
				past = k->first_pfn + k->count_pages;
			else if (k->first_pfn > pfn && k->first_pfn < next)
				next = k->first_pfn;
		}
		if (past == pfn)
			tell_range(g, pfn, next - pfn);
		pfn = past == pfn ? next : past;
	}
}

/* Tells new ranges. Returns all pages of RAM; 0: not known. */
static uint64_t follow_ranges(struct engine *g)
{
	struct ram ram;

	if (g->ledger.pages.ram_pages >= UINT32_MAX ||
	    proc_ram(&ram, g->session.page_size))
		return 0;
	for (uint32_t i = 0; i < ram.count; i++)
		tell_new(g, &ram.range[i]);
	return ram_pages(&ram);
}

/* RAM that goes offline may be removed later, which MemTotal does not show. */
void engine_follow_ram(struct engine *g, int always)
{
	const uint64_t bytes = system_ram_bytes();
	const uint64_t balloon = g->ram.balloon;
	struct event e;

	if (!bytes || (bytes == g->mem_total_bytes &&
		       !(always && g->ledger.growth.first_ns)))
		return;
	event_begin(&e, EVENT_GROWN, g->ledger.last_ns);
	e.pages = follow_ranges(g);
	e.result = (int64_t)(ram_balloon(&g->ram) - balloon) +
		   ((int64_t)bytes - (int64_t)g->mem_total_bytes) /
		   g->session.page_size;
	g->mem_total_bytes = bytes;
	g->session.mem_total_kib += (uint64_t)(e.result * g->session.page_size /
					       1024);
	g->events.event(&g->events, &e);
}
