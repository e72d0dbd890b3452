/* SPDX-License-Identifier: MIT */
/* What is traced, and of which events: see tracefs.h, traced. */
#include <sys/syscall.h>
#include "base/base.h"
#include "source/tracefs/tracefs.h"

/* A reboot comes first, because it may be the first thing that init does. What
 * ends something comes before what begins it: an end without a beginning is
 * ignored. */
const struct traced traced[EVENTS_PER_CPU_MAX] = {
	{ .tp = TP_FREE },
	{ .tp = TP_ALLOC, .chain = 1 },
	{ .tp = TP_ALLOC, .anon = 1 },
	{ .tp = TP_REBOOT, .at_once = 1, .guarded = 1 },
	{ .tp = TP_ENTER_REBOOT, .at_once = 1 },
	{ .tp = TP_MODULE_LOAD, .at_once = 1 },
	{ .tp = TP_MODULE_FREE },
	{ .tp = TP_LOAD_EXIT },
	{ .tp = TP_LOAD_ENTER },
	{ .tp = TP_EXIT_INIT_MODULE },
	{ .tp = TP_EXIT_FINIT_MODULE },
	{ .tp = TP_ENTER_INIT_MODULE },
	{ .tp = TP_ENTER_FINIT_MODULE },
	{ .tp = TP_RAW_EXIT },
	{ .tp = TP_RAW_ENTER },
	{ .tp = TP_INITCALL },
	{ .tp = TP_AREA_FREE },
	{ .tp = TP_AREA_ALLOC, .chain = 1 },
	{ .tp = TP_AREA_ENTER },
	{ .tp = TP_BULK },
	{ .tp = TP_CMA },
	{ .tp = TP_COMPACTED },
	{ .tp = TP_COMPACTS },
	{ .tp = TP_MOVE },
	{ .tp = TP_VICTIM, .at_once = 1 },
	{ .tp = TP_LOW, .at_once = 1 },
	{ .tp = TP_RECLAIM, .at_once = 1 },
	{ .tp = TP_VMAP, .at_once = 1 },
	{ .tp = TP_VUNMAP },
	{ .tp = TP_KFREE },
	{ .tp = TP_CACHE_FREE },
	{ .tp = TP_KMALLOC, .chain = 2 },
	{ .tp = TP_KMALLOC_NODE, .chain = 2 },
	{ .tp = TP_CACHE_ALLOC, .chain = 2 },
	{ .tp = TP_CACHE_ALLOC_NODE, .chain = 2 },
};

/* Writes a filter for the system calls that load a module. */
static void write_loads(char *text, size_t size)
{
	print_to(text, size, "id == %d || id == %d", SYS_init_module,
		 SYS_finit_module);
}

/* Writes a filter for first touches of anonymous memory, which have all three
 * flags. */
static void write_touches(char *text, size_t size, const uint64_t *bit,
			  int anon)
{
	print_to(text, size, "%s((gfp_flags & 0x%llx) && "
		 "(gfp_flags & 0x%llx) && (gfp_flags & 0x%llx))",
		 anon ? "" : "!", (unsigned long long)bit[0],
		 (unsigned long long)bit[1], (unsigned long long)bit[2]);
}

const char *traced_filter(const struct tracefs *t, int split,
			  const struct traced *o, char *text, size_t size)
{
	switch (o->tp) {
	case TP_RAW_ENTER:
	case TP_RAW_EXIT:
		write_loads(text, size);
		return text;
	case TP_BULK:
		/* A single page has an event of its own. (If the per-CPU lists
		 * ran empty after one page, this page has no event and is not
		 * counted.) */
		return "n > 1";
	case TP_CMA:
		return "page != 0";	/* the allocation succeeded */
	case TP_LOW:
		/* Either free and reclaimable memory together are too little,
		 * or one round of reclaim has freed nothing: the kernel gives
		 * up after 16 rounds. Requests above order 3 may fail at any
		 * time. */
		return "order < 4 && "
		       "(wmark_check == 0 || no_progress_loops > 0)";
	case TP_REBOOT:
	case TP_ENTER_REBOOT:
		/* The commands that switch Ctrl-Alt-Del on and off do not
		 * count. */
		return "cmd != 0 && cmd != 0x89abcdef && "
		       "cmd != 0xffffffff89abcdef";
	case TP_ALLOC:
		if (!split)
			return NULL;
		write_touches(text, size, t->anon, o->anon);
		return text;
	default:
		return NULL;
	}
}
