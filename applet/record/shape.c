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

int trace_begins(const unsigned char *bytes, size_t len)
{
	return len >= TRACE_MAGIC_BYTES &&
	       !memcmp(bytes, trace_prelude.magic, TRACE_MAGIC_BYTES);
}

/* Numbers of an event, then of the header, a range, a symbol and the end. The
 * size of an event is 8 bytes or, of a range of code, a word. */
enum {
	PFN = 1, PARENT_TID, PARENT_TGID, RESULT, BASE, CODE_BYTES, SIZE,
	FREE_PAGES, RSS_PAGES, LOST, PAGES, SITE, ALLOCATED, OBJECTS, CPU,
	PAGE_SIZE, NODES, OWNERS, TASKS, MODULES, SYMBOLS, TABLE_BYTES,
	RING_BYTES, HEADER_KIB, HEADER_NS, SLAB_BYTES, HISTORY,
	FIRST_PFN, COUNT_PAGES, ADDR, START,
	CPUS_TRACED, CPUS_ONLINE, START_NS, END_NS, TOTAL_KIB, OWN_BYTES,
	CPU_NS, FIELDS
};
_Static_assert(FIELDS <= (int)TRACE_NAME, "a tail is no field");

const struct trace_field trace_fields[FIELDS] = {
	[PFN] = { offsetof(struct event, pfn), TRACE_U64 },
	[PARENT_TID] = { offsetof(struct event, parent_tid), TRACE_U32 },
	[PARENT_TGID] = { offsetof(struct event, parent_tgid), TRACE_U32 },
	[RESULT] = { offsetof(struct event, result), TRACE_U64 },
	[BASE] = { offsetof(struct event, base), TRACE_WORD },
	[CODE_BYTES] = { offsetof(struct event, size), TRACE_WORD },
	[SIZE] = { offsetof(struct event, size), TRACE_U64 },
	[FREE_PAGES] = { offsetof(struct event, free_pages), TRACE_U64 },
	[RSS_PAGES] = { offsetof(struct event, rss_pages), TRACE_U64 },
	[LOST] = { offsetof(struct event, lost), TRACE_U64 },
	[PAGES] = { offsetof(struct event, pages), TRACE_U64 },
	[SITE] = { offsetof(struct event, site), TRACE_WORD },
	[ALLOCATED] = { offsetof(struct event, allocated_bytes), TRACE_U64 },
	[OBJECTS] = { offsetof(struct event, objects), TRACE_U64 },
	[CPU] = { offsetof(struct event, cpu), TRACE_U32 },
	[PAGE_SIZE] = { offsetof(struct trace_header, page_size), TRACE_U32 },
	[NODES] = { offsetof(struct trace_header, layout.nodes), TRACE_U32 },
	[OWNERS] = { offsetof(struct trace_header, layout.owners), TRACE_U32 },
	[TASKS] = { offsetof(struct trace_header, layout.tasks), TRACE_U32 },
	[MODULES] = {
		offsetof(struct trace_header, layout.modules), TRACE_U32,
	},
	[SYMBOLS] = {
		offsetof(struct trace_header, layout.symbols), TRACE_U32,
	},
	[TABLE_BYTES] = {
		offsetof(struct trace_header, layout.pages_bytes), TRACE_U64,
	},
	[RING_BYTES] = {
		offsetof(struct trace_header, layout.ring_bytes), TRACE_U64,
	},
	[HEADER_KIB] = {
		offsetof(struct trace_header, mem_total_kib), TRACE_U64,
	},
	[HEADER_NS] = { offsetof(struct trace_header, start_ns), TRACE_U64 },
	[SLAB_BYTES] = {
		offsetof(struct trace_header, layout.slab_bytes), TRACE_U64,
	},
	[HISTORY] = { offsetof(struct session, layout.history), TRACE_U32 },
	[FIRST_PFN] = { offsetof(struct ram_range, first_pfn), TRACE_U64 },
	[COUNT_PAGES] = { offsetof(struct ram_range, count_pages), TRACE_U64 },
	[ADDR] = { offsetof(struct trace_symbol, addr), TRACE_WORD },
	[START] = { offsetof(struct trace_symbol, start), TRACE_WORD },
	[CPUS_TRACED] = { offsetof(struct session, cpus_traced), TRACE_U32 },
	[CPUS_ONLINE] = { offsetof(struct session, cpus_online), TRACE_U32 },
	[START_NS] = { offsetof(struct session, start_ns), TRACE_U64 },
	[END_NS] = { offsetof(struct session, end_ns), TRACE_U64 },
	[TOTAL_KIB] = { offsetof(struct session, mem_total_kib), TRACE_U64 },
	[OWN_BYTES] = { offsetof(struct session, own_bytes), TRACE_U64 },
	[CPU_NS] = { offsetof(struct session, cpu_ns), TRACE_U64 },
};

