/* SPDX-License-Identifier: MIT */
/* What there is to see a run by: see run.h, open. */
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "run/run.h"
#include "tracer/tracer.h"

int run_take_memory(struct run *r)
{
	uint32_t rows = r->config.tasks;
	const uint64_t kib = system_ram_bytes() / 1024;
	uint64_t bytes;
	void *block;

	if (!rows)
		rows = kib / RUN_PROCESS_KIB < RUN_PROCESSES ?
		       (uint32_t)(kib / RUN_PROCESS_KIB) : RUN_PROCESSES;
	r->config.tasks = rows;
	if (!r->config.frames)
		r->config.frames = 1;	/* no stack is shown */
	bytes = processes_bytes(rows) + RUN_ENDS * sizeof(*r->end) + 256;
	r->page_kib = getauxval(AT_PAGESZ) / 1024;
	r->stats.fd = -1;
	block = system_memory(bytes);
	if (!block)
		return -ENOMEM;
	arena_init(&r->arena, block, (size_t)bytes);
	r->end = arena_take(&r->arena, RUN_ENDS, sizeof(*r->end));
	return processes_init(&r->processes, &r->arena, rows);
}

/* Samples of /proc would be guesses. */
static void open_tracer(struct run *r)
{
	const struct trace_file none = { NULL, -1 };
	struct tracer *t = &r->tracer;

	if (geteuid()) {
		session_note(&r->missing, "pages of the kernel, and most "
			     "processes: only root can trace");
		return;
	}
	if (tracer_open(t, &r->config, &r->sink, 0, &none)) {
		session_note(&r->missing, "pages of the kernel: %s",
			     t->door.listener == -EEXIST ?
			     "another tracer runs" : "no tracer");
		return;
	}
	r->traces = !t->engine.source->kind->samples;
	if (r->traces && !ledger_follow(&t->engine.ledger,
					(uint32_t)r->child.pid))
		return;
	session_note(&r->missing, "pages of the kernel: %s", r->traces ?
		     "the command found no room: raise --tasks" :
		     "nothing can be traced here");
	r->traces = 0;
	engine_close(&t->engine);
}

static void open_stats(struct run *r)
{
	const int error = taskstats_open(&r->stats);

	if (!error)
		return;
	session_note(&r->missing, "peaks of each process: taskstats: %s",
		     error_text(error));
	if (!r->traces)
		session_note(&r->missing, "by wait4 only the command and its "
			     "orphans are seen; their peak RSS is the largest "
			     "of each and of the children that it waited for");
}

/* The command itself, with all arguments that we were given. */
static void add_command(struct run *r)
{
	const struct tasks *t = &r->tracer.engine.ledger.tasks;
	const uint32_t pid = (uint32_t)r->child.pid;
	const uint32_t row = processes_add(&r->processes, pid,
					   (uint32_t)getpid(),
					   clock_ns(CLOCK_MONOTONIC));
	struct process *p = &r->processes.row[row];
	size_t len = 0;

	p->known = IN_TREE | HAS_START;
	/* Ours, if it never becomes another program. */
	syscall(SYS_prctl, PR_GET_NAME, p->comm, 0, 0, 0);
	if (r->traces)
		p->task_ns = t->row[tasks_find(t, pid)].start_ns;
	for (char *const *word = r->command; *word; word++)
		len += print_to(r->given + len, sizeof(r->given) - len, "%s%s",
				len ? " " : "", *word);
	memcpy(p->argv, r->given, sizeof(p->argv));
	r->start_ns = p->start_ns;
}

void run_open(struct run *r)
{
	cgroup_begin(&r->cgroup, r->child.pid);
	open_tracer(r);
	open_stats(r);
	add_command(r);
}
