/* SPDX-License-Identifier: MIT */
/*
 * The tracer's table of pages, as it comes to a client that compares it page by
 * page (memstrack report --check).
 *
 * The client sends the byte CONTROL_PAGES, a struct pages_request and a file of
 * its own (given.h). The tracer writes a struct pages_head at its beginning and
 * rows behind it. A machine has millions of pages, and the tracer must drain its
 * rings meanwhile. So one answer has a part of a table, of which the head says
 * where the next one begins, and the client asks again. An owner that holds a
 * page keeps its row, so the rows of owners may come after the runs of pages.
 *
 * Both ends are of one machine: numbers are as this machine has them.
 */
#ifndef MEMSTRACK_PAGE_TABLE_H
#define MEMSTRACK_PAGE_TABLE_H

#include <stdint.h>
#include "limits.h"

/* Changes with these structs. */
#define PAGES_VERSION 1u

/* What one answer has at most: pages looked at (30,000 take a millisecond, in a
 * hash), and rows of owners. */
#define PAGES_AT_ONCE (1u << 16)
#define OWNERS_AT_ONCE (1u << 13)

enum pages_part {
	PAGES_HEAD,		/* no rows */
	PAGES_RUNS,		/* struct pages_run, by page frame number */
	PAGES_OWNERS,		/* struct pages_owner, from row 0 */
	PAGES_MODULES,		/* names of MODULE_NAME_BYTES, from row 0 */
};

struct pages_request {
	uint32_t version, part;
	uint64_t from;			/* a pfn, or a row */
};

#define PAGES_END UINT64_MAX

struct pages_head {
	uint32_t version, count;	/* rows that follow */
	uint64_t next;			/* `from` of the next part */
	uint64_t start_ns, now_ns;	/* of the last drain: the table has all events
					 * up to it, and none behind */
	uint64_t held_pages, untracked_pages, lost;
	uint32_t owners, modules;	/* rows that their tables may have */
	uint32_t no_pages;		/* 1: this tracer samples */
	uint32_t page_size;
	uint32_t ranges, reserved;	/* of RAM, sorted and apart */
	struct pages_range {
		uint64_t first_pfn, pages;
	} range[RAM_RANGES_MAX];
};

/* Neighbours that one owner holds; `owner` is its row + 1. */
struct pages_run {
	uint64_t pfn;
	uint32_t pages, owner;
};

#define PAGES_IRQ	1u	/* in an interrupt: no task */
#define PAGES_NO_TASK	2u	/* the task has no row, or has it no more */
#define PAGES_NO_CHAIN	4u
#define PAGES_LOADING	8u	/* no frame is in the module: it was loading */
#define PAGES_CODE_GONE	16u	/* the module's innermost frame is in code that
				 * is gone: another may have its address now */

struct pages_owner {
	uint32_t tgid, module, flags;	/* module: its row */
};

#endif
