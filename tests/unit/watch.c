/* SPDX-License-Identifier: MIT */
/* Records of taskstats -> the table of processes, without events: times and
 * peaks. */
#include <string.h>
#include "run/watch.h"
#include "tap.h"

#define ROWS 9
#define COMMAND 100u

static unsigned char memory[1 << 16] __attribute__((aligned(64)));
static struct task_end ends[1];
static struct run r;

/* The command, which began at 1000. */
static struct process *begin(void)
{
	struct arena a;

	memset(memory, 0, sizeof(memory));
	r = (struct run){ .stats = { .fd = -1 }, .end = ends };
	r.config.level = 1;
	arena_init(&a, memory, sizeof(memory));
	processes_init(&r.processes, &a, ROWS);
	processes_add(&r.processes, COMMAND, 1, 1000);
	r.processes.row[1].known = IN_TREE | HAS_START;
	return &r.processes.row[1];
}

static void end(struct task_end e)
{
	ends[0] = e;
	r.ends = 1;
	watch_apply_ends(&r, UINT64_MAX);
}

static void times(void)
{
	const struct process *command = begin(), *other = command + 1;

	end((struct task_end){ .pid = 101, .tgid = 101, .parent = COMMAND,
			       .read_ns = 1600, .run_ns = 200, .last = 1 });
	tap_ok(other->pid == 101 && other->start_ns == 1400 &&
	       other->run_ns == 200, "a process: since its fork");
	end((struct task_end){ .pid = COMMAND, .tgid = COMMAND,
			       .read_ns = 1700, .run_ns = 1500, .last = 1 });
	tap_ok(command->start_ns == 1000 && command->run_ns == 700 &&
	       command->end_ns == 1700,
	       "the command: since it began, not since its fork");
}

static void peaks(void)
{
	struct process *command = begin();

	command->rss_kib = 50000;
	command->known |= HAS_STATUS | HAS_USAGE;
	end((struct task_end){ .pid = COMMAND, .tgid = COMMAND,
			       .read_ns = 1700, .rss_kib = 3000 });
	tap_ok(command->rss_kib == 3000,
	       "wait4 told the peak of a child before: %d KiB",
	       (int)command->rss_kib);
	end((struct task_end){ .pid = 102, .tgid = COMMAND, .read_ns = 1800,
			       .rss_kib = 4000, .last = 1 });
	tap_ok(command->rss_kib == 4000, "of two threads the larger one");
	end((struct task_end){ .pid = 103, .tgid = COMMAND, .read_ns = 1800,
			       .rss_kib = 2000 });
	tap_ok(command->rss_kib == 4000, "and not the last one");
}

int main(void)
{
	times();
	peaks();
	return tap_plan_done();
}
