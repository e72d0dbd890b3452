/* SPDX-License-Identifier: MIT */
/*
 * Events that arrive late, and what they still tell.
 *
 * The rings of all CPUs are merged by time. But an event that was stamped in an
 * interrupt is published only together with the event that it interrupted. If a
 * virtual CPU stands still between the two for longer than the merge waits,
 * other CPUs' events on the same page are applied first. The time stamps tell
 * the true order of events on one page: a free is stamped before anybody can
 * take the page again, and an allocation before anybody can free it.
 *
 * So if a page was allocated while held, its free is missing; a late free that
 * is older than this allocation is the missing one. In the same way, if a page
 * was freed while nobody held it, a late allocation that is older than this
 * free is the missing one. Both late events are over: they change nobody's
 * pages.
 *
 * The last LATE_RUNS such allocations and frees are kept, as runs of pages.
 */
#ifndef MEMSTRACK_LATE_H
#define MEMSTRACK_LATE_H

#include <stdint.h>

#define LATE_RUNS 64u

struct late {
	struct {
		uint64_t pfn, count, time_ns;	/* count 0: none */
	} run[LATE_RUNS];
	uint32_t last;
};

/* Notes that the event at `time_ns` missed the event before it on this page. */
void late_note(struct late *late, uint64_t pfn, uint64_t time_ns);

/* Returns 1 if an event younger than `time_ns` was noted for this page: then
 * the event at `time_ns` is the missing one. */
int late_is_over(const struct late *late, uint64_t pfn, uint64_t time_ns);

#endif
