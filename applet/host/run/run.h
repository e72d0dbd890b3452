/* SPDX-License-Identifier: MIT */
/* The memory of a command and all its processes. */
#ifndef MEMSTRACK_RUN_RUN_H
#define MEMSTRACK_RUN_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "config/config.h"
#include "limits.h"
#include "output/output.h"
#include "report/report.h"
#include "source/event.h"
#include "tracer/tracer.h"

/*
 * --- cgroup
 *
 * A cgroup (version 2) for the command, and what the kernel counted in it.
 * Source: Documentation/admin-guide/cgroup-v2.rst. memory.peak exists since
 * Linux 5.19, memory.events.local since 5.2.
 *
 * The cgroup is made where memory is counted and where we may make it: in our
 * own cgroup; or, as a cgroup with processes may not divide memory, beside it.
 * Beside it our own cgroup's limits would no longer hold, so then it must have
 * none. Nothing else of the machine is changed, and the cgroup is removed at
 * the end; processes that are left in it go back to where the command began.
 */

#define CGROUP_PATH_BYTES (PATH_BYTES * 2)

struct cgroup {
	int made;
	uint64_t peak_kib;	/* memory.peak; UNKNOWN */
	/* memory.events: times that our limit, or one above it, was reached;
	 * and processes that the kernel killed. */
	uint64_t max_events, oom_kills;
	uint64_t limit_kib;	/* that was reached when memory ran out */
	char limit_path[CGROUP_PATH_BYTES];	/* whose; "": none */
	char why[NOTE_BYTES];	/* none was made, or something is missing */
	/* Private. */
	uint64_t ooms[RUN_CGROUPS];	/* of each cgroup above, before */
	size_t mount_len;
	char old_path[CGROUP_PATH_BYTES];
	char path[CGROUP_PATH_BYTES];
};

/* Makes it and moves a process into it. */
void cgroup_begin(struct cgroup *g, pid_t pid);
/* Reads what it counted, and removes it. */
void cgroup_end(struct cgroup *g);

/* A number of a file with lines such as "oom_kill 3", or 0. */
uint64_t cgroup_count(const char *text, size_t len, const char *name);

/*
 * --- child
 *
 * The command: a child that waits until everything is ready, and then becomes
 * the command. Its signals, descriptors and limits are those that we were
 * given, and it is in our process group: a terminal sees one job.
 */

struct child {
	pid_t pid;
	int go_fd;		/* a byte starts the command */
	int signal_fd;		/* what is sent to us, and ends of children */
	int is_gone;		/* reaped: its pid may be another's */
	int asked_end;		/* a signal came when it was */
};

/* Forks. Ends of orphans of the command come to us too. 0 or -errno. */
int child_start(struct child *c, char *const *argv);
/* Lets the command begin. */
void child_go(struct child *c);

/* Passes on the signals that have come. A signal of the terminal, and a signal
 * that the command sent, is not passed on, because the command has it already.
 * When the command has exited, each signal is for us. 1: a child of ours has
 * exited. */
int child_forward(struct child *c);

/* Ends as the command did: by its signal, or with its status, which is
 * returned. A second core is not written. */
int child_end_as(int status);

/* The exit status that a shell would report. */
int child_status(uint32_t status);

/*
 * --- processes
 *
 * The processes of a run: a table of fixed size, one row each; no row is
 * reused.
 *
 * A process without room in the table is counted. Row 0 means no process. A pid
 * that is used again gets a new row, and a search finds the newest process with
 * that pid.
 */

/* What is known of a process. */
enum known {
	ENDED = 1,		/* it has exited */
	HAS_STATUS = 2,
	HAS_STATS = 4,		/* its sizes, by taskstats */
	HAS_USAGE = 8,		/* by wait4: its own largest, or of those
				 * that it has waited for */
	IN_TREE = 16,
	OOM_VICTIM = 32,	/* the kernel killed it, as memory ran out */
	LINE_DUE = 64,		/* the line on its exit waits for its status */
	HAS_START = 128,
	HAS_PAGES = 256,	/* at the tree's peak: the ledger still has its
				 * row */
};

struct process {
	ROW_ALIGN uint64_t start_ns;	/* CLOCK_MONOTONIC */
	uint64_t task_ns;	/* the same in the ledger's row */
	uint64_t end_ns, run_ns;
	uint64_t rss_kib, vm_kib, rss_mib_us, vm_mib_us;
	uint64_t peak_pages;	/* of the kernel, on its account */
	uint64_t at_peak_pages, left_pages;
	uint32_t pid, parent;
	uint32_t next;		/* in the bucket; 0: none */
	uint32_t status;	/* as wait() gives it */
	uint32_t known;
	char comm[COMM_BYTES];
	char argv[RUN_ARGV_BYTES];	/* "": not had */
};

