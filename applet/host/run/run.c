/* SPDX-License-Identifier: MIT */
/*
 * The loop of `memstrack run`: see run.h.
 *
 * The command is forked before anything else, so that it inherits none of our
 * descriptors, and begins when all is ready. The run ends with the command,
 * although its children may live on; with --keep, with the last of them. The
 * tracer is that of `memstrack trace`, in this process, but answers no client and
 * reports nothing.
 */
#include <poll.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "config/config.h"
#include "control/control.h"
#include "host/run/run.h"
#include "source/proc/proc.h"

/* The tracer's own (tracer/tracer.c): records are this old when they are
 * merged. */
#define SETTLE_NS 200000
/* Rings and records are read at least this often. */
#define IDLE_NS 20000000

static void drain(struct run *r, uint64_t horizon_ns)
{
	struct engine *g = &r->tracer.engine;
	struct event e;

	engine_follow_ram(g, 0);
	engine_begin(g, horizon_ns);
	while (engine_next(g, &e))
		watch_event(r, &e);
	engine_settle(g, horizon_ns);
}

/* This tracer writes no report, so a client must not wait for one. */
static void answer_others(struct run *r)
{
	struct control_message m;
	const int client = r->tracer.door.listener < 0 ? -1 :
			   control_accept(&r->tracer.door, &m);

	if (client < 0)
		return;
	if (m.file >= 0)
		close(m.file);
	control_answer(client, EBUSY);
}

/* Returns whether a ring has asked to be read. */
static int wait_for(struct run *r, long wait_ns)
{
	struct tracer *t = &r->tracer;
	struct pollfd few[2], *set = few;
	uint32_t watched = 0;

	if (r->traces) {
		set = t->poll;
		watched = t->engine.source->kind->poll_set(t->engine.source,
							   set);
		control_watch(&t->door, set + watched);
		watched += CONTROL_WATCHED;
	} else {
		set[watched++] = (struct pollfd){
			.fd = r->stats.fd, .events = POLLIN,
		};
		wait_ns = 1000000000;
	}
	set[watched++] = (struct pollfd){
		.fd = r->child.signal_fd, .events = POLLIN,
	};
	return wait_ready(set, watched, wait_ns) > 0;
}

/* Events and records until the horizon. 1: more records wait. */
static int look(struct run *r, uint64_t horizon_ns)
{
	const int more = watch_read_ends(r);

	if (r->traces)
		drain(r, horizon_ns);
	watch_apply_ends(r, horizon_ns);
	return more;
}

static void loop(struct run *r)
{
	struct tracer *t = &r->tracer;
	long wait_ns = IDLE_NS;

	while (!r->ended ||
	       (r->config.keep && !r->alone && !r->child.asked_end)) {
		const int asked = wait_for(r, wait_ns);
		const int ended = child_forward(&r->child);
		const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
		const int more = look(r, ended ? now_ns : now_ns - SETTLE_NS);

		if (ended)
			reap_children(r);
		wait_ns = more ? 0 : IDLE_NS;
		if (!r->traces)
			continue;
		answer_others(r);
		engine_follow_cpus(&t->engine, now_ns);
		priority_judge(&t->priority, t->engine.source->used_bytes,
			       t->engine.source->ring_bytes);
		if (asked && !more && t->engine.source->pending)
			wait_ns = SETTLE_NS;
	}
}

/* Without events: the processes that still run, so that no record came. */
static void add_running(struct event_out *o, const struct event *e)
{
	struct run *r = (struct run *)((char *)o - offsetof(struct run,
							    running));
	const uint32_t old = processes_find(&r->processes, e->tid);
	uint32_t row;

	if (e->tid == (uint32_t)getpid() ||
	    (old && !(r->processes.row[old].known & ENDED)))
		return;
	row = processes_add(&r->processes, e->tid, e->parent_tgid, 0);
	if (!row)
		return;
	r->processes.row[row].end_ns = e->time_ns;
	memcpy(r->processes.row[row].comm, e->name, COMM_BYTES);
}

/* Takes all records of processes that have ended, however young. Records of other
 * processes make room as the horizon moves on. */
static void finish(struct run *r)
{
	struct engine *g = &r->tracer.engine;
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	while (look(r, clock_ns(CLOCK_MONOTONIC)))
		;
	watch_apply_ends(r, UINT64_MAX);
	cgroup_end(&r->cgroup);
	if (r->traces) {
		engine_take_stock(g);
		r->lost = g->ledger.total.lost;
		watch_take_pages(r);
		engine_close(g);
		priority_write(0);
	} else if (r->stats.fd >= 0) {
		r->running.event = add_running;
		proc_tasks(&r->running, now_ns);
		processes_mark_tree(&r->processes, (uint32_t)r->child.pid,
				    (uint32_t)getpid());
	}
}

static int run(struct run *r)
{
	int error = child_start(&r->child, r->command);

	if (!error)
		error = run_take_memory(r);
	if (error)
		return complain_error("run", error);
	run_open_output(r);
	live_open(r);
	run_open(r);
	child_go(&r->child);
	loop(r);
	finish(r);
	live_finish(r);
	run_report(r);
	return child_end_as((int)r->status);
}

/* A run has only a table of processes, which text and JSON can show. */
static int is_foreign(enum format f)
{
	return f != FORMAT_TEXT && f != FORMAT_JSON;
}

/* Option parsing stops at the first non-option, or at "--"; the command follows.
 * 0, or EXIT_USAGE. */
static int take_options(struct run *r, int argc, char *argv[])
{
	const struct options o = {
		.of = OF_RUN, .least = 1, .most = UINT32_MAX, .command = 1,
		.missing = "COMMAND is missing",
	};

	if (options_take(&o, &r->config, argc, argv, refuse_usage) < 0)
		return EXIT_USAGE;
	r->command = argv + 1;
	return config_has(&r->config, is_foreign) ?
	       refuse_usage("--format: only text or json") : 0;
}

int run_main(int argc, char *argv[])
{
	struct run *r = system_memory(sizeof(*r));

	if (!r)
		return complain_error("run", errno);
	return take_options(r, argc, argv) ? EXIT_USAGE : run(r);
}
