/* SPDX-License-Identifier: MIT */
/*
 * CPUs that come online for the first time: see ftrace.h.
 *
 * The kernel keeps the ring of a CPU that goes, and makes one for a CPU that
 * comes. So what happens on such a CPU is recorded, and only has to be read.
 */
#include <errno.h>
#include "source/ftrace/ftrace.h"
#include "source/proc/proc.h"

struct look {
	struct ftrace *f;
	source_cpu_came *came;
	void *context;
	uint32_t unknown;	/* CPUs that have no ring */
};

static int has_ring(const struct ftrace *f, uint32_t cpu)
{
	for (uint32_t i = 0; i < f->rings; i++)
		if (f->ring[i].cpu == cpu)
			return 1;
	return 0;
}

static void count_unknown(void *context, uint32_t cpu)
{
	struct look *k = context;

	k->unknown += !has_ring(k->f, cpu);
}

static void take_unknown(void *context, uint32_t cpu)
{
	struct look *k = context;
	struct ftrace *f = k->f;
	int error = -ENOSPC;

	if (has_ring(f, cpu))
		return;
	if (f->source.rings < f->capacity)
		error = ftrace_open_cpu(f, cpu);
	k->unknown += error != 0;
	k->came(k->context, cpu, error);
}

void ftrace_follow(struct source *s, source_cpu_came *came, void *context)
{
	struct ftrace *f = ftrace_of(s);
	struct look k = { .f = f, .came = came, .context = context };

	if (f->cpus_fd < 0)
		return;
	proc_cpus_again(f->cpus_fd, count_unknown, &k);
	if (k.unknown > f->unknown) {
		k.unknown = 0;
		proc_cpus_again(f->cpus_fd, take_unknown, &k);
	}
	f->unknown = k.unknown;
}