struct processes {
	struct process *row;
	uint32_t *order;	/* for a report: rows, sorted */
	struct hash hash;	/* by pid */
	uint32_t capacity, used;	/* used: with row 0 */
	uint64_t full;		/* processes without a row */
};

uint64_t processes_bytes(uint32_t rows);
/* *p is zeroed. 0 or -ENOMEM. */
int processes_init(struct processes *p, struct arena *a, uint32_t rows);

/* The newest process with this pid, or 0. */
uint32_t processes_find(const struct processes *p, uint32_t pid);
/* A new row, or 0: there is no room. */
uint32_t processes_add(struct processes *p, uint32_t pid, uint32_t parent,
		       uint64_t start_ns);

/* Marks those that descend from `root`, if all were added, of any tree: a
 * process is in the tree if its parent was, when it exited. Orphans have the
 * parent `reaper`. */
void processes_mark_tree(struct processes *p, uint32_t root, uint32_t reaper);

/* By start; or what is largest first: pages at the tree's peak, then, if wanted
 * too, peak RSS. */
enum { BY_START, BY_SIZE = 1, BY_TREE_PEAK = 2 };

/* Puts the first `most` rows of those in the tree into item[], in this order.
 * Returns how many. */
uint32_t processes_sort(const struct processes *p, int by, uint32_t *item,
			uint32_t most);

/*
 * --- taskstats
 *
 * taskstats: the kernel's record of each task when it exits, over generic
 * netlink. Sources: Documentation/accounting/taskstats.rst,
 * taskstats-struct.rst and kernel/taskstats.c of Linux 5.10 to 6.18.
 *
 * Each task of the machine has one record, however short its life was, sent
 * before the task frees its memory. A record that finds no room is lost: the
 * next read then returns ENOBUFS. Only root may ask, in the first pid, user and
 * network namespace. The struct has grown at its end over the years: a field is
 * taken only if the record is long enough, and its version has the field.
 */

/* One task that has exited. */
struct task_end {
	uint64_t read_ns;	/* when we read the record */
	uint64_t run_ns;	/* since its fork */
	uint64_t rss_kib, vm_kib;	/* the most that its process ever had,
					 * since the last exec */
	/* Sums over its CPU time, of MiB times microseconds. */
	uint64_t rss_mib_us, vm_mib_us;
	uint32_t pid, parent;	/* parent: the process that would reap it */
	uint32_t tgid;		/* its process; 0: not in the record */
	uint32_t status;	/* as wait() gives it */
	int last;		/* no other task of its process is left, as far
				 * as the record shows */
	char comm[COMM_BYTES];
};

/* The netlink messages in a buffer, one after the other. */
struct taskstats_reader {
	const unsigned char *at;
	size_t len;
	uint16_t family;	/* the number of taskstats in this kernel */
};

/* The next task's record: 1; or 0: no more. Other messages, and a record that
 * does not fit its own length, are skipped. */
int taskstats_next(struct taskstats_reader *r, struct task_end *end);

/* The number of a family of generic netlink, from the answer to a request; or
 * -errno: the kernel's error, or -EINVAL for an invalid answer. */
int taskstats_family(const unsigned char *answer, size_t len);
/* Is it an answer of the next kind, and no record? */
int taskstats_is_status(const unsigned char *answer, size_t len);
/* The kernel's answer to a request that wants nothing else: 0 or -errno. */
int taskstats_status(const unsigned char *answer, size_t len);

struct stats_socket {
	int fd;			/* -1: none */
	uint16_t family;
	uint64_t losses;	/* times that records were lost: one or more */
};

/* Asks for the records of all CPUs. 0 or -errno; then fd is -1. */
int taskstats_open(struct stats_socket *t);

/* Reads one datagram. Returns its bytes, or 0: no datagram is waiting. */
size_t taskstats_read(struct stats_socket *t, unsigned char *buf, size_t size);

/*
 * --- parts
 *
 * What a run consists of (run.h).
 *
 * Each figure has one source, and none is guessed:
 *   tracer     processes, their parents, start, end, name; pages of the kernel
 *   taskstats  status, peak RSS, peak and total virtual size, at each exit
 *   wait4      status and peak RSS of the command and its orphans
 *   cgroup     the peak of the whole, and the limit that was reached
 * An ordinary user has only the last two; if another tracer runs, or the kernel
 * cannot be traced, the last three remain. The report names what is missing.
 */

/* What is written of a run, besides its rows. */
struct outline {
	uint32_t count;		/* rows in processes.order */
	uint64_t seen;		/* processes, with those without a row */
	uint32_t shown;
	uint32_t running;	/* that have not ended */
	uint64_t left_pages;
	const char *source;	/* of processes and pages; NULL: none */
};

/* The lines as they happen, of --level=3, on standard error or output, which
 * may be full. */
