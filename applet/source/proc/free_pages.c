/* SPDX-License-Identifier: MIT */
/*
 * The exact number of free pages: the buddy allocator's blocks, and the pages
 * on per-CPU lists. MemFree leaves out the per-CPU lists, and its count of the
 * blocks may be wrong by up to 125 pages for each CPU and zone.
 */
#include "base/system.h"
#include "source/proc/proc.h"

/* "Node 0, zone   Normal   3   1   0 …": free blocks of each order. */
uint64_t buddyinfo_line(const char *line, size_t len, uint64_t *largest)
{
	struct word rest = { line, len }, w;
	uint64_t pages = 0, blocks;

	*largest = 0;
	word_to(&rest, ',', &w);
	if (!word_is(next_word(&rest, &w), "zone"))
		return 0;
	next_word(&rest, &w);	/* its name */
	for (unsigned int order = 0; order <= ORDER_MAX; order++) {
		if (word_number(next_word(&rest, &w), 10, &blocks) ||
		    blocks > UINT32_MAX)
			break;
		pages += blocks << order;
		if (blocks)
			*largest = UINT64_C(1) << order;
	}
	return pages;
}

static void take_buddyinfo(void *context, char *line, size_t len)
{
	uint64_t largest;

	*(uint64_t *)context += buddyinfo_line(line, len, &largest);
}

/* A zone with a block that is large enough is closed to the allocation: it is
 * kept for others, or for movable pages. */
static void take_blocks(void *context, char *line, size_t len)
{
	struct event *e = context;
	uint64_t largest;

	e->free_pages += buddyinfo_line(line, len, &largest);
	if (largest > e->pages && largest < e->size)
		e->pages = largest;
}

void proc_blocks(struct event_out *out, uint64_t time_ns, uint64_t pages)
{
	struct event e;

	event_begin(&e, EVENT_BLOCKS, time_ns);
	e.size = pages;
	if (!each_line("/proc/buddyinfo", take_blocks, &e))
		out->event(out, &e);
}

static void take_zoneinfo(void *context, char *line, size_t len)
{
	*(uint64_t *)context += zoneinfo_line(line, len);
}

uint64_t proc_free_pages(void)
{
	uint64_t pages = 0;

	if (each_line("/proc/zoneinfo", take_zoneinfo, &pages) ||
	    each_line("/proc/buddyinfo", take_buddyinfo, &pages))
		return 0;
	return pages;
}
