/* SPDX-License-Identifier: MIT */
/* See report.h, figures. */
#include <string.h>
#include "report/report.h"
#include "report/parts.h"

/* A figure is read from the session or the ledger, or it is computed. */
enum from { COMPUTED, FROM_SESSION, FROM_LEDGER };

#define SESSION(field) .from = FROM_SESSION, \
	.offset = offsetof(struct session, field), \
	.bytes = sizeof(((struct session *)NULL)->field)
#define LEDGER(field) .from = FROM_LEDGER, \
	.offset = offsetof(struct ledger, field), \
	.bytes = sizeof(((struct ledger *)NULL)->field)

static const struct row {
	const char *name;
	uint16_t offset;
	uint8_t from, bytes;
	uint8_t in_kib;		/* the stored value is in pages */
	uint8_t if_sampled;	/* UNKNOWN if free memory was not sampled */
	uint8_t if_traced;	/* UNKNOWN if the ledger is a sampled one */
} rows[FIGURES] = {
	[FIGURE_FALL] = { .name = "fall_pages", .if_sampled = 1 },
	[FIGURE_TRACED] = { .name = "traced_pages", .if_sampled = 1 },
	[FIGURE_AREAS] = { .name = "areas_pages", .if_sampled = 1 },
	[FIGURE_BULK] = { .name = "bulk_pages", .if_sampled = 1 },
	[FIGURE_CMA] = { .name = "cma_pages", .if_sampled = 1 },
	[FIGURE_BEFORE] = { .name = "before_pages", .if_sampled = 1 },
	[FIGURE_NO_ROOM] = { .name = "no_room_pages", .if_sampled = 1 },
	[FIGURE_PCP] = { .name = "pcp_pages", .if_sampled = 1 },
	[FIGURE_REST] = { .name = "rest_pages", .if_sampled = 1 },
	[FIGURE_PERMILLE] = { .name = "explained_permille", .if_sampled = 1 },

	[FIGURE_RAM_PEAK_KIB] = { .name = "ram_kib" },
	[FIGURE_LOWEST_KIB] = { .name = "lowest_free_kib" },
	[FIGURE_USED_KIB] = { .name = "used_kib" },
	[FIGURE_HARD_KIB] = { .name = "unreclaimable_kib" },
	[FIGURE_HARD_NS] = { .name = "unreclaimable_ns" },
	[FIGURE_SOFT_KIB] = { .name = "reclaimable_kib" },
	[FIGURE_KEPT_KIB] = { .name = "kept_kib" },
	[FIGURE_UNPACKING_KIB] = { .name = "unpacking_kib" },
	[FIGURE_ROOTFS_KIB] = { .name = "rootfs_kib" },
	[FIGURE_TMPFS_KIB] = { .name = "tmpfs_kib" },
	[FIGURE_SCALED_KIB] = { .name = "scaled_kib" },
	[FIGURE_NEED_KIB] = { .name = "need_kib" },
	[FIGURE_ADVICE_KIB] = { .name = "advice_kib" },

	[FIGURE_LEVEL] = { .name = "level" },
	[FIGURE_START_NS] = { .name = "start_ns", SESSION(start_ns) },
	[FIGURE_END_NS] = { .name = "end_ns", SESSION(end_ns) },
	[FIGURE_PAGE_SIZE] = { .name = "page_bytes", SESSION(page_size) },
	[FIGURE_MEM_TOTAL_KIB] = {
		.name = "mem_total_kib", SESSION(mem_total_kib),
	},
	[FIGURE_RAM_KIB] = { .name = "ram_kib" },
	[FIGURE_FREE_START_KIB] = {
		.name = "free_start_kib", LEDGER(free_start_pages),
		.in_kib = 1, .if_sampled = 1,
	},
	[FIGURE_FREE_NOW_KIB] = {
		.name = "free_now_kib", LEDGER(free_now_pages),
		.in_kib = 1, .if_sampled = 1,
	},
	[FIGURE_FREE_LOWEST_KIB] = {
		.name = "free_lowest_kib", LEDGER(free_lowest_pages),
		.in_kib = 1, .if_sampled = 1,
	},
	[FIGURE_FREE_LOWEST_NS] = {
		.name = "free_lowest_ns", LEDGER(free_lowest_ns),
		.if_sampled = 1,
	},
	[FIGURE_NOW_PAGES] = {
		.name = "now_pages", LEDGER(traced.now), .if_traced = 1,
	},
	[FIGURE_PEAK_PAGES] = {
		.name = "peak_pages", LEDGER(traced.peak), .if_traced = 1,
	},
	[FIGURE_PEAK_NS] = {
		.name = "peak_ns", LEDGER(peak_ns), .if_traced = 1,
	},
	[FIGURE_ALLOCS] = {
		.name = "allocs", LEDGER(total.allocs), .if_traced = 1,
	},
	[FIGURE_FREES] = {
		.name = "frees", LEDGER(total.frees), .if_traced = 1,
	},
	[FIGURE_BEFORE_FREES] = {
		.name = "before_freed_pages", LEDGER(total.before_frees),
		.if_traced = 1,
	},
	[FIGURE_SEEN] = { .name = "seen", LEDGER(total.seen) },
	[FIGURE_APPLIED] = { .name = "applied", LEDGER(total.applied) },
	[FIGURE_IGNORED] = { .name = "ignored", LEDGER(total.ignored) },
	[FIGURE_REJECTED] = { .name = "rejected", LEDGER(total.rejected) },
	[FIGURE_LOST] = { .name = "lost", LEDGER(total.lost) },
	[FIGURE_OWN_BYTES] = { .name = "own_bytes", SESSION(own_bytes) },
	[FIGURE_CPU_NS] = { .name = "cpu_ns", SESSION(cpu_ns) },

	[FIGURE_PAGES_BYTES] = {
		.name = "pages_bytes", SESSION(layout.pages_bytes),
	},
	[FIGURE_STACKS_BYTES] = { .name = "stacks_bytes" },
	[FIGURE_TASKS_BYTES] = { .name = "tasks_bytes" },
	[FIGURE_MODULES_BYTES] = { .name = "modules_bytes" },
	[FIGURE_RING_BYTES] = {
		.name = "ring_bytes", SESSION(layout.ring_bytes),
	},
	[FIGURE_STACKS_ROWS] = { .name = "stacks_rows", SESSION(layout.nodes) },
	[FIGURE_OWNERS_ROWS] = {
		.name = "owners_rows", SESSION(layout.owners),
	},
	[FIGURE_TASKS_ROWS] = { .name = "tasks_rows", SESSION(layout.tasks) },
	[FIGURE_MODULES_ROWS] = {
		.name = "modules_rows", SESSION(layout.modules),
	},
	[FIGURE_SYMBOLS_ROWS] = {
		.name = "symbols_rows", SESSION(layout.symbols),
	},
	[FIGURE_CPUS_TRACED] = { .name = "cpus_traced", SESSION(cpus_traced) },
	[FIGURE_CPUS_ONLINE] = { .name = "cpus_online", SESSION(cpus_online) },

	[FIGURE_LOST_RECORDS] = { .name = "lost", LEDGER(total.lost) },
	[FIGURE_LATE] = { .name = "late", LEDGER(total.late) },
	[FIGURE_SETTLED_PAGES] = {
		.name = "settled_pages", LEDGER(total.settled_pages),
	},
	[FIGURE_MISSED_FREES] = {
		.name = "missed_free_pages", LEDGER(total.missed_frees),
	},
	[FIGURE_UNTRACKED_PAGES] = {
		.name = "untracked_pages", LEDGER(total.untracked_pages),
	},
	[FIGURE_OUTSIDE_RAM] = {
		.name = "outside_ram", LEDGER(total.outside_ram),
	},
	[FIGURE_BAD_RECORDS] = {
		.name = "bad_records", LEDGER(total.bad_records),
	},
	[FIGURE_FAILED_ALLOCS] = {
		.name = "failed_allocs", LEDGER(total.failed_allocs),
	},
	[FIGURE_TASKS_FULL] = { .name = "tasks_full", LEDGER(tasks.full) },
	[FIGURE_TASKS_RECYCLED] = {
		.name = "tasks_recycled", LEDGER(tasks.recycled),
	},
	[FIGURE_TASKS_RECYCLED_PEAK] = {
		.name = "tasks_recycled_peak", LEDGER(tasks.recycled_peak),
	},
	[FIGURE_MODULES_FULL] = {
		.name = "modules_full", LEDGER(modules.full),
	},
	[FIGURE_MODULES_RECYCLED] = {
		.name = "modules_recycled", LEDGER(modules.recycled),
	},
	[FIGURE_MODULES_RECYCLED_PEAK] = {
		.name = "modules_recycled_peak", LEDGER(modules.recycled_peak),
	},
	[FIGURE_RANGES_FULL] = {
		.name = "ranges_full", LEDGER(modules.ranges_full),
	},
	[FIGURE_FUNCTIONS_FULL] = {
		.name = "functions_full", LEDGER(kinds.full),
	},
	[FIGURE_AREAS_FULL] = { .name = "areas_full", LEDGER(areas.full) },
	[FIGURE_STACKS_FULL] = { .name = "stacks_full", LEDGER(stacks.full) },
	[FIGURE_OWNERS_FULL] = { .name = "owners_full", LEDGER(owners.full) },
	[FIGURE_OWNERS_RECYCLED] = {
		.name = "owners_recycled", LEDGER(owners.recycled),
	},
	[FIGURE_OWNERS_RECYCLED_PEAK] = {
		.name = "owners_recycled_peak", LEDGER(owners.recycled_peak),
	},
	[FIGURE_ANON_PAGES] = {
		.name = "anon_pages", LEDGER(total.anon_pages),
	},
	[FIGURE_BEFORE_PAGES] = {
		.name = "before_freed_pages", LEDGER(total.before_frees),
	},

	[FIGURE_LINES] = { .name = "records" },
	[FIGURE_CUT] = { .name = "records_cut" },
	[FIGURE_FRAMES] = { .name = "frames" },
	[FIGURE_UNNAMED] = { .name = "unnamed_frames" },
};

