/* SPDX-License-Identifier: MIT */
/*
 * Can a trigger add stacks to events, and are the stacks complete? See
 * ftrace.h.
 *
 * Before Linux 5.17 and the stable kernels of early 2022, the trigger
 * "stacktrace" of an event in an instance writes into the top instance. So we
 * try the trigger with an event that we cause: if the stack is missing in our
 * ring, it went to the top instance. While somebody traces there we do not try,
 * because our stack would appear in their recording.
 *
 * The kernel leaves out a fixed number of functions, its own, at the inner end
 * of a stack. But the compiler chooses which of them are inlined: on 32-bit ARM
 * the stacks of a trigger also lack the function that allocated. So we try the
 * same event with the option "stacktrace" of an instance: that stack must not
 * be longer.
 */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "source/ftrace/ftrace.h"
#include "source/proc/proc.h"
#include "source/tracefs/tracefs.h"

#define TRIED "task/task_rename"
/* Removing a trigger takes 30 ms. This trigger fires only once. */
#define TRIGGER "stacktrace:1"

struct trial {
	const struct ftrace *f;
	unsigned char *page;
	uint32_t frames;	/* of the longest stack found */
};

/* Is an event or a tracer set in the top instance? */
static int top_is_used(void)
{
	char text[64];

	return tracefs_text("set_event", text, sizeof(text)) ||
	       tracefs_text("current_tracer", text, sizeof(text)) < 3 ||
	       !find_text(text, 3, "nop");
}

/* Causes the event: gives us the name that we have. */
static void rename_us(void)
{
	char name[16];

	if (!syscall(SYS_prctl, PR_GET_NAME, name))
		syscall(SYS_prctl, PR_SET_NAME, name);
}

static void look_at(struct trial *t, const struct ring_entry *entry)
{
	struct event e = { .chain_len = 0 };

	if (!ftrace_is_stack(t->f, entry))
		return;
	stack_decode(&t->f->stack, &t->f->layout, entry->data, entry->len,
		     CHAIN_FRAMES_MAX, &e);
	if (t->frames < e.chain_len)
		t->frames = e.chain_len;
}

static void look(void *context, uint32_t cpu)
{
	struct trial *t = context;
	const int fd = instance_open(EVENTS, cpu, "trace_pipe_raw");
	struct ring_page page;
	struct ring_entry entry;
	ssize_t len;

	if (fd < 0)
		return;
	while ((len = read(fd, t->page, t->f->page_bytes)) > 0) {
		ring_page_open(&page, &t->f->layout, t->page, (size_t)len);
		while (ring_page_next(&page, &entry) > 0)
			look_at(t, &entry);
	}
	close(fd);
}

/* The number of frames in the stack of our renaming; 0: no stack. */
static uint32_t try(const struct ftrace *f, unsigned char *page)
{
	struct trial t = { .f = f, .page = page };

	if (!instance_switch(EVENTS, 1))
		rename_us();
	instance_switch(EVENTS, 0);
	proc_cpus(look, &t);
	return t.frames;
}

/* Can a trigger add complete stacks to the events of EVENTS, which does not
 * record yet? `page` is a buffer for reading. */
static int stacks_by_trigger(struct ftrace *f, unsigned char *page)
{
	uint32_t by_trigger, by_option = 0;

	if (top_is_used() || instance_set(EVENTS, TRIED, "enable", "1") ||
	    instance_set(EVENTS, TRIED, "trigger", TRIGGER))
		return 0;
	by_trigger = try(f, page);
	if (!by_trigger)
		return 0;
	if (!instance_stacks(EVENTS, 1))
		by_option = try(f, page);
	return !instance_stacks(EVENTS, 0) && by_trigger >= by_option;
}

/*
 * --- arrange
 *
 * Which instances there are, how large their rings are, and which events each
 * instance has: see ftrace.h.
 */

/* The kernel makes no ring of fewer than two pages, and adds a page for the
 * reader. */
#define RING_PAGES_LEAST (ARRANGE_PAGES / INSTANCES - 1)

/* Divides the pages of a CPU among its rings: most go to stacks, whose entries
 * are the longest. The kernel adds a page to each ring. */
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

/* Does a trigger in EVENTS choose the events with a stack? */
static int by_trigger(const struct ftrace *f, const struct traced *o)
{
	return traced_chain(&f->points, o) && !arranged(f, STACKS);
}

static enum instance instance_of(const struct ftrace *f,
				 const struct traced *o)
{
	const enum instance i = traced_chain(&f->points, o) ? STACKS :
				o->at_once ? AT_ONCE : EVENTS;

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

/* Notes in source.missing if this kernel lacks the event. */
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

/* The events of pages, and those of tasks: an event has only the thread, whose
 * fork gives the process. The instances do not record yet. */
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
