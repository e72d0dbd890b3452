/* SPDX-License-Identifier: MIT */
/*
 * Lines of /proc/kallsyms -> events that tell where the functions are by which
 * the ledger knows the kinds of pages (ledger/kinds.h).
 *
 * Also: where the initcalls are by whose frames the ledger knows them
 * (ledger/initcalls.h).
 *
 * The kernel's own symbols are sorted by address, so a function ends where the
 * next one begins. Neighbours with the same rule are one event. Symbols of
 * modules come last and are left out.
 */
#ifndef MEMSTRACK_FUNCTIONS_H
#define MEMSTRACK_FUNCTIONS_H

#include "tracer/engine.h"

struct functions {
	struct engine *engine;
	const struct kind_rule *rule;	/* of the functions since `base`, or
					 * NULL */
	uint64_t base, last;		/* last: the address of the last one */
	int told;			/* in this reading */
	char name[MODULE_NAME_BYTES];	/* of the first function */
	/* Return addresses in initcalls, from the first on, whose functions are
	 * looked for; 0: none. The last symbol. */
	uint64_t lowest, highest, below;
	/* Rows of initcalls: those before were looked for in an earlier whole
	 * reading, or are in this one. */
	uint32_t looked, looking;
};

/* Nothing to do: the functions are known already, or tell nothing, because the
 * kinds are sampled. */
static inline int functions_known(const struct functions *f)
{
	return f->engine->ledger.kinds.known || f->engine->ledger.samples.on;
}

/* The first line will follow. */
void functions_begin(struct functions *f);
void functions_line(struct functions *f, const char *line, size_t len);
/* After the last line. */
void functions_end(struct functions *f);

#endif
