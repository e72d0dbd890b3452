/*
 * Where events come from while tracing. Nothing outside source/ knows which
 * kind of source it is: kind.h tells what each offers.
 */
#ifndef MEMSTRACK_SOURCE_H
#define MEMSTRACK_SOURCE_H

#include <stdint.h>
#include "source/kind.h"
#include "source/session.h"

/* The kind of this name; NULL: the best there is. NULL: there is none. */
const struct source_kind *source_kind(const char *name);

/* Adds our probes and reads which tracepoints there are. NULL, or why nothing
 * can be traced. */
const char *source_prepare(struct source_offer *o);
/* Rings and probes are gone afterwards; `s` may be NULL. */
void source_end(struct source *s);

/* CPUs that are online, at least 1. */
uint32_t source_cpus(void);

/* Notes on what this source does not see. Returns whether areas of vmalloc must
 * be sampled, for want of probes. */
int source_notes(const struct source *s, const struct source_offer *o,
		 struct session *session);

#endif
