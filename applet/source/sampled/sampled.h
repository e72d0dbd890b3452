/* SPDX-License-Identifier: MIT */
/*
 * When to look at all of /proc: often while memory moves, seldom while nothing
 * happens, and never so often that it costs more than a part of one CPU.
 *
 *	each 100 ms	while free memory moves by a 256th of all memory
 *	up to 1 s	while it does not: each time twice as long as before
 *	not before	300 times the cost of the last pass has gone by
 *	at once		if free memory has fallen by a 32nd of all memory since
 *			it was lowest in a pass, whatever it costs: this happens
 *			32 times at most
 */
#ifndef MEMSTRACK_SOURCE_SAMPLED_SAMPLED_H
#define MEMSTRACK_SOURCE_SAMPLED_SAMPLED_H

#include <stdint.h>
#include "base/system.h"
#include "source/proc/proc.h"
#include "source/source.h"

/* The shortest time between two looks: memory would be used up in four of it.
 * */
#define WHEN_SOONEST_NS 1000000u

struct when {
	uint64_t total_pages;
	uint64_t last_ns, rest_ns;	/* the last pass; none before this */
	uint64_t wait_ns;		/* the time between two passes */
	uint64_t free_pages;		/* at the last pass */
	uint64_t lowest_pages;		/* at any pass */
	uint64_t looked_ns, looked_pages;	/* the last look: free then */
	int moved;			/* since the last pass */
	uint32_t stirred;		/* looks until a fall is long ago */
};

void when_begin(struct when *w, uint64_t total_pages);
/* Called at each look. 1: a pass is due. */
int when_due(struct when *w, uint64_t now_ns, uint64_t free_pages);
/* After a pass that took so much CPU time. */
void when_done(struct when *w, uint64_t now_ns, uint64_t cost_ns);
/* Called at each look. The time until the next one: a quarter of the time in
 * which free memory would fall to `least_pages` if it went on as since the last
 * look, but not longer than 20 ms (5 ms) if a quarter (an eighth) of memory is
 * free and some of it fell lately. 0: as the tracer likes. If nothing has
 * happened for a while, twice as long. */
uint64_t when_look_ns(struct when *w, uint64_t now_ns, uint64_t free_pages,
		      uint64_t least_pages);

/* A file that takes long: at most once a second, only after free memory fell,
 * and with a rest of 800 times its cost. */
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
 * The source where nothing can be traced: /proc, looked at now and then.
 *
 * It has no rings: the tracer looks ten times a second (source.wait_ns: more
 * often while memory falls), and when something is written to the kernel's log,
 * which tells of a kill. A look costs little: free memory, and new records of
 * the log. When above says so, a pass follows: all tasks, modules and kinds of
 * memory, and now and then slab caches. An event is read when it is asked for,
 * so no room is needed for more than one line.
 *
 * The kernel's pressure stall information would wake us later. A trigger of
 * 1 ms in 500 ms did so 54 to 60 ms after a kill at a cgroup's limit on 6.12,
 * and on 6.1 never; the log does so after 1 to 5 ms. When the machine's memory
 * ran out, free memory had shown it 16 to 75 ms before the trigger.
 *
 * Files are opened once, since opening takes memory. Only /proc/PID/status must
 * be opened each time: while memory runs out, a pass leaves out tasks. That free
 * memory is small is no reason: page cache may have filled it, and can go. A
 * kernel thread has no memory of its own: it is remembered, and not looked at
 * again in the next passes.
 *
 * Sources: Documentation/filesystems/proc.rst; fs/proc/task_mmu.c (VmHWM,
 * VmRSS); mm/oom_kill.c (the line on a kill, and the count, which moves before
 * the line is written; since 4.13) of 4.4, 5.10, 6.1 and 6.12.
 */

/* Kernel threads that are known as such, and not read again. */
#define THREADS_KNOWN 1024u

enum sampled_file {
	FILE_TASKS, FILE_MODULES, FILE_CACHES, FILE_MEMINFO, FILE_ZONES,
	FILE_VMSTAT, FILE_LOG, FILES,
};

struct sampled {
	struct source source;	/* first: it is a source */
	struct when when;
	struct pace caches;	/* slabinfo takes long */
	int fd[FILES];		/* -1: the kernel has no such file */
	uint32_t page_bytes;
	struct room room;
	int low;		/* that was told, and is so still */
	uint64_t time_ns;	/* of this look */
	uint64_t cpu_ns;	/* when it began */
	uint64_t used_pages;	/* all memory in use, as read so far */
	uint32_t step;		/* of this look */
	uint32_t steps;		/* a bit for each that it has */
	int begun;		/* this step has */
	int log_grew;		/* this look found records */
	uint32_t victim;	/* that the log has just told; 0: none */
	uint32_t victim_flags;
	int victim_untold;	/* this pass has found one that it did not */
	uint64_t kills_told;	/* by the log, or as not known */
	uint64_t kills_counted;	/* by the kernel, at the last pass */
	uint64_t kills_before;	/* UINT64_MAX: not counted yet */
	uint32_t passes;
	struct lines lines;	/* of the step's file */
	uint32_t thread[THREADS_KNOWN];	/* a mark of each (tasks.c) */
	struct entries entries;	/* of the directory /proc */
};

extern const struct source_kind sampled_source;

/* The next line of this step's file; NULL: no more. */
char *sampled_line(struct sampled *s, enum sampled_file file, size_t *len);

/* Steps of a look: 1, an event was read; 0: this step has no more. */
int sampled_task(struct sampled *s, struct event *e);
int sampled_kill(struct sampled *s, struct event *e);
int sampled_count(struct sampled *s, struct event *e);
int sampled_module(struct sampled *s, struct event *e);
int sampled_cache(struct sampled *s, struct event *e);
int sampled_kind(struct sampled *s, struct event *e);
int sampled_lists(struct sampled *s, struct event *e);

/* The text of /proc/PID/status, for e->tid: 1; 0 for a kernel thread. */
int status_text(const char *text, size_t len, uint32_t page_bytes,
		struct event *e);
/* A line of /proc/vmstat: 0, if it counts kills. */
int kills_line(const char *line, size_t len, uint64_t *kills);
/* A line of /proc/modules; a line of /proc/slabinfo: 0, or -EINVAL. */
int module_line(const char *line, size_t len, uint32_t page_bytes,
		struct event *e);
int cache_line(const char *line, size_t len, struct event *e);
/* A line of /proc/meminfo: its name and pages. */
int kind_line(const char *line, size_t len, uint32_t page_bytes,
	      struct event *e);
/* A record of /dev/kmsg that tells whom the OOM killer killed, and how much
 * that task had; flags as of EVENT_VICTIM: 0, or -EINVAL. */
int kill_record(const char *record, size_t len, uint32_t page_bytes,
		struct event *e);

#endif
