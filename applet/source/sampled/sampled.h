/* SPDX-License-Identifier: MIT */
/*
 * The source that samples /proc where nothing can be traced.
 */
#ifndef MEMSTRACK_SOURCE_SAMPLED_SAMPLED_H
#define MEMSTRACK_SOURCE_SAMPLED_SAMPLED_H

#include <stdint.h>
#include "base/system.h"
#include "source/proc/proc.h"
#include "source/source.h"

/*
 * --- when
 *
 * When to make a pass over all of /proc: often while free memory changes,
 * seldom while nothing happens, and never so often that passes take more than a
 * small part of one CPU.
 *
 *	each 100 ms	while free memory changes by a 256th of all memory
 *	up to 1 s	while it does not: each time twice as long as before
 *	not before	300 times the CPU time of the last pass has gone by
 *	at once		if free memory has fallen by a 32nd of all memory since
 *			its lowest value at a pass, at any cost: this happens 32
 *			times at most
 */

/* The shortest time until the next look: four such times before memory would be
 * used up. */
#define WHEN_SOONEST_NS 1000000u

struct when {
	uint64_t total_pages;
	uint64_t last_ns, rest_ns;	/* the last pass; no pass before this */
	uint64_t wait_ns;		/* the time between two passes */
	uint64_t free_pages;		/* at the last pass */
	uint64_t lowest_pages;		/* at any pass */
	uint64_t looked_ns, looked_pages;	/* the last look: free then */
	int moved;			/* free memory has, since the last
					 * pass */
	uint32_t stirred;		/* looks until a fall is long ago */
};

void when_begin(struct when *w, uint64_t total_pages);
/* Called at each look. 1: a pass is due. */
int when_due(struct when *w, uint64_t now_ns, uint64_t free_pages);
/* Called after a pass that took this much CPU time. */
void when_done(struct when *w, uint64_t now_ns, uint64_t cost_ns);
/* Called at each look. Returns the time until the next look: a quarter of the
 * time until free memory is down to `least_pages`, if it falls as fast as since
 * the last look; but at most 20 ms (5 ms) if less than a quarter (an eighth) of
 * memory is free and free memory fell lately. 0: the tracer's usual time. If
 * nothing has changed for a while, 200 ms. */
uint64_t when_look_ns(struct when *w, uint64_t now_ns, uint64_t free_pages,
		      uint64_t least_pages);

/* When to read a file that takes long: at most once a second, only after free
 * memory fell, and after a rest of 800 times the CPU time of a read. */
struct pace {
	uint64_t rest_ns, free_pages;
	int begun;
};

int pace_due(const struct pace *p, uint64_t now_ns, uint64_t free_pages);
void pace_done(struct pace *p, uint64_t now_ns, uint64_t free_pages,
	       uint64_t cost_ns);

/*
 * --- sampled
 *
 * The source has no rings: the tracer looks ten times a second (source.wait_ns:
 * more often while free memory falls), and when something is written to the
 * kernel's log, which reports kills. A look is cheap: it reads free memory and
 * new records of the log. When section when says so, a pass follows: all tasks,
 * modules and kinds of memory, and now and then slab caches. next() reads one
 * line for each event, so no other buffer is needed.
 *
 * The kernel's pressure stall information would wake us later. A trigger of 1
 * ms in 500 ms fired 54 to 60 ms after a kill at a cgroup's limit on 6.12, and
 * on 6.1 never; the log wakes us after 1 to 5 ms. When the machine's memory ran
 * out, free memory showed it 16 to 75 ms before the trigger.
 *
 * Files are opened once, because opening takes memory. Only /proc/PID/status
 * must be opened each time: so while memory runs out, a pass leaves out tasks.
 * Little free memory alone is not a reason to leave them out: page cache may
 * have filled the memory, and can be reclaimed. A kernel thread has no memory
 * of its own: it is remembered, and not read again in the next passes.
 *
 * Sources: Documentation/filesystems/proc.rst; fs/proc/task_mmu.c (VmHWM,
 * VmRSS); mm/oom_kill.c (the line on a kill, and the count, which moves before
 * the line is written; since 4.13) of 4.4, 5.10, 6.1 and 6.12.
 */

/* The number of kernel threads that are remembered and not read again. */
#define THREADS_KNOWN 1024u

enum sampled_file {
	FILE_TASKS, FILE_MODULES, FILE_CACHES, FILE_MEMINFO, FILE_ZONES,
	FILE_VMSTAT, FILE_LOG, FILES,
};

struct sampled {
	struct source source;	/* first: it is a source */
	struct pace caches;	/* slabinfo takes long */
	int fd[FILES];		/* -1: the kernel has no such file */
	uint32_t page_bytes;
	int low;		/* EVENT_LOW was emitted and still holds */
	uint64_t time_ns;	/* of this look */
	uint64_t cpu_ns;	/* our CPU time when the step began */
	uint64_t used_pages;	/* all memory in use, as read so far */
	uint32_t step;		/* of this look */
	uint32_t steps;		/* a bit for each step of this look */
	int begun;		/* this step has begun */
	int log_grew;		/* this look found records of the log */
	uint32_t victim;	/* whose kill the log has just reported; 0:
				 * none */
	uint32_t victim_flags;
	int victim_unlogged;	/* this pass found a kill without a record */
	uint64_t kills_logged;	/* kills with an event so far */
	uint64_t kills_counted;	/* by the kernel, at the last pass */
	uint64_t kills_before;	/* UINT64_MAX: not counted yet */
	uint32_t passes;
	struct when when;
	struct room room;
	struct lines lines;	/* of the step's file */
	uint32_t thread[THREADS_KNOWN];	/* kernel threads: mark_of() */
	struct entries entries;	/* of the directory /proc */
};

extern const struct source_kind sampled_source;

/* Steps of a look. 1: an event was read; 0: the step has no more events. */
int sampled_task(struct sampled *s, struct event *e);
int sampled_kill(struct sampled *s, struct event *e);
int sampled_count(struct sampled *s, struct event *e);
int sampled_module(struct sampled *s, struct event *e);
int sampled_cache(struct sampled *s, struct event *e);
int sampled_kind(struct sampled *s, struct event *e);
int sampled_lists(struct sampled *s, struct event *e);

/* Parses the text of /proc/PID/status, for e->tid. 1; 0 for a kernel thread. */
int status_text(const char *text, size_t len, uint32_t page_bytes,
		struct event *e);
/* Parses a line of /proc/vmstat. 0 if the line is the number of OOM kills. */
int kills_line(const char *line, size_t len, uint64_t *kills);
/* Parses a line of /proc/slabinfo. 0, or -EINVAL. */
int cache_line(const char *line, size_t len, struct event *e);
/* Parses a line of /proc/meminfo into a name and pages. 0, or -EINVAL. */
int kind_line(const char *line, size_t len, uint32_t page_bytes,
	      struct event *e);
/* Parses a record of /dev/kmsg that names the OOM killer's victim and its
 * resident set; flags as of EVENT_VICTIM. 0, or -EINVAL. */
int kill_record(const char *record, size_t len, uint32_t page_bytes,
		struct event *e);

#endif
