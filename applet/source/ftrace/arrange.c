/* SPDX-License-Identifier: MIT */
/*
 * Which instances there are, how large their rings are, and which events each
 * has: see ftrace.h.
 */
#include <errno.h>
#include <time.h>
#include "base/system.h"
#include "base/base.h"
#include "source/ftrace/ftrace.h"
#include "source/tracefs/tracefs.h"

/* The kernel makes no ring of less than two pages, and adds one for the
 * reader. */
#define RING_PAGES_LEAST (ARRANGE_PAGES / INSTANCES - 1)

/* The pages of a CPU's rings: most for stacks, whose entries are the longest.
 * The kernel adds a page to each ring. */
static void divide(struct ftrace *f, int apart)
{
	const uint32_t pages = (uint32_t)(f->source.ring_bytes /
					  f->page_bytes);
	const uint32_t spare = pages - ARRANGE_PAGES;

	f->ring_pages[AT_ONCE] = spare / 16 + RING_PAGES_LEAST;
	if (apart)
		f->ring_pages[STACKS] = spare / 16 * 11 + RING_PAGES_LEAST;
	f->ring_pages[EVENTS] = pages - f->ring_pages[AT_ONCE] -
				f->ring_pages[STACKS] - 2 - (apart != 0);
}

static int make(struct ftrace *f, enum instance i)
{
	return instance_make(i, f->ring_pages[i], f->page_bytes);
}

static int make_all(struct ftrace *f)
{
	int error;

	divide(f, 0);
	error = make(f, EVENTS);
	if (error)
		return error;
	if (!stacks_by_trigger(f, f->ring[0].page)) {
		divide(f, 1);
		error = instance_resize(EVENTS, f->ring_pages[EVENTS],
					f->page_bytes);
		if (!error)
			error = make(f, STACKS);
	}
	return error ? error : make(f, AT_ONCE);
}

/* In EVENTS a trigger chooses the events with a stack. */
static int by_trigger(const struct ftrace *f, const struct traced *o)
{
	return traced_chain(&f->points, o) && !arranged(f, STACKS);
}

static enum instance instance_of(const struct ftrace *f,
				 const struct traced *o)
{
	const enum instance i = traced_chain(&f->points, o) ? STACKS : o->at_once ? AT_ONCE :
				EVENTS;

	return arranged(f, i) ? i : EVENTS;
}

static int open_event(const struct ftrace *f, const struct traced *o)
{
	const char *name = tracepoint_name(o->tp);
	const enum instance i = instance_of(f, o);
	char filter[TRACED_FILTER_BYTES], trigger[TRACED_FILTER_BYTES + 16];
	const char *text = traced_filter(&f->points, f->source.split, o,
					 filter, sizeof(filter));
	int error = 0;

	print_to(trigger, sizeof(trigger), "stacktrace%s%s",
		 text ? " if " : "", text ? text : "");
	if (by_trigger(f, o))
		error = instance_set(i, name, "trigger", trigger);
	else if (text)
		error = instance_set(i, name, "filter", text);
	return error ? error : instance_set(i, name, "enable", "1");
}

/* An event that this kernel lacks is remembered. */
static int open_numbered(struct ftrace *f, unsigned int number)
{
	const struct traced *o = &traced[number];
	int error = -ENOENT;

	if (o->anon && (!f->source.split || !arranged(f, STACKS)))
		return 0;
	if (f->points.point[o->tp].id)
		error = open_event(f, o);
	f->source.missing[o->tp] |= error != 0;
	return error;
}

/* Tasks too: an event tells only the thread, and its fork the process. Enables
 * nothing yet: the instances do not record. Without filters all allocations come
 * with their stack. */
static int open_first(struct ftrace *f)
{
	const uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
	int error = 0;

	for (f->next = 0; f->next < PAGE_EVENTS && !error; f->next++)
		error = open_numbered(f, f->next);
	f->source.first_ns = clock_ns(CLOCK_MONOTONIC) - begun_ns;
	for (enum task_event t = 0; t < TASK_EVENTS && !error; t++)
		if (f->tasks.point[t].id)
			instance_set(EVENTS, task_event_name(t), "enable",
				     "1");
	return error;
}

int arrange_more(struct source *s)
{
	struct ftrace *f = ftrace_of(s);

	open_numbered(f, f->next++);
	if (f->next == EVENTS_PER_CPU_MAX)
		s->opening = ALL_OPEN;
	return 0;
}

int arrange(struct ftrace *f)
{
	const int error = make_all(f);

	return error ? error : open_first(f);
}
