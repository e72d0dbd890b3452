/* SPDX-License-Identifier: MIT */
/* Entries of our instances -> events: see ftrace.h. */
#include <errno.h>
#include "source/ftrace/ftrace.h"

int ftrace_is_stack(const struct ftrace *f, const struct ring_entry *entry)
{
	return entry_of(entry->data, entry->len).id == f->stack.id;
}

/* The same condition as the filter in the kernel: source/tracefs/format.c. */
static int is_first_touch(const struct ftrace *f,
			  const struct ring_entry *entry)
{
	const uint64_t *bit = f->points.anon;
	uint64_t flags;

	return f->source.split &&
	       !field_u64(&f->points.gfp_flags, entry->data, entry->len,
			  &flags) &&
	       (flags & bit[0]) && (flags & bit[1]) && (flags & bit[2]);
}

int ftrace_wants_stack(const struct ftrace *f, const struct ring_entry *entry)
{
	const uint32_t id = entry_of(entry->data, entry->len).id;
	const struct point *point = f->points.point;

	if (id == point[TP_ALLOC].id)
		return !is_first_touch(f, entry);
	if (!id || (!f->points.slab_chains && id != point[TP_AREA_ALLOC].id))
		return 0;
	for (enum tracepoint tp = TP_KMALLOC; tp <= TP_CACHE_ALLOC_NODE; tp++)
		if (id == point[tp].id)
			return 1;
	return id == point[TP_AREA_ALLOC].id;
}

static int decode_point(const struct ftrace *f, const struct ftrace_ring *r,
			uint32_t id, struct event *e)
{
	const struct point *p = point_find(&f->points, id);

	if (!p)
		return task_decode(&f->tasks, id, r->next.data, r->next.len, e);
	if (point_decode(p, r->next.data, r->next.len, e))
		return -EINVAL;
	if (r->stack)
		stack_decode(&f->stack, &f->layout, r->stack, r->stack_len,
			     f->source.frames, e);
	return 1;
}

int ftrace_decode(const struct ftrace *f, const struct ftrace_ring *r,
		  struct event *e)
{
	const struct entry h = entry_of(r->next.data, r->next.len);
	int found;

	e->time_ns = r->next.time_ns;
	e->cpu = r->cpu;
	e->tid = h.tid;
	e->tgid = 0;
	e->chain_len = 0;
	found = decode_point(f, r, h.id, e);
	if (found >= 0)
		return found;
	e->type = EVENT_REJECTED;
	e->flags = 0;
	return 1;
}
