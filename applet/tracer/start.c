/* SPDX-License-Identifier: MIT */
/*
 * Everything the tracer needs, taken before the first event: engine, reporter,
 * descriptors, priority.
 */
#include <errno.h>
#include <sys/mman.h>
#include "base/base.h"
#include "base/system.h"
#include "control/control.h"
#include "tracer/tracer.h"

static int listen_for_requests(struct tracer *t)
{
	struct session *s = &t->engine.session;
	pid_t other = 0;
	int fd = control_listen(&other);

	t->door = (struct control_door){ .listener = fd, .silent = -1 };
	if (fd == -EEXIST) {
		if (other)
			say(t->sink, "pid %d traces already", (int)other);
		else
			say(t->sink, "a tracer in a pid namespace that cannot be "
			    "seen from here traces already");
		return fd;
	}
	if (fd == -EADDRINUSE && other)
		session_note(s, "no `memstrack report`: pid %d, no tracer, "
			     "has a lock on tracefs' " CONTROL_LOCK,
			     (int)other);
	else if (fd < 0)
		session_note(s, "no `memstrack report`: socket: %s",
			     error_text(fd));
	return 0;
}

static void settle_in(struct tracer *t)
{
	struct session *s = &t->engine.session;

	if (mlockall(MCL_CURRENT))
		session_note(s, "memory could not be locked: %s",
			     error_text(errno));
	priority_begin(&t->priority);
	if (writefile("/proc/self/oom_score_adj", "-1000"))
		session_note(s, "the OOM killer may choose the tracer: "
			     "oom_score_adj not set");
}

/* The rings, or what a source without rings waits for; signals, clients. */
static uint32_t descriptors(const struct tracer *t)
{
	return t->engine.cpus_most * WATCHED_MAX + 1 + CONTROL_WATCHED;
}

static int open_all(struct tracer *t)
{
	struct engine *g = &t->engine;

	if (listen_for_requests(t) ||
	    engine_open(g, descriptors(t) * sizeof(*t->poll)))
		return 1;
	if (!g->source->opening && !g->source->guarded) {
		guard_end(g->guard);
		g->guard = 0;
	}
	t->poll = arena_take(&g->arena, descriptors(t), sizeof(*t->poll));
	if (reporter_init(&t->reporter, g, &t->priority))
		return 1;
	arena_seal(&g->arena);
	settle_in(t);
	triggers_init(&t->triggers, g->boot);
	triggers_open(&t->triggers, g->meminfo_fd, g->zoneinfo_fd);
	kallsyms_open(&t->reporter.kallsyms);
	heal_open(&t->heal);
	reporter_read_settings(&t->reporter);
	if (engine_start(g))
		return 1;
	if (engine_lacks_files(g) && engine_read_log(g))
		status_say_unpacking(g);
	return 0;
}

int tracer_open(struct tracer *t, const struct config *c, struct sink *sink,
		int boot, const struct trace_file *record)
{
	int failed;

	*t = (struct tracer){
		.config = c, .sink = sink,
		.door = { .listener = -1, .silent = -1 },
	};
	engine_init(&t->engine, c, sink, boot, record);
	if (boot)
		t->engine.guard = guard_begin(source_cpus(), c->wait_s);
	failed = open_all(t);
	if (failed && t->door.listener != -EEXIST)
		engine_close(&t->engine);
	if (failed)
		guard_end(t->engine.guard);
	return failed;
}