/* Events without a shape here have only the common part. */
const uint8_t trace_shapes[TRACE_PARTS][TRACE_SHAPE_BYTES] = {
	[EVENT_ALLOC] = { PFN, TRACE_CHAIN },
	[EVENT_FREE] = { PFN },
	[EVENT_FORK] = { PARENT_TID, PARENT_TGID },
	[EVENT_COMM] = { TRACE_NAME },
	[EVENT_TASK] = { PARENT_TID, PARENT_TGID, RSS_PAGES, TRACE_NAME },
	[EVENT_MODULE_LOAD] = { TRACE_NAME },
	[EVENT_LOAD_EXIT] = { RESULT },
	[EVENT_MODULE_FREE] = { TRACE_NAME },
	[EVENT_MODULE_RANGE] = { BASE, CODE_BYTES, TRACE_NAME },
	[EVENT_MEMORY] = { FREE_PAGES },
	[EVENT_LOST] = { LOST },
	[EVENT_AREA_ENTER] = { TRACE_CHAIN },
	[EVENT_BULK] = { PAGES },
	[EVENT_AREA_ALLOC] = { BASE, TRACE_CHAIN },
	[EVENT_AREA_FREE] = { BASE },
	[EVENT_AREA_SEEN] = { BASE, PAGES, TRACE_NAME },
	[EVENT_FIGURE] = { SIZE, TRACE_NAME },
	[EVENT_FUNCTION] = { BASE, CODE_BYTES, TRACE_NAME },
	[EVENT_RAM] = { SIZE, TRACE_NAME },
	[EVENT_UNPACK] = { SIZE, PAGES, TRACE_NAME },
	[EVENT_INITCALL_START] = { BASE },
	[EVENT_INITCALL_FINISH] = { BASE, RESULT },
	[EVENT_CACHE_SAMPLE] = { PAGES, TRACE_NAME },
	[EVENT_TASK_SAMPLE] = { PARENT_TGID, RSS_PAGES, PAGES, TRACE_NAME },
	[EVENT_MODULE_SAMPLE] = { PAGES, TRACE_NAME },
	[EVENT_KIND_SAMPLE] = { PAGES, TRACE_NAME },
	[EVENT_SOURCE] = { TRACE_NAME },
	[EVENT_BEFORE_INIT] = { PAGES, LOST },
	[EVENT_INITCALL_CALLER] = { BASE, CODE_BYTES },
	[EVENT_INITRAMFS] = { SIZE, TRACE_NAME },
	[EVENT_OBJECT_ALLOC] = {
		BASE, SITE, SIZE, ALLOCATED, CPU, TRACE_NAME_CHAIN,
	},
	[EVENT_OBJECT_FREE] = { BASE, SITE, CPU, TRACE_NAME },
	[EVENT_CACHE_SEEN] = { SIZE, OBJECTS, PAGES, TRACE_NAME },
	[EVENT_KILL] = { RESULT },
	[EVENT_KEPT] = { PAGES, TRACE_NAME },
	[EVENT_AVAILABLE] = { FREE_PAGES, RSS_PAGES, PAGES, OBJECTS },
	[EVENT_FULL] = { SIZE, PAGES, OBJECTS, LOST, TRACE_NAME },
	[EVENT_IN_USE] = { TRACE_NAME },
	[EVENT_MOVE] = { BASE, RESULT },
	[EVENT_RANGE] = { PFN, PAGES, SIZE },
	[EVENT_GROWN] = { RESULT, PAGES },
	[EVENT_BLOCKS] = { SIZE, PAGES, FREE_PAGES },
	[EVENT_MODULE_DIR] = { TRACE_NAME },
	[EVENT_PHASE] = { TRACE_NAME },
	[EVENT_HANDED] = { PAGES },
	[EVENT_TAG] = { SIZE, OBJECTS, LOST, TRACE_NAME },
	[TRACE_PART_HEADER] = { PAGE_SIZE, NODES, OWNERS, TASKS, MODULES,
				SYMBOLS },
	[TRACE_PART_SIZES] = { TABLE_BYTES, RING_BYTES, HEADER_KIB, HEADER_NS },
	[TRACE_PART_RANGE] = { FIRST_PFN, COUNT_PAGES },
	[TRACE_PART_SYMBOL] = { ADDR, START },
	[TRACE_PART_END] = { CPUS_TRACED, CPUS_ONLINE, START_NS, END_NS,
			     TOTAL_KIB, OWN_BYTES, CPU_NS },
	[TRACE_PART_SLAB] = { SLAB_BYTES },
	[TRACE_PART_PICTURE] = { HISTORY },
};