const char *figure_name(enum figure f)
{
	return rows[f].name;
}

static uint64_t kept(const struct report *r, const struct row *row)
{
	const char *from = row->from == FROM_LEDGER ? (const char *)r->ledger :
						      (const char *)r->session;
	uint64_t wide;
	uint32_t narrow;

	if (row->bytes == sizeof(narrow)) {
		memcpy(&narrow, from + row->offset, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, from + row->offset, sizeof(wide));
	return row->in_kib ? session_kib(r->session, wide) : wide;
}

void figures_get(const struct report *r, uint64_t value[FIGURES])
{
	const struct layout *y = &r->session->layout;

	for (unsigned int i = 0; i < FIGURES; i++)
		value[i] = rows[i].from == COMPUTED ? 0 : kept(r, &rows[i]);
	value[FIGURE_LEVEL] = r->level;
	value[FIGURE_RAM_KIB] = ram_kib(r->ledger, r->session,
					r->ledger->growth.pages);
	value[FIGURE_STACKS_BYTES] = stacks_bytes(y->nodes) +
				     owners_bytes(y->owners);
	value[FIGURE_TASKS_BYTES] = tasks_bytes(y->tasks);
	value[FIGURE_MODULES_BYTES] = modules_bytes(y->modules) +
				      areas_bytes(y->modules, y->tasks) +
				      timeline_bytes();
	balance_get(r->ledger, value);
	advice_get(r, value);
	for (unsigned int i = 0; i < FIGURES; i++)
		if ((rows[i].if_sampled && !r->ledger->memory_sampled) ||
		    (rows[i].if_traced && r->ledger->samples.on))
			value[i] = UNKNOWN;
}
