/* SPDX-License-Identifier: MIT */
/*
 * The exact number of free pages: the buddy allocator's blocks, and the pages
 * on per-CPU lists. MemFree leaves out the per-CPU lists, and its count of the
 * blocks may be wrong by up to 125 pages for each CPU and zone.
 */
#include "base/readfile.h"
#include "source/proc/proc.h"

/* "Node 0, zone   Normal   3   1   0 …": free blocks of each order. */
uint64_t buddyinfo_line(const char *line, size_t len)
{
	struct word rest = { line, len }, w;
	uint64_t pages = 0, blocks;

	word_to(&rest, ',', &w);
	if (!word_is(next_word(&rest, &w), "zone"))
		return 0;
	next_word(&rest, &w);	/* its name */
	for (unsigned int order = 0; order <= ORDER_MAX; order++) {
		if (word_number(next_word(&rest, &w), 10, &blocks) ||
		    blocks > UINT32_MAX)
			break;
		pages += blocks << order;
	}
	return pages;
}

static void take_buddyinfo(void *context, char *line, size_t len)
{
	*(uint64_t *)context += buddyinfo_line(line, len);
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
