/* SPDX-License-Identifier: MIT */
/*
 * drain: the cost of tracing when nobody reads the events.
 *
 * It has the same events and rings as the tracer, because it opens them with
 * the tracer's source/perf/, with the ring size of the default budget and the
 * same probes. It is woken at the same watermark, has the same priority, and
 * wakes as often when idle. But it gives the content of the rings back unread.
 * Its cost is the kernel's part; what memstrack costs above it is our own part.
 *
 * It prints "ready" on standard output when all events are on, and ends at
 * SIGTERM. As the first process of a guest it drains in a child, and becomes
 * /init when the child is ready, as memstrack does.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include "base/system.h"
#include "ledger/ledger.h"
#include "source/perf/perf.h"
#include "source/proc/proc.h"
#include "source/source.h"

#define ARENA_BYTES (1u << 20)
#define IDLE_MS 100		/* of tracer.c */

static int fail(const char *what, int error)
{
	fprintf(stderr, "drain: %s: %s\n", what, strerror(-error));
	return 1;
}

/* What the tracer would give its rings on this machine, without options, but
 * for the few KiB that it sets aside first. */
static int ring_bytes(uint32_t page_bytes, uint64_t *bytes)
{
	const struct layout want = { 0 };
	struct layout layout;
	struct sysinfo info;
	struct ram ram;
	uint64_t budget;
	int error = proc_ram(&ram, page_bytes);

	if (error)
		return error;
	if (sysinfo(&info) < 0)
		return -errno;
	budget = (uint64_t)info.totalram * info.mem_unit / BUDGET_DIVISOR;
	if (budget < BUDGET_FLOOR_BYTES)
		budget = BUDGET_FLOOR_BYTES;
	if (budget > BUDGET_CEILING_BYTES)
		budget = BUDGET_CEILING_BYTES;
	error = layout_divide(&layout, &want, &ram, budget, 0);
	*bytes = layout.ring_bytes;
	return error;
}

static void throw_away(struct perf_ring *r)
{
	struct perf_event_mmap_page *c = r->control;
	uint64_t head = __atomic_load_n(&c->data_head, __ATOMIC_ACQUIRE);

	__atomic_store_n(&c->data_tail, head, __ATOMIC_RELEASE);
}

static volatile sig_atomic_t told_to_leave;

static void leave(int number)
{
	(void)number;
	told_to_leave = 1;
}

static int drain(struct perf *p)
{
	static struct pollfd set[CPUS_MAX];

	p->source.kind->poll_set(&p->source, set);
	while (!told_to_leave) {
		if (poll(set, p->source.rings, IDLE_MS) < 0 && errno != EINTR)
			return fail("poll", -errno);
		for (uint32_t i = 0; i < p->source.rings; i++)
			throw_away(&p->ring[i]);
	}
	return 0;
}

static int trace(void)
{
	static unsigned char block[ARENA_BYTES];
	static struct source_offer offer;
	struct source *source = NULL;
	const uint32_t page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	const struct sched_param lowest = { .sched_priority = 1 };
	struct arena arena;
	uint64_t bytes = 0;
	const char *problem;
	int error = mounts_private();

	if (error)
		return fail("mounts", error);
	problem = source_prepare(&offer);
	if (problem)
		return fail(problem, -ENOENT);
	error = ring_bytes(page_bytes, &bytes);
	if (error)
		return fail("ring size", error);
	arena_init(&arena, block, sizeof(block));
	error = perf_source.open(&source, &(struct source_wish){
		.arena = &arena, .offer = &offer, .cpus = source_cpus(),
		.cpus_most = source_cpus(),
		.page_bytes = page_bytes, .total_bytes = bytes,
		.threads = getppid() != 1 || proc_has_threads(),
	});
	while (!error && source->opening)
		error = perf_source.open_more(source);
	if (!error)
		error = perf_source.enable(source);
	if (error)
		return fail("perf", error);
	if (sched_setscheduler(0, SCHED_FIFO, &lowest) < 0)
		return fail("sched_setscheduler", -errno);
	signal(SIGTERM, leave);
	puts("ready");
	fflush(stdout);
	error = drain((struct perf *)source);
	source_end(source);
	return error;
}

/* What goes wrong stands on the console, where the bench looks for it. */
static int become_init(char *argv[])
{
	char answer[8];
	int ends[2];
	pid_t child;

	if (pipe(ends) < 0)
		return fail("pipe", -errno);
	child = fork();
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		return trace();
	}
	close(ends[1]);
	if (child < 0 || read(ends[0], answer, sizeof(answer)) <= 0)
		fputs("drain: no events\n", stderr);
	close(ends[0]);
	argv[0] = "/init";
	execv(argv[0], argv);
	return fail("/init", -errno);
}

int main(int argc, char *argv[])
{
	(void)argc;
	return getpid() == 1 ? become_init(argv) : trace();
}
