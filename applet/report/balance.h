/*
 * Does the account agree with the kernel's own?
 *
 * MemFree falls by what is allocated and rises by what is freed. So its fall
 * from start to report must be: traced pages held, areas of vmalloc held, other
 * bulk allocations and contiguous memory (whose frees are not told apart), less
 * what was freed from before tracing, and what per-CPU lists gained, for
 * MemFree does not count these. What is left over is `rest`.
 */
#ifndef MEMSTRACK_BALANCE_H
#define MEMSTRACK_BALANCE_H

#include "report/figure_list.h"
#include "report/report.h"

/* The fall and its parts: pages, signed; and how much of the fall they explain,
 * UNKNOWN where there was none. */
void balance_get(const struct ledger *l, uint64_t value[FIGURES]);

#endif
