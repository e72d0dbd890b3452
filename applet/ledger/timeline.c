/* SPDX-License-Identifier: MIT */
/* The use of memory over time: see history.h, timeline. */
#include <stddef.h>
#include "ledger/history.h"
#include "limits.h"

uint64_t timeline_bytes(void)
{
	return TIMELINE_POINTS * sizeof(struct moment);
}

int timeline_init(struct timeline *t, struct arena *a)
{
	t->step_ns = TIMELINE_STEP_NS;
	t->point = arena_take(a, TIMELINE_POINTS, sizeof(*t->point));
	return a->failed;
}

static void thin_out(struct timeline *t)
{
	t->points /= 2;
	t->step_ns *= 2;
	for (uint32_t i = 1; i < t->points; i++)
		t->point[i] = t->point[2 * i];
}

struct moment *timeline_point(struct timeline *t, uint64_t time_ns)
{
	struct moment *p;

	if (t->points == TIMELINE_POINTS)
		thin_out(t);
	p = &t->point[t->points];
	if (t->points && time_ns < p[-1].time_ns + t->step_ns)
		return NULL;
	t->points++;
	*p = (struct moment){ .time_ns = time_ns };
	return p;
}
