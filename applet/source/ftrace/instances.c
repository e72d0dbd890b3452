/* SPDX-License-Identifier: MIT */
/*
 * Makes, sets and removes our instances of tracefs, and chooses the events of
 * each: see ftrace.h.
 *
 * All options are set before the first event, and by one process: the kernel
 * has had races between the options and events.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "source/ftrace/ftrace.h"
#include "source/proc/proc.h"
#include "source/tracefs/tracefs.h"

static const char *const names[INSTANCES] = {
	[EVENTS] = "memstrack", [STACKS] = "memstrack-stacks",
	[AT_ONCE] = "memstrack-now",
};

int instances_usable(void)
{
	return tracefs_has("instances") ? 0 : -ENOENT;
}

/* An instance has some six files for each event of the kernel. Before Linux 6.6
 * they are made together with the instance and take 7 KiB an event (6.1: 9.3
 * MiB for 1,300 events). There is no way to ask the kernel beforehand. */
#define EVENT_BYTES 8192u
#define INSTANCES_USUAL 2u

static void count_line(void *context, char *line, size_t len)
{
	uint64_t *count = context;

	(void)line;
	*count += len != 0;
}

/* Does the kernel's memory for the instances take at most half of the free
 * memory? */
static int instances_fit(void)
{
	uint64_t events = 0, free_bytes;
	char path[PATH_BYTES];

	each_line(tracefs_path(path, "available_events"), count_line, &events);
	free_bytes = system_free_bytes();
	return !free_bytes || free_bytes / 2 >=
			      events * EVENT_BYTES * INSTANCES_USUAL;
}

/* The path of an instance, and a file in it. */
static void path_of(char path[PATH_BYTES], enum instance i, const char *file)
{
	char name[PATH_BYTES];

	print_to(name, sizeof(name), "instances/%s%s", names[i], file);
	tracefs_path(path, name);
}

static int set(enum instance i, const char *file, const char *value)
{
	char path[PATH_BYTES];

	path_of(path, i, file);
	return writefile(path, value);
}

/* The kernel rounds the size up to pages, of which it uses 16 bytes each. */
static int instance_resize(enum instance i, uint32_t pages, uint32_t page_bytes)
{
	char text[16];

	print_to(text, sizeof(text), "%u",
		 (uint32_t)((uint64_t)pages * (page_bytes - 16) / 1024));
	return set(i, "/buffer_size_kb", text);
}

int instance_open(enum instance i, uint32_t cpu, const char *name)
{
	char path[PATH_BYTES], file[48];
	int fd;

	print_to(file, sizeof(file), "/per_cpu/cpu%u/%s", cpu, name);
	path_of(path, i, file);
	fd = system_open_path(path, O_RDONLY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int instance_switch(enum instance i, int on)
{
	return set(i, "/tracing_on", on ? "1" : "0");
}

/* Switches the option that adds a stack to each event. */
static int instance_stacks(enum instance i, int on)
{
	return set(i, "/options/stacktrace", on ? "1" : "0");
}

/* The size comes first, because the rings of a new instance have 1.4 MiB. Since
 * 5.0 buffer_percent decides when the reader is woken: when a quarter of the
 * ring is full, or by each event. */
static int set_all(enum instance i, uint32_t pages, uint32_t page_bytes)
{
	int error = instance_resize(i, pages, page_bytes);

	if (!error)
		error = instance_switch(i, 0);
	if (!error)
		error = set(i, "/trace_clock", "mono");
	if (!error)
		error = set(i, "/options/overwrite", "0");
	if (!error)
		error = instance_stacks(i, i == STACKS);
	set(i, "/buffer_percent", i == AT_ONCE ? "0" : "25");
	return error;
}

/* Makes an instance with rings of this many pages, which does not record yet.
 * 0; or -errno, though the instance may exist; -EEXIST: a killed tracer left
 * the instance, and somebody uses it. */
static int instance_make(enum instance i, uint32_t pages, uint32_t page_bytes)
{
	char path[PATH_BYTES];

	path_of(path, i, "");
	return mkdir(path, 0700) ? -errno : set_all(i, pages, page_bytes);
}

/* Writes to a file of an event in the instance. 0 or -errno. */
static int instance_set(enum instance i, const char *event, const char *file,
		 const char *text)
{
	char name[96];

	print_to(name, sizeof(name), "/events/%s/%s", event, file);
	return set(i, name, text);
}

void ftrace_clean(void)
{
	char path[PATH_BYTES];

	for (enum instance i = 0; i < INSTANCES; i++) {
		path_of(path, i, "");
		unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
	}
}

/*
 * --- stacks
 *
 * Can a trigger add stacks to events, and are the stacks complete?
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
	const int error = instances_fit() ? make_all(f) : -ENOMEM;

	return error ? error : open_first(f);
}
