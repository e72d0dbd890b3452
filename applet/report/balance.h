/* SPDX-License-Identifier: MIT */
/*
 * Does our account agree with the kernel's?
 *
 * MemFree falls when pages are allocated and rises when they are freed. So its
 * fall from start to report must be the sum of: traced pages held, areas of
 * vmalloc held, contiguous memory (whose frees cannot be told apart); minus the
 * pages freed from before tracing; plus the pages that per-CPU lists gained,
 * because MemFree does not count these. Of what is missing, other bulk
 * allocations explain as much as they may hold (ledger/areas.h). `rest` is the
 * difference. Memory that came while we trace makes MemFree rise, and memory that
 * went makes it fall: the fall is without them.
 *
 * In a sampled ledger only the kinds are known, and `rest` is what grew and is
 * of no kind.
 */
#ifndef MEMSTRACK_BALANCE_H
#define MEMSTRACK_BALANCE_H

#include "report/figure_list.h"
#include "report/report.h"

/* Sets the fall and its parts, in pages, signed; and which share of the fall
 * they explain, UNKNOWN if MemFree did not fall. */
void balance_get(const struct ledger *l, uint64_t value[FIGURES]);

#endif
