/* SPDX-License-Identifier: MIT */
/*
 * The source of events while tracing. Nothing outside source/ knows its kind:
 * kind.h tells what each kind offers.
 */
#ifndef MEMSTRACK_SOURCE_H
#define MEMSTRACK_SOURCE_H

#include <stdint.h>
#include "source/kind.h"
#include "source/session.h"

/* NULL: this program has no such kind. */
const struct source_kind *source_kind(enum source_number number);

/* Removes the rings that a killed tracer has left in the kernel. */
void source_clean(void);
/* The same; adds our probes and reads which tracepoints the kernel has: those
 * of slab only if the offer says that they are wanted. NULL, or a text that says why nothing can be traced. */
const char *source_prepare(struct source_offer *o);
/* Until source_opened() the kernel has nothing in hand that makes opening events
 * slow. */
void source_opens(struct source_offer *o);
void source_opened(struct source_offer *o);
/* Removes rings and probes; `s` may be NULL. */
void source_end(struct source *s);

/* The number of CPUs that are online, at least 1. */
uint32_t source_cpus(void);
/* As many may be online while we trace, as far as there is room for them. */
uint32_t source_cpus_most(void);

/* Must the areas of vmalloc be sampled, because there are no probes? */
int source_samples_areas(const struct source *s, const struct source_offer *o,
			 const struct session *session);
/* Adds notes on what this source does not see; returns the same. */
int source_notes(const struct source *s, const struct source_offer *o,
		 struct session *session);

#endif
