/* SPDX-License-Identifier: MIT */
/* The fields of each type of record, in file order: see record.h, shape. */
#include <stddef.h>
#include "record/record.h"

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

/* Fields that several events share. */
static const struct trace_field pages[] = {
	{ offsetof(struct event, pages), TRACE_U64 },
	{ 0, TRACE_NONE },
};
static const struct trace_field bytes[] = {
	{ offsetof(struct event, size), TRACE_U64 },
	{ 0, TRACE_NONE },
};
static const struct trace_field address[] = {
	{ offsetof(struct event, base), TRACE_WORD },
	{ 0, TRACE_NONE },
};
static const struct trace_field range[] = {
	{ offsetof(struct event, base), TRACE_WORD },
	{ offsetof(struct event, size), TRACE_WORD },
	{ 0, TRACE_NONE },
};
static const struct trace_field pfn[] = {
	{ offsetof(struct event, pfn), TRACE_U64 },
	{ 0, TRACE_NONE },
};

/* Events without a shape here have only the common part. */
const struct trace_field *const trace_fields[TRACE_PARTS] = {
	[EVENT_ALLOC] = pfn,
	[EVENT_FREE] = pfn,
	[EVENT_FORK] = FIELDS(
		{ offsetof(struct event, parent_tid), TRACE_U32 },
		{ offsetof(struct event, parent_tgid), TRACE_U32 }),
	[EVENT_TASK] = FIELDS(
		{ offsetof(struct event, parent_tid), TRACE_U32 },
		{ offsetof(struct event, parent_tgid), TRACE_U32 },
		{ offsetof(struct event, rss_pages), TRACE_U64 }),
	[EVENT_LOAD_EXIT] = FIELDS(
		{ offsetof(struct event, result), TRACE_U64 }),
	[EVENT_MODULE_RANGE] = range,
	[EVENT_MEMORY] = FIELDS(
		{ offsetof(struct event, free_pages), TRACE_U64 }),
	[EVENT_LOST] = FIELDS(
		{ offsetof(struct event, lost), TRACE_U64 }),
	[EVENT_BULK] = pages,
	[EVENT_AREA_ALLOC] = address,
	[EVENT_AREA_FREE] = address,
	[EVENT_AREA_SEEN] = FIELDS(
		{ offsetof(struct event, base), TRACE_WORD },
		{ offsetof(struct event, pages), TRACE_U64 }),
	[EVENT_FUNCTION] = range,
	[EVENT_INITCALL_START] = address,
	[EVENT_INITCALL_FINISH] = FIELDS(
		{ offsetof(struct event, base), TRACE_WORD },
		{ offsetof(struct event, result), TRACE_U64 }),
	[EVENT_BEFORE_INIT] = FIELDS(
		{ offsetof(struct event, pages), TRACE_U64 },
		{ offsetof(struct event, lost), TRACE_U64 }),
	[EVENT_INITCALL_CALLER] = range,
	[EVENT_FIGURE] = bytes,
	[EVENT_CACHE_SAMPLE] = pages,
	[EVENT_TASK_SAMPLE] = FIELDS(
		{ offsetof(struct event, parent_tgid), TRACE_U32 },
		{ offsetof(struct event, rss_pages), TRACE_U64 },
		{ offsetof(struct event, pages), TRACE_U64 }),
	[EVENT_MODULE_SAMPLE] = pages,
	[EVENT_KIND_SAMPLE] = pages,
	[EVENT_RAM] = bytes,
	[EVENT_OBJECT_ALLOC] = FIELDS(
		{ offsetof(struct event, base), TRACE_WORD },
		{ offsetof(struct event, site), TRACE_WORD },
		{ offsetof(struct event, size), TRACE_U64 },
		{ offsetof(struct event, allocated_bytes), TRACE_U64 },
		{ offsetof(struct event, cpu), TRACE_U32 }),
	[EVENT_OBJECT_FREE] = FIELDS(
		{ offsetof(struct event, base), TRACE_WORD },
		{ offsetof(struct event, site), TRACE_WORD },
		{ offsetof(struct event, cpu), TRACE_U32 }),
	[EVENT_CACHE_SEEN] = FIELDS(
		{ offsetof(struct event, size), TRACE_U64 },
		{ offsetof(struct event, objects), TRACE_U64 },
		{ offsetof(struct event, pages), TRACE_U64 }),
	[EVENT_INITRAMFS] = bytes,
	[EVENT_MOVE] = FIELDS(
		{ offsetof(struct event, base), TRACE_WORD },
		{ offsetof(struct event, result), TRACE_U64 }),
	[EVENT_RANGE] = FIELDS(
		{ offsetof(struct event, pfn), TRACE_U64 },
		{ offsetof(struct event, pages), TRACE_U64 },
		{ offsetof(struct event, size), TRACE_U64 }),
	[EVENT_GROWN] = FIELDS(
		{ offsetof(struct event, result), TRACE_U64 },
		{ offsetof(struct event, pages), TRACE_U64 }),
	[EVENT_AVAILABLE] = FIELDS(
		{ offsetof(struct event, free_pages), TRACE_U64 },
		{ offsetof(struct event, rss_pages), TRACE_U64 },
		{ offsetof(struct event, pages), TRACE_U64 },
		{ offsetof(struct event, objects), TRACE_U64 }),
	[EVENT_KEPT] = pages,
	[EVENT_BLOCKS] = FIELDS(
		{ offsetof(struct event, size), TRACE_U64 },
		{ offsetof(struct event, pages), TRACE_U64 },
		{ offsetof(struct event, free_pages), TRACE_U64 }),
	[EVENT_KILL] = FIELDS(
		{ offsetof(struct event, result), TRACE_U64 }),
	[EVENT_UNPACK] = FIELDS(
		{ offsetof(struct event, size), TRACE_U64 },
		{ offsetof(struct event, pages), TRACE_U64 }),
	[EVENT_FULL] = FIELDS(
		{ offsetof(struct event, size), TRACE_U64 },
		{ offsetof(struct event, pages), TRACE_U64 },
		{ offsetof(struct event, objects), TRACE_U64 },
		{ offsetof(struct event, lost), TRACE_U64 }),
	[TRACE_PART_HEADER] = FIELDS(
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
	[TRACE_PART_SLAB] = FIELDS(
		{ offsetof(struct trace_header, layout.slab_bytes),
		  TRACE_U64 }),
	[TRACE_PART_PICTURE] = FIELDS(
		{ offsetof(struct session, layout.history),
		  TRACE_U32 }),
	[TRACE_PART_RANGE] = FIELDS(
		{ offsetof(struct ram_range, first_pfn), TRACE_U64 },
		{ offsetof(struct ram_range, count_pages), TRACE_U64 }),
	[TRACE_PART_SYMBOL] = FIELDS(
		{ offsetof(struct trace_symbol, addr), TRACE_WORD },
		{ offsetof(struct trace_symbol, start), TRACE_WORD }),
	[TRACE_PART_END] = FIELDS(
		{ offsetof(struct session, cpus_traced), TRACE_U32 },
		{ offsetof(struct session, cpus_online), TRACE_U32 },
		{ offsetof(struct session, start_ns), TRACE_U64 },
		{ offsetof(struct session, end_ns), TRACE_U64 },
		{ offsetof(struct session, mem_total_kib), TRACE_U64 },
		{ offsetof(struct session, own_bytes), TRACE_U64 },
		{ offsetof(struct session, cpu_ns), TRACE_U64 }),
};

const uint8_t trace_tails[TRACE_PARTS] = {
	[EVENT_ALLOC] = TRACE_CHAIN,
	[EVENT_COMM] = TRACE_NAME,
	[EVENT_TASK] = TRACE_NAME,
	[EVENT_MODULE_LOAD] = TRACE_NAME,
	[EVENT_MODULE_FREE] = TRACE_NAME,
	[EVENT_MODULE_RANGE] = TRACE_NAME,
	[EVENT_AREA_ENTER] = TRACE_CHAIN,
	[EVENT_AREA_ALLOC] = TRACE_CHAIN,
	[EVENT_AREA_SEEN] = TRACE_NAME,
	[EVENT_FUNCTION] = TRACE_NAME,
	[EVENT_SOURCE] = TRACE_NAME,
	[EVENT_FIGURE] = TRACE_NAME,
	[EVENT_CACHE_SAMPLE] = TRACE_NAME,
	[EVENT_TASK_SAMPLE] = TRACE_NAME,
	[EVENT_MODULE_SAMPLE] = TRACE_NAME,
	[EVENT_KIND_SAMPLE] = TRACE_NAME,
	[EVENT_RAM] = TRACE_NAME,
	[EVENT_OBJECT_ALLOC] = TRACE_NAME_CHAIN,
	[EVENT_OBJECT_FREE] = TRACE_NAME,
	[EVENT_CACHE_SEEN] = TRACE_NAME,
	[EVENT_INITRAMFS] = TRACE_NAME,
	[EVENT_IN_USE] = TRACE_NAME,
	[EVENT_MODULE_DIR] = TRACE_NAME,
	[EVENT_KEPT] = TRACE_NAME,
	[EVENT_UNPACK] = TRACE_NAME,
	[EVENT_FULL] = TRACE_NAME,
};
