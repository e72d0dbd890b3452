/* SPDX-License-Identifier: MIT */
/* A process that a reboot has to wait for: see guard.h. */
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/print.h"
#include "base/readfile.h"
#include "base/system.h"
#include "source/proc/proc.h"
#include "tracer/guard.h"
#include "tracer/priority.h"

/* Several may be pending at once. The lowest number is taken first. */
#define REBOOTS SIGIO
#define WRITTEN SIGPWR
#define ENDS SIGSYS
_Static_assert(REBOOTS < WRITTEN && WRITTEN < ENDS,
	       "a reboot is held, and then let go");

/* Their priority among real-time tasks. Ours is 1. */
#define WORKERS 7

/* What the tracer waits for may be done by threads of the kernel on the first
 * CPU: these go before the guard, and then are ordinary tasks again. (Once a
 * reboot has begun, no event can be opened any more, and the kernel ends such a
 * try with grace periods of RCU.) Kernel threads are in process group 0. */
static void set_worker(void *context, const char *pid)
{
	static const char *const names[] = { "kworker/0:", "ksoftirqd/0",
					     "rcu" };
	const int from = *(const int *)context;
	const struct word digits = { pid, strlen(pid) };
	char path[32], name[32];
	uint64_t number;

	print_to(path, sizeof(path), "/proc/%s/comm", pid);
	if (word_number(&digits, 10, &number) || getpgid((pid_t)number) ||
	    priority_of((pid_t)number) != from ||
	    readfile(path, name, sizeof(name)) <= 0)
		return;
	for (unsigned int i = 0; i < ARRAY_LEN(names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			priority_set((pid_t)number, WORKERS - from);
}

/* Those with this priority get the other one. */
static void set_workers(int from)
{
	proc_each_entry("/proc", set_worker, &from);
}

/* The last signal, or -1. */
static int hold(uint64_t most_ns)
{
	const uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + most_ns;
	char share[SHARE_BYTES];
	int number;

	priority_take_all(share);
	set_workers(0);
	do {
		number = signals_take(signal_bit(WRITTEN) | signal_bit(ENDS));
	} while (number < 0 && clock_ns(CLOCK_MONOTONIC) < end_ns);
	set_workers(WORKERS);
	priority_give_back(share);
	return number;
}

/* On the first CPU only, with nothing of what the tracer has open. Who ends the
 * system sends SIGTERM to all. */
static void run_guard(pid_t tracer, uint64_t most_ns)
{
	const unsigned long first_cpu = 1;
	int number;

	syscall(SYS_prctl, PR_SET_NAME, "memstrack-guard");
	syscall(SYS_prctl, PR_SET_PDEATHSIG, ENDS);
	signals_block(signal_bit(SIGTERM));
	writefile("/proc/self/oom_score_adj", "-1000");
	syscall(SYS_close_range, 0, ~0u, 0);
	if (getppid() != tracer ||
	    syscall(SYS_sched_setaffinity, 0, sizeof(first_cpu), &first_cpu))
		return;
	priority_write(1);
	do {
		number = signals_wait(signal_bit(REBOOTS) |
				      signal_bit(WRITTEN) | signal_bit(ENDS));
		if (number == REBOOTS)
			number = hold(most_ns);
	} while (number != ENDS);
}

pid_t guard_begin(uint32_t cpus, uint32_t most_s)
{
	const pid_t tracer = getpid();
	pid_t guard;

	if (cpus < 2 || !most_s)
		return 0;
	signals_block(signal_bit(REBOOTS) | signal_bit(WRITTEN) |
		      signal_bit(ENDS));
	guard = system_fork();
	if (!guard) {
		run_guard(tracer, most_s * UINT64_C(1000000000));
		_exit(0);
	}
	return guard < 0 ? 0 : guard;
}

void guard_let_go(pid_t guard)
{
	if (guard)
		kill(guard, WRITTEN);
}

void guard_end(pid_t guard)
{
	if (guard && !kill(guard, ENDS))
		syscall(SYS_wait4, guard, NULL, 0, NULL);
}
