/* SPDX-License-Identifier: MIT */
/* Which fields a record of each type has, in file order: see shape.h. */
#include <stddef.h>
#include "record/trace.h"
#include "record/shape.h"

const struct trace_prelude trace_prelude = {
	.magic = TRACE_MAGIC,
	.order_mark = TRACE_ORDER_MARK,
	.version = TRACE_VERSION,
	.word_bytes = sizeof(unsigned long),
	.clock = TRACE_CLOCK_MONOTONIC,
};
_Static_assert(sizeof(trace_prelude) == TRACE_PRELUDE_BYTES, "no gaps");

#define FIELDS(...) (const struct trace_field[]){ \
	__VA_ARGS__, { 0, TRACE_NONE } }

/* Events whose type has no shape here have only the common part. */
const struct trace_shape trace_shapes[TRACE_PARTS] = {
	[EVENT_ALLOC] = {
		.tail = TRACE_CHAIN,
		.field = FIELDS(
			{ offsetof(struct event, pfn), TRACE_U64 }),
	},
	[EVENT_FREE] = {
		.field = FIELDS(
			{ offsetof(struct event, pfn), TRACE_U64 }),
	},
	[EVENT_FORK] = {
		.field = FIELDS(
			{ offsetof(struct event, parent_tid), TRACE_U32 },
			{ offsetof(struct event, parent_tgid), TRACE_U32 }),
	},
	[EVENT_COMM] = {
		.tail = TRACE_NAME,
	},
	[EVENT_TASK] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, parent_tid), TRACE_U32 },
			{ offsetof(struct event, parent_tgid), TRACE_U32 },
			{ offsetof(struct event, rss_pages), TRACE_U64 }),
	},
	[EVENT_MODULE_LOAD] = {
		.tail = TRACE_NAME,
	},
	[EVENT_LOAD_EXIT] = {
		.field = FIELDS(
			{ offsetof(struct event, result), TRACE_U64 }),
	},
	[EVENT_MODULE_FREE] = {
		.tail = TRACE_NAME,
	},
	[EVENT_MODULE_RANGE] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, base), TRACE_WORD },
			{ offsetof(struct event, size), TRACE_WORD }),
	},
	[EVENT_MEMORY] = {
		.field = FIELDS(
			{ offsetof(struct event, free_pages), TRACE_U64 }),
	},
	[EVENT_LOST] = {
		.field = FIELDS(
			{ offsetof(struct event, lost), TRACE_U64 }),
	},
	[EVENT_AREA_ENTER] = {
		.tail = TRACE_CHAIN,
	},
	[EVENT_BULK] = {
		.field = FIELDS(
			{ offsetof(struct event, pages), TRACE_U64 }),
	},
	[EVENT_AREA_ALLOC] = {
		.tail = TRACE_CHAIN,
		.field = FIELDS(
			{ offsetof(struct event, base), TRACE_WORD }),
	},
	[EVENT_AREA_FREE] = {
		.field = FIELDS(
			{ offsetof(struct event, base), TRACE_WORD }),
	},
	[EVENT_AREA_SEEN] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, base), TRACE_WORD },
			{ offsetof(struct event, pages), TRACE_U64 }),
	},
	[EVENT_FUNCTION] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, base), TRACE_WORD },
			{ offsetof(struct event, size), TRACE_WORD }),
	},
	[EVENT_INITCALL_START] = {
		.field = FIELDS(
			{ offsetof(struct event, base), TRACE_WORD }),
	},
	[EVENT_INITCALL_FINISH] = {
		.field = FIELDS(
			{ offsetof(struct event, base), TRACE_WORD },
			{ offsetof(struct event, result), TRACE_U64 }),
	},
	[EVENT_BEFORE_INIT] = {
		.field = FIELDS(
			{ offsetof(struct event, pages), TRACE_U64 },
			{ offsetof(struct event, lost), TRACE_U64 }),
	},
	[EVENT_INITCALL_CALLER] = {
		.field = FIELDS(
			{ offsetof(struct event, base), TRACE_WORD },
			{ offsetof(struct event, size), TRACE_WORD }),
	},
	[EVENT_SOURCE] = {
		.tail = TRACE_NAME,
	},
	[EVENT_FIGURE] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, size), TRACE_U64 }),
	},
	[EVENT_CACHE_SAMPLE] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, pages), TRACE_U64 }),
	},
	[EVENT_TASK_SAMPLE] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, parent_tgid), TRACE_U32 },
			{ offsetof(struct event, rss_pages), TRACE_U64 },
			{ offsetof(struct event, pages), TRACE_U64 }),
	},
	[EVENT_MODULE_SAMPLE] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, pages), TRACE_U64 }),
	},
	[EVENT_KIND_SAMPLE] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, pages), TRACE_U64 }),
	},
	[EVENT_RAM] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, size), TRACE_U64 }),
	},
	[EVENT_OBJECT_ALLOC] = {
		.tail = TRACE_NAME_CHAIN,
		.field = FIELDS(
			{ offsetof(struct event, base), TRACE_WORD },
			{ offsetof(struct event, site), TRACE_WORD },
			{ offsetof(struct event, size), TRACE_U64 },
			{ offsetof(struct event, allocated_bytes), TRACE_U64 },
			{ offsetof(struct event, cpu), TRACE_U32 }),
	},
	[EVENT_OBJECT_FREE] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, base), TRACE_WORD },
			{ offsetof(struct event, site), TRACE_WORD },
			{ offsetof(struct event, cpu), TRACE_U32 }),
	},
	[EVENT_CACHE_SEEN] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, size), TRACE_U64 },
			{ offsetof(struct event, objects), TRACE_U64 },
			{ offsetof(struct event, pages), TRACE_U64 }),
	},
	[EVENT_INITRAMFS] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, size), TRACE_U64 }),
	},
	[EVENT_IN_USE] = {
		.tail = TRACE_NAME,
	},
	[EVENT_MOVE] = {
		.field = FIELDS(
			{ offsetof(struct event, base), TRACE_WORD },
			{ offsetof(struct event, result), TRACE_U64 }),
	},
	[EVENT_AVAILABLE] = {
		.field = FIELDS(
			{ offsetof(struct event, free_pages), TRACE_U64 },
			{ offsetof(struct event, rss_pages), TRACE_U64 },
			{ offsetof(struct event, pages), TRACE_U64 },
			{ offsetof(struct event, objects), TRACE_U64 }),
	},
	[EVENT_KEPT] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, pages), TRACE_U64 }),
	},
	[EVENT_KILL] = {
		.field = FIELDS(
			{ offsetof(struct event, result), TRACE_U64 }),
	},
	[EVENT_UNPACK] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, size), TRACE_U64 },
			{ offsetof(struct event, pages), TRACE_U64 }),
	},
	[EVENT_FULL] = {
		.tail = TRACE_NAME,
		.field = FIELDS(
			{ offsetof(struct event, size), TRACE_U64 },
			{ offsetof(struct event, pages), TRACE_U64 },
			{ offsetof(struct event, objects), TRACE_U64 },
			{ offsetof(struct event, lost), TRACE_U64 }),
	},
	[TRACE_PART_HEADER] = {
		.field = FIELDS(
			{ offsetof(struct trace_header, page_size), TRACE_U32 },
			{ offsetof(struct trace_header, layout.nodes),
			  TRACE_U32 },
			{ offsetof(struct trace_header, layout.owners),
			  TRACE_U32 },
			{ offsetof(struct trace_header, layout.tasks),
			  TRACE_U32 },
			{ offsetof(struct trace_header, layout.modules),
			  TRACE_U32 },
			{ offsetof(struct trace_header, layout.symbols),
			  TRACE_U32 },
			{ offsetof(struct trace_header, layout.pages_bytes),
			  TRACE_U64 },
			{ offsetof(struct trace_header, layout.ring_bytes),
			  TRACE_U64 },
			{ offsetof(struct trace_header, mem_total_kib),
			  TRACE_U64 },
			{ offsetof(struct trace_header, start_ns), TRACE_U64 }),
	},
	[TRACE_PART_SLAB] = {
		.field = FIELDS(
			{ offsetof(struct trace_header, layout.slab_bytes),
			  TRACE_U64 }),
	},
	[TRACE_PART_PICTURE] = {
		.field = FIELDS(
			{ offsetof(struct session, layout.history),
			  TRACE_U32 }),
	},
	[TRACE_PART_RANGE] = {
		.field = FIELDS(
			{ offsetof(struct ram_range, first_pfn), TRACE_U64 },
			{ offsetof(struct ram_range, count_pages), TRACE_U64 }),
	},
	[TRACE_PART_SYMBOL] = {
		.field = FIELDS(
			{ offsetof(struct trace_symbol, addr), TRACE_WORD },
			{ offsetof(struct trace_symbol, start), TRACE_WORD }),
	},
	[TRACE_PART_END] = {
		.field = FIELDS(
			{ offsetof(struct session, cpus_traced), TRACE_U32 },
			{ offsetof(struct session, cpus_online), TRACE_U32 },
			{ offsetof(struct session, start_ns), TRACE_U64 },
			{ offsetof(struct session, end_ns), TRACE_U64 },
			{ offsetof(struct session, mem_total_kib), TRACE_U64 },
			{ offsetof(struct session, own_bytes), TRACE_U64 },
			{ offsetof(struct session, cpu_ns), TRACE_U64 }),
	},
};
