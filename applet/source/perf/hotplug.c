/* SPDX-License-Identifier: MIT */
/*
 * CPUs that go offline and come online: see perf.h.
 *
 * The kernel removes a CPU's events when the CPU goes offline, and does not add
 * them again when the CPU comes back, without notifying us. So we look at the
 * list of CPUs. The ring of an offline CPU was drained long ago; it serves the
 * next CPU that comes online. A CPU may go and come back between two looks, as
 * all CPUs but one do when the machine is suspended. Then its ring gets no
 * records, and the enabled time of its events stands still: we read this time
 * for silent rings.
 */
#include <errno.h>
#include "base/system.h"
#include "source/perf/perf.h"
#include "source/proc/proc.h"
#include "source/tracefs/tracefs.h"

struct look {
	struct perf *p;
	source_cpu_came *came;
	void *context;
	uint32_t at;		/* the ring behind the one last found */
	uint32_t known;		/* CPUs that have a ring */
	uint32_t unknown;	/* CPUs that have no ring */
};

/* The list of CPUs is in the order of most rings: so the search begins at the
 * ring behind the one last found. */
static struct perf_ring *ring_of(struct look *k, uint32_t cpu)
{
	const uint32_t rings = k->p->source.rings;

	for (uint32_t i = 0; i < rings; i++) {
		const uint32_t at = (k->at + i) % rings;

		if (k->p->ring[at].cpu == cpu) {
			k->at = at + 1;
			return &k->p->ring[at];
		}
	}
	return NULL;
}

/* The ring of an offline CPU, or a new ring; NULL: there is no room. */
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

/* Enables frees first, as at the start. A CPU that goes or comes just now is
 * listed but can have no events (ENODEV): the next look tries again. */
static void reopen(const struct look *k, struct perf_ring *r, uint32_t cpu)
{
	struct perf *p = k->p;
	int error;

	p->lost_before += perf_ring_lost(p, r);
	perf_ring_close(p, r);
	error = perf_ring_open(p, r, cpu);
	for (uint32_t i = PAGE_EVENTS; i < EVENTS_PER_CPU_MAX && !error; i++)
		perf_ring_add(p, r, i);
	if (!error)
		error = perf_ring_enable_frees(r);
	if (!error)
		error = perf_ring_enable(r);
	r->online = 1;
	r->gone = error != 0;
	r->failed = error && error != -ENODEV;
	if (error != -ENODEV)
		k->came(k->context, cpu, error);
}

/* The number of rings to check in one look, so that each ring is checked within
 * a second. */
static uint32_t asked_in_a_look(const struct perf *p)
{
	return 1 + p->source.rings / 8;
}

/* Does the enabled time of another CPU's events still grow? If not, somebody
 * has switched off the events of all CPUs. */
static int is_alone(struct perf *p, const struct perf_ring *stopped)
{
	for (uint32_t i = 0; i < p->source.rings; i++) {
		struct perf_ring *r = &p->ring[i];

		if (r == stopped || r->gone || !r->online)
			continue;
		perf_ring_stands(r);
		if (!perf_ring_stands(r))
			return 1;
	}
	return 0;
}

/* Finds CPUs that went and came back. A ring with new records is not checked.
 * What is_alone() found for one ring holds for all rings that stand still. */
static void find_stopped(struct perf *p)
{
	uint32_t asked = 0;
	int alone = -1;			/* not known yet */

	for (uint32_t i = 0; i < p->source.rings &&
			     asked < asked_in_a_look(p); i++) {
		struct perf_ring *r = &p->ring[p->next_asked++ %
					       p->source.rings];

		if (r->gone || !r->online)
			continue;
		if (r->tail == r->asked_tail) {
			const int stands = perf_ring_stands(r);

			if (stands && alone < 0)
				alone = is_alone(p, r);
			r->gone = stands && alone;
			asked++;
		}
		r->asked_tail = r->tail;
	}
}

/* The number of rings with open events. */
static uint32_t count_open(const struct perf *p)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->source.rings; i++)
		count += p->ring[i].fds && !p->ring[i].gone;
	return count;
}

static void mark(void *context, uint32_t cpu)
{
	struct look *k = context;
	struct perf_ring *r = ring_of(k, cpu);

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

	if (ring_of(k, cpu))
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
	if (!k.known)	/* the list could not be read */
		return;
	if (!s->opening && s->may_interrupt)
		find_stopped(p);
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
	if (s->opening)
		return;
	p->unknown = k.unknown;
	s->open_rings = count_open(p);
}
