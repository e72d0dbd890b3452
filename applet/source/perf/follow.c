/* SPDX-License-Identifier: MIT */
/*
 * CPUs that go and come: see perf.h.
 *
 * The kernel takes a CPU's events off when it goes, and does not put them back
 * when it comes again; nothing tells us. So the list of CPUs is looked at. The
 * ring of a CPU that is gone was drained long ago, and serves the next one that
 * comes.
 */
#include <errno.h>
#include "base/readfile.h"
#include "source/perf/perf.h"
#include "source/proc/proc.h"
#include "source/tracefs/traced.h"

struct look {
	struct perf *p;
	source_cpu_came *came;
	void *context;
	uint32_t known;		/* CPUs that have a ring */
	uint32_t unknown;	/* and that have none */
};

static struct perf_ring *ring_of(struct perf *p, uint32_t cpu)
{
	for (uint32_t i = 0; i < p->source.rings; i++)
		if (p->ring[i].cpu == cpu)
			return &p->ring[i];
	return NULL;
}

/* That of a CPU that is gone, or a new one; NULL: there is no room. */
static struct perf_ring *unused_ring(struct perf *p)
{
	for (uint32_t i = 0; i < p->source.rings; i++)
		if (p->ring[i].gone && !p->ring[i].online)
			return &p->ring[i];
	if (p->source.rings == p->capacity)
		return NULL;
	p->ring[p->source.rings] = (struct perf_ring){ 0 };
	return &p->ring[p->source.rings++];
}

/* Frees first, as at the start. */
static void reopen(const struct look *k, struct perf_ring *r, uint32_t cpu)
{
	struct perf *p = k->p;
	int error;

	p->lost_before += perf_ring_lost(p, r);
	p->source.open_rings -= r->fds != 0;
	perf_ring_close(p, r);
	error = perf_ring_open(p, r, cpu);
	for (uint32_t i = PAGE_EVENTS; i < EVENTS_PER_CPU_MAX && !error; i++)
		perf_ring_add(p, r, i);
	if (!error)
		error = perf_ring_enable_frees(r);
	if (!error)
		error = perf_ring_enable(r);
	r->online = 1;
	r->gone = r->failed = error != 0;
	p->source.open_rings += r->fds != 0;
	k->came(k->context, cpu, error);
}

static void mark(void *context, uint32_t cpu)
{
	struct look *k = context;
	struct perf_ring *r = ring_of(k->p, cpu);

	if (!r) {
		k->unknown++;
		return;
	}
	r->online = 1;
	k->known++;
}

static void take_unknown(void *context, uint32_t cpu)
{
	struct look *k = context;
	struct perf_ring *r;

	if (ring_of(k->p, cpu))
		return;
	r = unused_ring(k->p);
	if (r) {
		reopen(k, r, cpu);
		return;
	}
	k->unknown++;
	k->came(k->context, cpu, -ENOSPC);
}

void perf_follow(struct source *s, source_cpu_came *came, void *context)
{
	struct perf *p = perf_of(s);
	struct look k = { .p = p, .came = came, .context = context };

	if (p->cpus_fd < 0)
		return;
	for (uint32_t i = 0; i < s->rings; i++)
		p->ring[i].online = 0;
	proc_cpus_again(p->cpus_fd, mark, &k);
	if (!k.known)	/* it could not be read */
		return;
	for (uint32_t i = 0; i < s->rings; i++) {
		struct perf_ring *r = &p->ring[i];

		if (r->online && r->gone && !r->failed && !s->opening)
			reopen(&k, r, r->cpu);
		r->gone |= !r->online;
		r->failed &= r->online;
	}
	if (k.unknown > p->unknown && !s->opening) {
		k.unknown = 0;
		proc_cpus_again(p->cpus_fd, take_unknown, &k);
	}
	if (!s->opening)
		p->unknown = k.unknown;
}
