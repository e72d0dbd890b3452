/*
 * Events that arrive late, and what they still say.
 *
 * The rings of all CPUs are merged by time, but an event that was stamped in an
 * interrupt is published only when the event that it interrupted is: where a
 * virtual CPU stands still in between for longer than the merge waits, other
 * CPUs' events on the same page go first. The stamps tell the page's own order:
 * a free is stamped before anybody can take the page again, an allocation
 * before anybody can free it. So a late free that is older than an allocation
 * of the page while it was held is the free that was missing there, and a late
 * allocation that is older than a free of the page while nobody held it is the
 * allocation that was missing. Both are over, and change nobody's pages.
 *
 * The last LATE_RUNS such allocations and frees are kept, in runs of pages.
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

/* An event at that time was missing the one before it on this page. */
void late_note(struct late *late, uint64_t pfn, uint64_t time_ns);

/* Was the missing event of this page younger than `time_ns`? */
int late_is_over(const struct late *late, uint64_t pfn, uint64_t time_ns);

#endif
