/* Which fields a record of each type has, in file order: see trace_shape.h. */
#include <stddef.h>
#include "trace_file.h"
#include "trace_shape.h"

const struct trace_shape trace_shapes[TRACE_EVENT_TYPES] = {
	[EVENT_ALLOC] = { { { offsetof(struct event, pfn), TRACE_U64 } },
		1, TRACE_CHAIN },
	[EVENT_FREE] = { { { offsetof(struct event, pfn), TRACE_U64 } },
		1, TRACE_NO_TAIL },
	[EVENT_FORK] = { { { offsetof(struct event, parent_tid), TRACE_U32 },
		{ offsetof(struct event, parent_tgid), TRACE_U32 } },
		2, TRACE_NO_TAIL },
	[EVENT_COMM] = { .tail = TRACE_NAME },
	[EVENT_TASK] = { { { offsetof(struct event, parent_tid), TRACE_U32 },
		{ offsetof(struct event, parent_tgid), TRACE_U32 },
		{ offsetof(struct event, rss_pages), TRACE_U64 } },
		3, TRACE_NAME },
	[EVENT_MODULE_LOAD] = { .tail = TRACE_NAME },
	[EVENT_LOAD_EXIT] = { { { offsetof(struct event, result), TRACE_U64 } },
		1, TRACE_NO_TAIL },
	[EVENT_MODULE_FREE] = { .tail = TRACE_NAME },
	[EVENT_MODULE_RANGE] = { { { offsetof(struct event, base), TRACE_WORD },
		{ offsetof(struct event, size), TRACE_WORD } },
		2, TRACE_NAME },
	[EVENT_MEMORY] = {
		{ { offsetof(struct event, free_pages), TRACE_U64 } },
		1, TRACE_NO_TAIL },
	[EVENT_BULK] = { { { offsetof(struct event, pages), TRACE_U64 } },
		1, TRACE_NO_TAIL },
	[EVENT_AREA_ALLOC] = { { { offsetof(struct event, base), TRACE_WORD } },
		1, TRACE_CHAIN },
	[EVENT_AREA_FREE] = { { { offsetof(struct event, base), TRACE_WORD } },
		1, TRACE_NO_TAIL },
	[EVENT_AREA_SEEN] = { { { offsetof(struct event, base), TRACE_WORD },
		{ offsetof(struct event, pages), TRACE_U64 } },
		2, TRACE_NAME },
	[EVENT_FIGURE] = { { { offsetof(struct event, size), TRACE_U64 } },
		1, TRACE_NAME },
	[EVENT_LOST] = { { { offsetof(struct event, lost), TRACE_U64 } },
		1, TRACE_NO_TAIL },
};

const struct trace_field trace_header_fields[TRACE_HEADER_FIELDS] = {
	{ offsetof(struct trace_header, page_size), TRACE_U32 },
	{ offsetof(struct trace_header, layout.nodes), TRACE_U32 },
	{ offsetof(struct trace_header, layout.owners), TRACE_U32 },
	{ offsetof(struct trace_header, layout.tasks), TRACE_U32 },
	{ offsetof(struct trace_header, layout.modules), TRACE_U32 },
	{ offsetof(struct trace_header, layout.symbols), TRACE_U32 },
	{ offsetof(struct trace_header, layout.pages_bytes), TRACE_U64 },
	{ offsetof(struct trace_header, layout.ring_bytes), TRACE_U64 },
	{ offsetof(struct trace_header, mem_total_kib), TRACE_U64 },
	{ offsetof(struct trace_header, start_ns), TRACE_U64 },
};

const struct trace_field trace_end_fields[TRACE_END_FIELDS] = {
	{ offsetof(struct session, cpus_traced), TRACE_U32 },
	{ offsetof(struct session, cpus_online), TRACE_U32 },
	{ offsetof(struct session, start_ns), TRACE_U64 },
	{ offsetof(struct session, end_ns), TRACE_U64 },
	{ offsetof(struct session, mem_total_kib), TRACE_U64 },
	{ offsetof(struct session, own_bytes), TRACE_U64 },
	{ offsetof(struct session, cpu_ns), TRACE_U64 },
};
