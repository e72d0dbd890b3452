/* SPDX-License-Identifier: MIT */
/* One walk over what a report shows (select.h), and its part for the stacks of a
 * row. */
#ifndef MEMSTRACK_SELECT_STACKS_H
#define MEMSTRACK_SELECT_STACKS_H

#include "report/rank.h"

struct stack_walk {
	const struct report *r;
	void (*show)(void *context, const struct shown *shown);
	void *context;
	uint32_t rows_max[TABLES], stacks_max;
	int folds;		/* failed loads */
	int folds_names;	/* tasks of one name */
};

/* `items`: room to sort the stacks of this row. */
void walk_stacks(const struct stack_walk *w, const struct shown *row,
		 uint32_t *items, uint32_t room);

#endif
