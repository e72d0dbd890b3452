/* SPDX-License-Identifier: MIT */
/*
 * Tasks by tracepoints: a task is new, has another name, executes a program,
 * exits.
 */
#ifndef MEMSTRACK_SOURCE_FTRACE_FTRACE_H
#define MEMSTRACK_SOURCE_FTRACE_FTRACE_H

#include <sys/types.h>
#include "source/event.h"
#include "source/source.h"
#include "source/tracefs/tracefs.h"

enum task_event {
	TASK_NEW, TASK_RENAMED, TASK_EXECUTES, TASK_EXITS, TASK_EVENTS
};

struct task_point {
	uint32_t id;			/* 0: the kernel has no such event */
	struct field tid, name, flags;	/* flags: of clone() */
};

struct ftrace_tasks {
	struct task_point point[TASK_EVENTS];
};

/* "task/task_newtask". */
const char *task_event_name(enum task_event t);

/* The text of its `format` file. 0 or -EINVAL; then the id is 0. */
int task_parse(struct task_point *p, enum task_event t, const char *text,
	       size_t len);

/* 1: an event; 0: another event's id; -EINVAL: it does not fit. The event has
 * the number of the task that runs in e->tid. */
int task_decode(const struct ftrace_tasks *tasks, uint32_t id,
		const unsigned char *raw, size_t len, struct event *e);

/*
 * --- ftrace
 *
 * tracefs: for kernels without perf events.
 *
 * The tracer has instances of its own under tracefs' instances/, so nobody
 * else's tracing is read or touched. An instance has one ring for each CPU, of
 * which trace_pipe_raw gives one page after the other
 * (source/tracefs/tracefs.h, ring page). All rings are merged by time.
 *
 * Before Linux 6.6 an instance takes some 6 KiB for each event that the kernel
 * has: 7 to 9 MiB on a distribution's kernel, and as much time as all the rest
 * of our start. So there are as few as may be:
 *
 * - One for all events. A trigger adds the stack to those events that want it.
 * - One for events with a stack, where triggers are of no use (stacks.c).
 * - One for events that wake the tracer at once, because an instance decides
 *   when its reader is woken. To look at the rings every 2 ms is too late: where
 *   nobody can be killed, the kernel panics sooner after memory ran out.
 *
 * An entry has the number of the thread that ran, and no process: the ledger
 * knows it by the fork. Fork, exec and exit come as events too (tasks.c). A
 * full ring drops the newest events; the kernel counts them (per_cpu/cpuN/
 * stats), and says nothing in the ring. An instance goes with its directory.
 *
 * Sources: Documentation/trace/ftrace.rst, events.rst; kernel/trace/trace.c,
 * trace_events_trigger.c, ring_buffer.c, 5.10 to 7.2.
 */

enum instance { EVENTS, STACKS, AT_ONCE, INSTANCES };

/* An event that is the last one of its page is kept while the next page is
 * read, which begins with its stack. kmem_cache_alloc with the name of a cache has
 * some 90 bytes. */
#define KEPT_BYTES 128u

struct ftrace_ring {
	struct ring_page cursor;
	struct ring_entry next;		/* if has_next */
	const unsigned char *stack;	/* the entry with its stack, or NULL */
	size_t stack_len;
	unsigned char *page;
	uint64_t lost, told;		/* by its statistics; by the stream */
	int fd, stats_fd;		/* trace_pipe_raw, stats; -1: none */
	uint32_t cpu;
	uint32_t pages;			/* its size */
	uint32_t pages_read;		/* since it was last empty */
	uint32_t pages_now;		/* the same, in this drain */
	int has_next;
	int wants_stack;		/* it may be in the next page */
	int overflown;			/* perhaps: the statistics tell */
	unsigned char kept[KEPT_BYTES];
};

struct ftrace {
	struct source source;		/* first: ftrace is a source */
	struct tracefs points;
	struct ftrace_tasks tasks;
	struct ring_layout layout;
	struct stack_format stack;
	struct ftrace_ring *ring;
	struct merge merge;
	uint64_t horizon_ns;
	uint64_t untold;		/* lost, and the stream has not told */
	uint32_t rings, capacity, page_bytes;
	uint32_t next;			/* in traced[], not open yet */
	uint32_t ring_pages[INSTANCES];	/* 0: there is no such instance */
	int error;			/* why a CPU could not be opened */
	uint32_t unknown;		/* CPUs without a ring, at the last look */
	int cpus_fd;			/* the list of CPUs, kept open; -1: none */
};

static inline struct ftrace *ftrace_of(const struct source *s)
{
	return (struct ftrace *)s;
}

extern const struct source_kind ftrace_source;

/* Removes all our instances, those too that a killed tracer left. Their rings
 * must be closed. */
void ftrace_clean(void);

/* --- instance.c ---------------------------------------------------------- */

/* 0: there is a tracefs with instances; or -errno. */
int instances_usable(void);
/* Would what the kernel takes for them leave half of what is free? */
int instances_fit(void);
/* A new instance with rings of so many pages, which records nothing yet. 0 or
 * -errno, though it may be there; -EEXIST: somebody uses what a killed tracer
 * left. */
int instance_make(enum instance i, uint32_t pages, uint32_t page_bytes);
int instance_resize(enum instance i, uint32_t pages, uint32_t page_bytes);
/* A file of a CPU, or -errno. */
int instance_open(enum instance i, uint32_t cpu, const char *name);
int instance_switch(enum instance i, int on);
/* Does each event come with its stack? */
int instance_stacks(enum instance i, int on);
/* Writes to a file of an event in the instance. 0 or -errno. */
int instance_set(enum instance i, const char *event, const char *file,
		 const char *text);
/* The text of a file of tracefs: bytes read, or -errno. */
ssize_t tracefs_text(const char *name, char *text, size_t size);

/* --- arrange.c ----------------------------------------------------------- */

/* The least pages of a CPU's rings. */
#define ARRANGE_PAGES (INSTANCES * 3u)

static inline int arranged(const struct ftrace *f, enum instance i)
{
	return f->ring_pages[i] != 0;
}

/* Makes the instances with the events of pages and tasks, which record nothing
 * yet. 0 or -errno; then some of it may be made. */
int arrange(struct ftrace *f);
/* One event more: see open_more() of a source. */
int arrange_more(struct source *s);

/* --- cpu.c --------------------------------------------------------------- */

/* Opens the rings of one CPU. 0 or -errno. */
int ftrace_open_cpu(struct ftrace *f, uint32_t cpu);
/* Closes all rings but the first ones. */
void ftrace_close_rings(struct ftrace *f, uint32_t but);

/* --- drain.c ------------------------------------------------------------- */

void ftrace_begin(struct source *s, uint64_t horizon_ns);
int ftrace_next(struct source *s, struct event *e);
/* The events that a ring dropped so far; reads its statistics. */
uint64_t ftrace_ring_lost(struct ftrace_ring *r);

/* --- decode.c ------------------------------------------------------------ */

/* Does the kernel add a stack to this event, or is it a stack? */
int ftrace_wants_stack(const struct ftrace *f, const struct ring_entry *entry);
int ftrace_is_stack(const struct ftrace *f, const struct ring_entry *entry);
/* The next event of a ring with its stack, if it has one. 1: *e is it; 0: it is
 * not one of ours. */
int ftrace_decode(const struct ftrace *f, const struct ftrace_ring *r,
		  struct event *e);

#endif
