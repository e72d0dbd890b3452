/* SPDX-License-Identifier: MIT */
/*
 * What is free, and for whom, by /proc/zoneinfo.
 *
 * The kernel gives no page of a zone whose free pages are down to its watermark
 * "min" and to what it keeps for allocations that may use only zones like this
 * one (vm.lowmem_reserve_ratio); and it kills when that is so in each zone that
 * the allocation may use. What the kernel allocates for itself cannot be moved:
 * a zone of movable pages, contiguous memory (CMA) and high memory are no room
 * for it.
 */
#ifndef MEMSTRACK_ZONES_H
#define MEMSTRACK_ZONES_H

#include <stdint.h>
#include "source/event.h"

/* Of all zones, in pages. free = own + kept + reserve +
 * apart + high + cma. */
struct zones {
	int known;		/* there are zones: the others count */
	uint64_t free_pages;
	uint64_t own_pages;	/* the kernel's own allocations may take them */
	uint64_t kept_pages;	/* the watermarks "min" keep them from these, */
	uint64_t reserve_pages;	/* or vm.lowmem_reserve_ratio for others */
	uint64_t apart_pages;	/* in zones of movable pages, and */
	uint64_t high_pages;	/* in high memory, which these may not use */
	uint64_t cma_pages;
	uint64_t any_pages;	/* an allocation that may use all may take */
	uint64_t min_pages;	/* the watermarks "min": vm.min_free_kbytes; */
	uint64_t own_min_pages;	/* of zones that these may use */
	uint64_t packed_pages;	/* have compressed pages (zsmalloc) */
};

/* From the open file; nothing is known if the descriptor is -1. */
void proc_zones(int zoneinfo_fd, struct zones *z);

/* How much of what is free the kernel's own allocations may take, asked often. */
struct room {
	int fd;			/* of /proc/zoneinfo, kept open */
	struct zones zones;	/* as they were at read_ns */
	uint64_t read_ns;
};

/* EVENT_KEPT. */
void kept_tell(struct event_out *out, uint64_t time_ns, enum kept what,
	       uint64_t pages);
/* EVENT_KEPT for each part of free memory that is none, and for the watermarks,
 * as last seen. */
void room_tell(const struct room *r, struct event_out *out, uint64_t time_ns);
void room_look(struct room *r, uint64_t now_ns);
/* So many pages at least. What is free fewer than at the last look may have been
 * taken from these, so if nothing would be left the zones are looked at again. So
 * they are whenever an eighth of `enough` more is gone, because they may have
 * been set anew; and below `enough` every 10 ms. Without zones: all that is
 * free. */
uint64_t room_pages(struct room *r, uint64_t free_pages, uint64_t enough,
		    uint64_t now_ns);

#endif
