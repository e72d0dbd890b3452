/* SPDX-License-Identifier: MIT */
/*
 * When to look at all of /proc: often while memory moves, seldom while nothing
 * happens, and never so often that it costs more than a part of one CPU.
 *
 *	each 100 ms	while free memory moves by a 256th of all memory
 *	up to 1 s	while it does not: each time twice as long as before
 *	not before	300 times the cost of the last pass has gone by
 *	at once		if free memory has fallen by a 32nd of all memory since
 *			it was lowest in a pass, whatever it costs: this happens
 *			32 times at most
 */
#ifndef MEMSTRACK_WHEN_H
#define MEMSTRACK_WHEN_H

#include <stdint.h>

/* The shortest time between two looks: memory would be used up in four of it. */
#define WHEN_SOONEST_NS 1000000u

struct when {
	uint64_t total_pages;
	uint64_t last_ns, rest_ns;	/* the last pass; none before this */
	uint64_t wait_ns;		/* the time between two passes */
	uint64_t free_pages;		/* at the last pass */
	uint64_t lowest_pages;		/* at any pass */
	uint64_t looked_ns, looked_pages;	/* the last look: free then */
	int moved;			/* since the last pass */
	uint32_t stirred;		/* looks until a fall is long ago */
};

void when_begin(struct when *w, uint64_t total_pages);
/* Called at each look. 1: a pass is due. */
int when_due(struct when *w, uint64_t now_ns, uint64_t free_pages);
/* After a pass that took so much CPU time. */
void when_done(struct when *w, uint64_t now_ns, uint64_t cost_ns);
/* Called at each look. The time until the next one: a quarter of the time in
 * which free memory would fall to `least_pages` if it went on as since the last
 * look, but not longer than 20 ms (5 ms) if a quarter (an eighth) of memory is
 * free and some of it fell lately. 0: as the tracer likes. If nothing has
 * happened for a while, twice as long. */
uint64_t when_look_ns(struct when *w, uint64_t now_ns, uint64_t free_pages,
		      uint64_t least_pages);

/* A file that takes long: at most once a second, only after free memory fell,
 * and with a rest of 800 times its cost. */
struct pace {
	uint64_t rest_ns, free_pages;
	int begun;
};

int pace_due(const struct pace *p, uint64_t now_ns, uint64_t free_pages);
void pace_done(struct pace *p, uint64_t now_ns, uint64_t free_pages,
	       uint64_t cost_ns);

#endif
