/* SPDX-License-Identifier: MIT */
/* See event.h. */
#include "source/event.h"

const char *const kept_names[KEPTS] = {
	[KEPT_MIN] = "min", [KEPT_RESERVE] = "reserve",
	[KEPT_APART] = "apart", [KEPT_CMA] = "cma", [KEPT_MARKS] = "marks",
	[KEPT_SWAP] = "swap", [KEPT_SWAP_FREES] = "swap-frees",
};

const char *const meminfo_sampled[MEMINFO_LINES] = {
	[MEMINFO_ANON] = "AnonPages",
	[MEMINFO_BUFFERS] = "Buffers",
	[MEMINFO_CACHED] = "Cached",
	[MEMINFO_PERCPU] = "Percpu",
	[MEMINFO_SHMEM] = "Shmem",
	[MEMINFO_SLAB] = "Slab",
	[MEMINFO_STACKS] = "KernelStack",
	[MEMINFO_SWAP_CACHED] = "SwapCached",
	[MEMINFO_TABLES] = "PageTables",
	[MEMINFO_TABLES_KVM] = "SecPageTables",
	[MEMINFO_VMALLOC] = "VmallocUsed",
};

void event_begin(struct event *e, enum event_type type, uint64_t time_ns)
{
	*e = (struct event){ .type = type, .time_ns = time_ns };
}
