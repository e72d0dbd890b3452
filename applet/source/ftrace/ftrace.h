/*
 * tracefs: for kernels without perf events.
 *
 * The tracer has instances of its own under tracefs' instances/, so nobody
 * else's tracing is read or touched. An option of an instance decides whether
 * its events are followed by their stack, and another one when its reader is
 * woken. So there are three: for events with a stack, for events that wake the
 * tracer at once, and for all others. Each has one ring for each CPU, of which
 * trace_pipe_raw gives one page after the other (source/tracefs/ring_page.h).
 * All rings are merged by time.
 *
 * An entry has the number of the thread that ran, and no process: the ledger
 * knows it by the fork. Fork, exec and exit come as events too (tasks.c). A
 * full ring drops the newest events; the kernel counts them (per_cpu/cpuN/
 * stats), and says nothing in the ring.
 *
 * An instance goes with its directory. Before Linux 6.6 it takes some 6 KiB for
 * each event that the kernel has: 7 to 9 MiB on a distribution's kernel.
 *
 * Sources: Documentation/trace/ftrace.rst; kernel/trace/trace.c, 5.10 to 7.2.
 */
#ifndef MEMSTRACK_FTRACE_H
#define MEMSTRACK_FTRACE_H

#include <sys/types.h>
#include "source/ftrace/tasks.h"
#include "source/kind.h"
#include "source/merge.h"
#include "source/tracefs/ring_page.h"

enum instance { PLAIN, STACKS, AT_ONCE, INSTANCES };

/* An event that is the last one of its page is kept while the next page is
 * read, which begins with its stack. */
#define KEPT_BYTES 64u

/* The entry that holds the stack of another one. */
struct stack_format {
	uint32_t id;
	struct field size, caller;	/* frames, the first of them */
};

struct ftrace_ring {
	struct ring_page cursor;
	struct ring_entry next;		/* if has_next */
	const unsigned char *stack;	/* the entry with its stack, or NULL */
	size_t stack_len;
	unsigned char *page;
	uint64_t lost, told;		/* by its statistics; by the stream */
	int fd, stats_fd;		/* trace_pipe_raw, stats; -1: none */
	uint32_t pages_read;		/* since it was last empty */
	enum instance instance;
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
	uint32_t ring_pages[INSTANCES];
	int error;			/* why a CPU could not be opened */
};

extern const struct source_kind ftrace_source;

/* Removes what a killed tracer left. */
void ftrace_clean(void);

/* --- instance.c ---------------------------------------------------------- */

/* 0: there is a tracefs with instances; or -errno. */
int instances_usable(void);
/* A new instance with rings of so many pages, which records nothing yet. 0 or
 * -errno; -EEXIST: somebody uses what a killed tracer left. */
int instance_make(enum instance i, uint32_t pages, uint32_t page_bytes);
/* Its rings must be closed. */
void instance_remove(enum instance i);
/* A file of a CPU, or -errno. */
int instance_open(enum instance i, uint32_t cpu, const char *name);
int instance_switch(enum instance i, int on);
/* Sets the filter, if there is one, and enables an event. 0 or -errno. */
int instance_event(enum instance i, const char *name, const char *filter);
/* The text of a file of tracefs: bytes read, or -errno. */
ssize_t instance_text(const char *name, char *text, size_t size);

/* --- drain.c ------------------------------------------------------------- */

int stack_parse(struct stack_format *s, const char *text, size_t len);
void ftrace_begin(struct ftrace *f, uint64_t horizon_ns);
int ftrace_next(struct ftrace *f, struct event *e);
/* The events that a ring dropped so far; reads its statistics. */
uint64_t ftrace_ring_lost(struct ftrace_ring *r);

#endif
