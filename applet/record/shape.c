/* Which fields a record of each type has, in file order: see shape.h. */
#include <stddef.h>
#include "record/trace.h"
#include "record/shape.h"

/* Named are those with which a shape begins. */
enum {
	TID, PFN = TID + 4, PARENT_TID, RESULT = PARENT_TID + 3, BASE_SIZE,
	BASE_PAGES = BASE_SIZE + 2, PAGES, SIZE, FREE_PAGES, LOST,
	PAGE_SIZE, FIRST_PFN = PAGE_SIZE + 10, ADDR = FIRST_PFN + 2,
	CPUS_TRACED = ADDR + 2
};

const struct trace_prelude trace_prelude = {
	TRACE_MAGIC, { TRACE_ORDER_MARK, TRACE_VERSION, sizeof(unsigned long),
	TRACE_CLOCK_MONOTONIC },
};
_Static_assert(sizeof(trace_prelude) == TRACE_PRELUDE_BYTES, "no gaps");

const struct trace_field trace_fields[] = {
	[TID] = { offsetof(struct event, tid), TRACE_U32 },
	{ offsetof(struct event, time_ns), TRACE_U64 },
	{ offsetof(struct event, tgid), TRACE_U32 },
	{ offsetof(struct event, flags), TRACE_U32 },
	[PFN] = { offsetof(struct event, pfn), TRACE_U64 },
	[PARENT_TID] = { offsetof(struct event, parent_tid), TRACE_U32 },
	{ offsetof(struct event, parent_tgid), TRACE_U32 },
	{ offsetof(struct event, rss_pages), TRACE_U64 },
	[RESULT] = { offsetof(struct event, result), TRACE_U64 },
	[BASE_SIZE] = { offsetof(struct event, base), TRACE_WORD },
	{ offsetof(struct event, size), TRACE_WORD },
	[BASE_PAGES] = { offsetof(struct event, base), TRACE_WORD },
	[PAGES] = { offsetof(struct event, pages), TRACE_U64 },
	[SIZE] = { offsetof(struct event, size), TRACE_U64 },
	[FREE_PAGES] = { offsetof(struct event, free_pages), TRACE_U64 },
	[LOST] = { offsetof(struct event, lost), TRACE_U64 },

	[PAGE_SIZE] = { offsetof(struct trace_header, page_size), TRACE_U32 },
	{ offsetof(struct trace_header, layout.nodes), TRACE_U32 },
	{ offsetof(struct trace_header, layout.owners), TRACE_U32 },
	{ offsetof(struct trace_header, layout.tasks), TRACE_U32 },
	{ offsetof(struct trace_header, layout.modules), TRACE_U32 },
	{ offsetof(struct trace_header, layout.symbols), TRACE_U32 },
	{ offsetof(struct trace_header, layout.pages_bytes), TRACE_U64 },
	{ offsetof(struct trace_header, layout.ring_bytes), TRACE_U64 },
	{ offsetof(struct trace_header, mem_total_kib), TRACE_U64 },
	{ offsetof(struct trace_header, start_ns), TRACE_U64 },

	[FIRST_PFN] = { offsetof(struct ram_range, first_pfn), TRACE_U64 },
	{ offsetof(struct ram_range, count_pages), TRACE_U64 },

	[ADDR] = { offsetof(struct trace_symbol, addr), TRACE_WORD },
	{ offsetof(struct trace_symbol, start), TRACE_WORD },

	[CPUS_TRACED] = { offsetof(struct session, cpus_traced), TRACE_U32 },
	{ offsetof(struct session, cpus_online), TRACE_U32 },
	{ offsetof(struct session, start_ns), TRACE_U64 },
	{ offsetof(struct session, end_ns), TRACE_U64 },
	{ offsetof(struct session, mem_total_kib), TRACE_U64 },
	{ offsetof(struct session, own_bytes), TRACE_U64 },
	{ offsetof(struct session, cpu_ns), TRACE_U64 },
};

const struct trace_shape trace_shapes[TRACE_PARTS] = {
	[TRACE_PART_COMMON] = { TID, 4, TRACE_NO_TAIL },
	[EVENT_ALLOC] = { PFN, 1, TRACE_CHAIN },
	[EVENT_FREE] = { PFN, 1, TRACE_NO_TAIL },
	[EVENT_FORK] = { PARENT_TID, 2, TRACE_NO_TAIL },
	[EVENT_COMM] = { 0, 0, TRACE_NAME },
	[EVENT_TASK] = { PARENT_TID, 3, TRACE_NAME },
	[EVENT_MODULE_LOAD] = { 0, 0, TRACE_NAME },
	[EVENT_LOAD_EXIT] = { RESULT, 1, TRACE_NO_TAIL },
	[EVENT_MODULE_FREE] = { 0, 0, TRACE_NAME },
	[EVENT_MODULE_RANGE] = { BASE_SIZE, 2, TRACE_NAME },
	[EVENT_MEMORY] = { FREE_PAGES, 1, TRACE_NO_TAIL },
	[EVENT_BULK] = { PAGES, 1, TRACE_NO_TAIL },
	[EVENT_AREA_ALLOC] = { BASE_PAGES, 1, TRACE_CHAIN },
	[EVENT_AREA_FREE] = { BASE_PAGES, 1, TRACE_NO_TAIL },
	[EVENT_AREA_SEEN] = { BASE_PAGES, 2, TRACE_NAME },
	[EVENT_FIGURE] = { SIZE, 1, TRACE_NAME },
	[EVENT_LOST] = { LOST, 1, TRACE_NO_TAIL },
	[TRACE_PART_HEADER] = { PAGE_SIZE, 10, TRACE_NO_TAIL },
	[TRACE_PART_RANGE] = { FIRST_PFN, 2, TRACE_NO_TAIL },
	[TRACE_PART_SYMBOL] = { ADDR, 2, TRACE_NO_TAIL },
	[TRACE_PART_END] = { CPUS_TRACED, 7, TRACE_NO_TAIL },
};
