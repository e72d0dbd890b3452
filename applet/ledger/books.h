/* SPDX-License-Identifier: MIT */
/*
 * A ledger that was not traced: the kernel itself keeps books of who holds which
 * page (page_owner), and `memstrack view` enters them here.
 *
 * What is held now is known, and nothing of the time before: no row has a peak.
 * The table of pages stays empty.
 */
#ifndef MEMSTRACK_BOOKS_H
#define MEMSTRACK_BOOKS_H

#include <stdint.h>

struct books {
	int on;
	int without_tasks;		/* they tell no tasks */
	uint64_t records;
	uint64_t wrong_lines;		/* were passed over */
	uint64_t migrated_pages;	/* their owner is the first one */
	uint64_t counts;		/* records of allocations, not pages */
	uint64_t silent;		/* records that tell no number */
	uint64_t full_frames;		/* without room for their names */
};

#endif
