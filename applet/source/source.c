/* SPDX-License-Identifier: MIT */
/* The kinds of sources, and the functions they share: see source.h. */
#include "source/ftrace/ftrace.h"
#include "source/perf/perf.h"
#include "source/proc/proc.h"
#include "source/sampled/sampled.h"
#include "source/source.h"

const struct source_kind *source_kind(enum source_number number)
{
	if (number == SOURCE_PERF)
		return &perf_source;
	if (number == SOURCE_FTRACE && has_feature(FEATURE_TRACEFS))
		return &ftrace_source;
	if (number == SOURCE_SAMPLED && has_feature(FEATURE_SAMPLES))
		return &sampled_source;
	return NULL;
}

/* Removes what a killed tracer left in the kernel. */
static void source_clean(void)
{
	if (has_feature(FEATURE_TRACEFS))
		ftrace_clean();
}

const char *source_prepare(struct source_offer *o)
{
	source_clean();
	o->probes = tracefs_probe();
	return tracefs_read(&o->points) ? o->points.problem : NULL;
}

void source_opens(struct source_offer *o)
{
	o->rest = tracefs_probes_rest();
}

void source_opened(struct source_offer *o)
{
	if (o->rest)
		tracefs_probes_go_on();
	o->rest = 0;
}

void source_end(struct source *s)
{
	if (s)
		s->kind->close(s);
	tracefs_unprobe();
}

static void count_cpu(void *context, uint32_t cpu)
{
	uint32_t *count = context;

	(void)cpu;
	++*count;
}

uint32_t source_cpus(void)
{
	uint32_t count = 0;

	proc_cpus(count_cpu, &count);
	return count ? count : 1;
}

uint32_t source_cpus_most(void)
{
	const uint32_t online = source_cpus(), most = proc_possible_cpus();

	return most < online ? online :
	       most < online + CPUS_LATE ? most : online + CPUS_LATE;
}
