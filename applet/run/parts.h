/* SPDX-License-Identifier: MIT */
/*
 * What a run consists of (run.h).
 *
 * Each figure has one source, and none is guessed:
 *   tracer     processes, their parents, start, end, name; pages of the kernel
 *   taskstats  status, peak RSS, peak and total virtual size, at each exit
 *   wait4      status and peak RSS of the command and its orphans
 *   cgroup     the peak of the whole, and the limit that was reached
 * As an ordinary user the last two are left; if another tracer runs, or the
 * kernel cannot be traced, the last three. What is missing is told.
 */
#ifndef MEMSTRACK_RUN_PARTS_H
#define MEMSTRACK_RUN_PARTS_H

#include "config/config.h"
#include "output/sink.h"
#include "run/cgroup.h"
#include "run/child.h"
#include "run/processes.h"
#include "run/taskstats.h"
#include "tracer/parts.h"

/* Lines go to standard error, or through a sink. */
struct run_out {
	struct out out;		/* first */
	struct sink *sink;	/* NULL: standard error */
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
	struct config config;
	char *const *command;
	char given[RUN_ARGV_BYTES];	/* it and its arguments, as one text */
	struct run_out to;
	struct live live;
	struct sink sink;
	struct tracer tracer;
	int traces;		/* the tracer has a source of events */
	struct child child;
	int ended;		/* the command, with: */
	uint32_t status;
	int alone;		/* no child of ours is left */
	struct stats_socket stats;
	struct task_end *end;	/* records whose process is not known yet */
	uint32_t ends;
	struct processes processes;
	struct cgroup cgroup;
	uint64_t start_ns, end_ns;	/* of the command */
	uint64_t lost;		/* events */
	uint64_t page_kib;
	struct arena arena;
	struct session missing;	/* only its notes are used */
	char more[NOTE_BYTES];	/* in memory.peak; "": nothing */
	struct event_out running;	/* takes processes that still run */
};

#endif
