/* SPDX-License-Identifier: MIT */
/* See event.h. */
#include <string.h>
#include "source/event.h"

const char *const kept_names[KEPTS] = {
	[KEPT_MIN] = "min", [KEPT_RESERVE] = "reserve",
	[KEPT_APART] = "apart", [KEPT_CMA] = "cma", [KEPT_MARKS] = "marks",
	[KEPT_SWAP] = "swap", [KEPT_SWAP_FREES] = "swap-frees",
	[KEPT_HUGE_USED] = "huge-used", [KEPT_HUGE_UNUSED] = "huge-unused",
	[KEPT_HUGE_OTHERS] = "huge-others",
};

const char *const meminfo_sampled[MEMINFO_LINES] = {
	[MEMINFO_ANON] = "AnonPages",
	[MEMINFO_BUFFERS] = "Buffers",
	[MEMINFO_CACHED] = "Cached",
	[MEMINFO_HUGE] = "Hugetlb",
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

void event_named(struct event *e, enum event_type type, uint64_t time_ns,
		 const char *name)
{
	event_begin(e, type, time_ns);
	strcpy(e->name, name);
}

void figure_tell(struct event_out *out, uint64_t time_ns, const char *name,
		 uint64_t bytes)
{
	struct event e;

	event_named(&e, EVENT_FIGURE, time_ns, name);
	e.size = bytes;
	out->event(out, &e);
}