struct live {
	struct out out;		/* first */
	int fd;			/* -1: they go where the report goes */
	int blocks;		/* a write may wait */
	size_t len, left;	/* of `text`, and how much was not taken yet */
	uint64_t dropped;	/* lines */
	char text[LINE_BYTES + 2];
};

struct run {
	char *const *command;
	struct out errors;	/* lines go to standard error */
	struct out *to;		/* &errors, or the sink's */
	int traces;		/* the tracer has a source of events */
	int ended;		/* the command, with: */
	uint32_t status;
	int alone;		/* no child of ours is left */
	struct task_end *end;	/* records whose process is not known yet */
	uint32_t ends;
	struct processes processes;
	uint64_t start_ns, end_ns;	/* of the command */
	uint64_t lost;		/* events */
	uint64_t page_kib;
	struct child child;
	struct stats_socket stats;
	struct arena arena;
	struct event_out running;	/* takes processes that still run */
	struct outline outline;
	struct report report;	/* for sheets: `context` is the run */
	struct config config;
	struct cgroup cgroup;
	char given[RUN_ARGV_BYTES];	/* it and its arguments, as one text */
	char more[NOTE_BYTES];	/* in memory.peak; "": nothing */
	struct live live;
	struct session missing;	/* only its notes are used */
	struct sink sink;
	struct tracer tracer;
};

/*
 * --- report
 *
 * The report of a run, as text or JSON, and the lines as they happen. All are
 * written on sheets of report/report.h.
 */

/* Takes the output that the user wants; makes it standard error if none was
 * asked for. */
void run_open_output(struct run *r);
/* Before and after each report or line as it happens. 0 or -errno. */
int run_begin_output(struct run *r);
int run_end_output(struct run *r);

/* A sheet of this format, on any output. */
void run_sheet(struct sheet *s, struct run *r, enum format f, struct out *o);
static inline struct run *run_of(const struct sheet *s)
{
	return s->r->context;
}

/* What is printed of a process, in JSON in this order. */
enum {
	PROCESS_PID, PROCESS_PARENT, PROCESS_START_NS, PROCESS_RUN_NS,
	PROCESS_STATUS, PROCESS_SIGNAL, PROCESS_RSS_KIB, PROCESS_VM_KIB,
	PROCESS_RSS_MIB_US, PROCESS_VM_MIB_US, PROCESS_PEAK_PAGES,
	PROCESS_AT_PEAK_PAGES, PROCESS_LEFT_PAGES, PROCESS_VALUES
};

/* What is not known is UNKNOWN. */
void process_values(const struct run *r, const struct process *p,
		    uint64_t value[PROCESS_VALUES]);
/* A member with a name or a command of `size` bytes. */
void run_json_name(struct sheet *s, const char *key, const char *text,
		   size_t size);

/* Is each process of the tree in the table? */
int sees_all(const struct run *r);
static inline uint64_t since_start(const struct run *r, uint64_t ns)
{
	return ns > r->start_ns ? ns - r->start_ns : 0;
}

void run_json(struct sheet *s);
void run_report(struct run *r);

/*
 * --- live
 *
 * The lines as they happen, of --level=3.
 *
 * The rings are read in the same loop, so we never wait for the reader of the
 * lines. A line that finds no room is dropped and counted.
 */

void live_open(struct run *r);
/* Writes the last line to its end; dropped lines get a note. */
void live_finish(struct run *r);

void live_exec(struct run *r, const struct process *p, uint64_t time_ns);
void live_exit(struct run *r, const struct process *p);

/*
 * --- open
 *
 * The sources of a run's figures: memory, cgroup, tracer, taskstats. What is
 * missing becomes a note.
 */

/* All our tables but the tracer's. 0 or -ENOMEM. */
int run_take_memory(struct run *r);

/* The command has been forked, and waits. */
void run_open(struct run *r);

/* --- reap: the ends of our children: see watch.c */

/* Takes all that have come. */
void reap_children(struct run *r);

/*
 * --- run
 *
 * `memstrack run COMMAND`: the memory of a whole tree of processes.
 */

/* Returns the exit status of the command; or does not return, and ends by the
 * command's signal. */
int run_main(int argc, char *argv[]);

/*
 * --- watch
 *
 * What events and records say about processes -> the table (section processes).
 *
 * The kernel sends the record of a task's end before the event of this end. But
 * the record may be read before the event of the task's start: so records wait
 * until all older events were seen.
 */

/* An event that the ledger has applied. */
void watch_event(struct run *r, const struct event *e);

/* Reads records until there are none, or no room is left: then 1. */
int watch_read_ends(struct run *r);
/* Applies the records whose process is known. Records that were read before the
 * horizon and have no process by then belong to other processes. */
void watch_apply_ends(struct run *r, uint64_t horizon_ns);

/* What the ledger knows of the tree's pages, at the end. */
void watch_take_pages(struct run *r);

#endif
