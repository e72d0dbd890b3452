/* SPDX-License-Identifier: MIT */
/*
 * The answer: who holds the memory, and what kind of memory it is, at the
 * moment that counts. That is now when memory runs out, else the instant at
 * which the most was used.
 *
 * A module or a task is named as the culprit if it held, at that moment, at
 * least a quarter of all that was held of what was taken since tracing began,
 * and if that was at least a 50th of memory. So is a group of modules or tasks
 * (group.h), if none of them stands out, or if the group held twice as much as
 * the one that does. If modules are no such group, all of them are one if they
 * held half. Otherwise nobody stands out, and a report that named somebody
 * would mislead. Sampled tasks are in no group, because what they share counts
 * in each.
 */
#ifndef MEMSTRACK_VERDICT_H
#define MEMSTRACK_VERDICT_H

#include "ledger/snapshot.h"
#include "report/figure_list.h"
#include "report/group.h"
#include "report/report.h"

struct verdict {
	struct moment at;		/* the largest are first */
	uint64_t held_pages;
	int little;			/* less than a 50th of memory */
	int module_stands_out, task_stands_out;
	struct group group[TABLE_TASKS + 1];	/* by table; of no rows: none
						 * stands out */
	int complete;			/* no event is missing */
	uint64_t kind[KINDS];		/* pages: of the group of modules or the
					 * module that stands out, else of
					 * all */
	unsigned char order[KINDS];	/* the largest kind first */
};

/* Is this the report when memory runs out? */
static inline int is_oom(const struct report *r)
{
	return r->order == BY_HELD;
}

/* More would have been used. */
int is_at_least(const struct report *r, const uint64_t value[FIGURES]);
/* Was memory told to be low, and nothing came of it? */
int is_taken_back(const struct report *r);

void verdict_get(const struct report *r, struct verdict *v);

/* Is this module, or its group, the one that stands out? If none does, each
 * is. */
int verdict_has(const struct ledger *l, const struct verdict *v, uint32_t row);

/* So many stacks of these modules, the largest first; 0: no more. A report collects the names of their functions before it knows
 * the kinds. */
#define VERDICT_STACKS 4
void verdict_stacks(const struct report *r, const struct verdict *v,
		    uint32_t leaf[VERDICT_STACKS]);

/* Likewise the callers that took most areas: rows; 0: no more. */
void verdict_callers(const struct report *r, const struct verdict *v,
		     uint32_t row[VERDICT_STACKS]);

/* Of these the largest that is of the largest kind: a leaf, or the row of a
 * caller. 0: it is the other one, or there is none. */
struct most { uint32_t leaf, caller; };
struct most verdict_most(const struct report *r, const struct verdict *v);

#endif
