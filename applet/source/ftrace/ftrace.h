/* SPDX-License-Identifier: MIT */
/*
 * The ftrace source: events of all kinds from instances of tracefs.
 */
#ifndef MEMSTRACK_SOURCE_FTRACE_FTRACE_H
#define MEMSTRACK_SOURCE_FTRACE_FTRACE_H

#include <sys/types.h>
#include "source/event.h"
#include "source/source.h"
#include "source/tracefs/tracefs.h"

/*
 * --- tasks
 *
 * Tracepoints of tasks: a task is new, is renamed, executes a program, exits.
 */

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

/* Parses the text of the event's `format` file. 0 or -EINVAL; then the id is
 * 0. */
int task_parse(struct task_point *p, enum task_event t, const char *text,
	       size_t len);

/* 1: *e is the event; 0: the id of an event of another kind; -EINVAL: the
 * record does not fit its format. The caller sets e->tid to the running
 * task. */
int task_decode(const struct ftrace_tasks *tasks, uint32_t id,
		const unsigned char *raw, size_t len, struct event *e);

/*
 * --- ftrace
 *
 * tracefs: for kernels without perf events.
 *
 * The tracer has its own instances under tracefs' instances/, so nobody else's
 * tracing is read or changed. An instance has one ring for each CPU, whose
 * pages trace_pipe_raw returns one after the other (source/tracefs/tracefs.h,
 * ring page). All rings are merged by time.
 *
 * Before Linux 6.6 an instance takes 6 to 7 KiB for each event that the kernel
 * has: 7 to 9 MiB on a distribution's kernel, and as much time as the whole
 * rest of our start. So we make as few instances as possible:
 *
 * - One for all events. A trigger adds the stack to the events that need it.
 * - One for events with a stack, where triggers do not work (instances.c).
 * - One for events that wake the tracer at once, because an instance decides
 *   when its reader is woken. Polling the rings every 2 ms is too late: if no
 *   task can be killed, the kernel panics sooner after memory has run out.
 *
 * An entry has the number of the thread that ran, but not of its process, which
 * the ledger knows from the fork. Fork, exec and exit come as events too
 * (task_points.c). A full ring drops the newest events; the kernel counts them
 * (per_cpu/cpuN/stats), and writes nothing about them into the ring. Removing
 * its directory removes an instance.
 *
 * Sources: Documentation/trace/ftrace.rst, events.rst; kernel/trace/trace.c,
 * trace_events_trigger.c, ring_buffer.c, 5.10 to 7.2.
 */

enum instance { EVENTS, STACKS, AT_ONCE, INSTANCES };

/* The last event of a page is kept while the next page is read, which begins
 * with the event's stack. kmem_cache_alloc with the name of a cache has some 90
 * bytes. */
#define KEPT_BYTES 128u

struct ftrace_ring {
	struct ring_page cursor;
	struct ring_entry next;		/* if has_next */
	const unsigned char *stack;	/* the entry with its stack, or NULL */
	size_t stack_len;
	unsigned char *page;
	uint64_t lost, reported;	/* lost, by the statistics; of these, by
					 * EVENT_LOST */
	uint64_t skipped;		/* entries that the kernel never returns */
	int fd, stats_fd;		/* trace_pipe_raw, stats; -1: none */
	uint32_t cpu;
	uint32_t pages;			/* its size */
	uint32_t pages_read;		/* since it was last empty */
	uint32_t pages_now;		/* read in this drain */
	int has_next;
	int wants_stack;		/* the stack may be in the next page */
	int overflown;			/* maybe: read the statistics */
	unsigned char kept[KEPT_BYTES];
};

struct ftrace {
	struct source source;		/* first: ftrace is a source */
	struct ring_layout layout;
	struct stack_format stack;
	struct ftrace_ring *ring;
	struct merge merge;
	uint64_t horizon_ns;
	uint64_t unreported;		/* lost events without EVENT_LOST yet */
	uint32_t rings, capacity, page_bytes;
	uint32_t next;			/* in traced[], not open yet */
	uint32_t ring_pages[INSTANCES];	/* 0: there is no such instance */
	int error;			/* the first one of opening a CPU */
	uint32_t unknown;		/* CPUs without a ring, at the last look */
	int cpus_fd;			/* the list of CPUs, kept open; -1: none */
	/* The function that traces, whose frames at the inner end of a stack
	 * are removed; 0 bytes: none are. */
	uint64_t tracer, tracer_bytes;
	struct ftrace_tasks tasks;
	struct tracefs points;
};

static inline struct ftrace *ftrace_of(const struct source *s)
{
	return (struct ftrace *)s;
}

extern const struct source_kind ftrace_source;

/* --- instances.c --------------------------------------------------------- */

/* 0: there is a tracefs with instances; or -errno. */
int instances_usable(void);
/* Opens a file of a CPU. Returns a descriptor or -errno. */
int instance_open(enum instance i, uint32_t cpu, const char *name);
/* Switches recording on or off. 0 or -errno. */
int instance_switch(enum instance i, int on);
/* Removes all our instances, also those that a killed tracer left. Their rings
 * must be closed. */
void ftrace_clean(void);

/* The minimum of pages for the rings of a CPU. */
#define ARRANGE_PAGES (INSTANCES * 3u)

static inline int arranged(const struct ftrace *f, enum instance i)
{
	return f->ring_pages[i] != 0;
}

/* Makes the instances, which do not record yet, and enables the events of pages
 * and tasks in them. 0; -ENOMEM: they would take half of the free memory; or
 * -errno: then some instances may exist. */
int arrange(struct ftrace *f);
/* Opens one more event: see open_more() of a source. */
int arrange_more(struct source *s);

/* --- ftrace.c ------------------------------------------------------------ */

/* Takes so many rings and all that belongs to them. 0 or -ENOMEM. */
int ftrace_take_rings(struct ftrace *f, struct arena *a, uint32_t rings);
/* Reads how pages and entries begin; and the format of a stack. 0 or -errno. */
int ftrace_read_layout(struct ftrace *f);
int ftrace_read_stack(struct ftrace *f);
/* Closes all rings except the first `but`. */
void ftrace_close_rings(struct ftrace *f, uint32_t but);

/* --- drain.c ------------------------------------------------------------- */

void ftrace_begin(struct source *s, uint64_t horizon_ns);
int ftrace_next(struct source *s, struct event *e);
/* The number of entries of a ring that are lost so far: those that it dropped,
 * and, if it is empty, those that cannot be read. */
uint64_t ftrace_ring_lost(struct ftrace *f, struct ftrace_ring *r);
/* Is this entry a stack? */
int ftrace_is_stack(const struct ftrace *f, const struct ring_entry *entry);

#endif
