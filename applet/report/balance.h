/*
 * Does the account agree with the kernel's own? And what follows for the size
 * of the machine.
 *
 * MemFree falls by what is allocated and rises by what is freed. So its fall
 * from start to report must be: traced pages held, areas of vmalloc held, other
 * bulk allocations and contiguous memory (whose frees are not told apart), less
 * what was freed from before tracing, and what per-CPU lists gained, for
 * MemFree does not count these. What is left over is `rest`.
 */
#ifndef MEMSTRACK_BALANCE_H
#define MEMSTRACK_BALANCE_H

#include "report.h"

/* Pages, signed; the parts are those after the fall, up to the rest. */
enum balance_part {
	BALANCE_FALL, BALANCE_TRACED, BALANCE_VMALLOC, BALANCE_BULK,
	BALANCE_CMA, BALANCE_BEFORE, BALANCE_PCP, BALANCE_REST,
	BALANCE_PERMILLE,	/* of the fall, explained */
	BALANCES,
};

struct balance {
	uint64_t value[BALANCES];
	int fell;		/* else there is nothing to explain */
};

void balance_of(const struct ledger *l, struct balance *b);

/* All memory, what was used of it at most, and how much would do: a tenth
 * more, in steps. */
struct advice {
	uint64_t total_kib, lowest_kib, used_kib, enough_kib;
	int reliable;		/* nothing lost, 95 % explained at least */
};

void advice_of(const struct report *r, struct advice *a);

#endif
