/* SPDX-License-Identifier: MIT */
/* How the tracer gets a CPU: see tracer.h, priority. */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"
#include "tracer/tracer.h"

/* The kernel's numbers of its policies; musl has no sched_setscheduler(). */
#define ORDINARY 0
#define FIFO 1

/* A rush is over after this many waits that left three quarters of every ring
 * empty: two seconds, if nothing happens. */
#define QUIET_WAITS 20

/* Makes a process (0: ourselves) real-time with this priority, or ordinary if
 * the priority is 0. */
static void priority_set(pid_t pid, int priority)
{
	const struct { int priority; } param = { priority };

	syscall(SYS_sched_setscheduler, pid, priority ? FIFO : ORDINARY,
		&param);
}

static int priority_of(pid_t pid)
{
	struct { int priority; } param = { 0 };

	syscall(SYS_sched_getparam, pid, &param);
	return param.priority;
}

/* Microseconds of each second; "-1": all of it. */
#define SHARE "/proc/sys/kernel/sched_rt_runtime_us"

void priority_take_all(char share[SHARE_BYTES])
{
	share[0] = '\0';
	if (readfile(SHARE, share, SHARE_BYTES) > 0)
		writefile(SHARE, "-1");
}

void priority_give_back(const char share[SHARE_BYTES])
{
	if (share[0])
		writefile(SHARE, share);
}

/* Without the right to be real-time, only nice is left. */
static void set_policy(int policy, int nice)
{
	setpriority(PRIO_PROCESS, 0, nice);
	priority_set(0, policy == FIFO ? 2 : 0);	/* the guard has 1 */
}

int preempts(const char *modes, const char *cmdline, const char *version)
{
	const char *const text = *modes ? modes : cmdline;

	return find_text(version, strlen(version), "PREEMPT") &&
	       !find_text(text, strlen(text), *modes ? "(none)" :
			  "preempt=none");
}

int kernel_preempts(const char *cmdline)
{
	struct utsname name;
	char modes[64];

	modes[0] = '\0';
	readfile("/sys/kernel/debug/sched/preempt", modes, sizeof(modes));
	return !uname(&name) && preempts(modes, cmdline, name.version);
}

void priority_wait(const struct priority *p)
{
	set_policy(p->preempts || p->rush ? FIFO : ORDINARY, -20);
}

void priority_begin(struct priority *p, const char *cmdline)
{
	p->preempts = kernel_preempts(cmdline);
	priority_wait(p);
}

void priority_write(int haste)
{
	if (haste)
		set_policy(FIFO, -20);
	else
		set_policy(ORDINARY, 0);
}

/* A ring wakes the tracer when the ring is an eighth full. If the tracer runs
 * in time, the ring holds little more. */
void priority_judge(struct priority *p, uint64_t used_bytes,
		    uint64_t ring_bytes)
{
	const uint32_t before = p->rush;

	if (used_bytes > ring_bytes / 2)
		p->rush = QUIET_WAITS;
	else if (p->rush && used_bytes < ring_bytes / 4)
		p->rush--;
	if (!p->rush != !before)
		priority_wait(p);
}

/* --- guard: a process that a reboot has to wait for */

/* Both may be pending at once. The kernel delivers the lower number first. */
#define REBOOTS SIGIO
#define WRITTEN SIGPWR
#define ENDS SIGSYS
_Static_assert(REBOOTS < WRITTEN, "a reboot is held, and then let go");

/* Priorities among real-time tasks: of the guard while it holds, and of what
 * then comes before it. The guard waits with the higher one: it must not come too
 * late because the tracer has the CPU, for the kernel gives real-time tasks only
 * a part of each second until the guard takes all of it. */
#define OURS 1
#define BEFORE_US 7

/* After a request that came to nothing, the next reboot is held after this
 * time. */
#define REST_MS 1000

#define WORKERS_MOST 512

/* Tasks that run before the guard, and the priority that each of them had. */
struct workers {
	uint32_t count;
	struct { pid_t pid; int priority; } of[WORKERS_MOST];
};

/* A kernel thread on the first CPU may do what the tracer waits for. (Once a
 * reboot has begun, no event can be opened any more, and the kernel ends such a
 * try with grace periods of RCU.) Process 2 is the parent of all kernel
 * threads: "14 (ksoftirqd/0) S 2 ". The first kernel threads belong to the
 * first CPU. */
static void see_worker(void *context, const char *pid)
{
	struct workers *w = context;
	const struct word digits = { pid, strlen(pid) };
	char path[32], stat[128];	/* a name has 64 at most */
	uint64_t number;
	const char *end;
	int priority;

	if (word_number(&digits, 10, &number))
		return;
	print_to(path, sizeof(path), "/proc/%s/stat", pid);
	stat[0] = '\0';		/* the task may have exited */
	readfile(path, stat, sizeof(stat));
	priority = priority_of((pid_t)number);
	end = past_last(stat, ')');
	if (end == stat || memcmp(end + 2, " 2 ", 3) ||
	    priority >= BEFORE_US || w->count == WORKERS_MOST)
		return;
	w->of[w->count].pid = (pid_t)number;
	w->of[w->count++].priority = priority;
	priority_set((pid_t)number, BEFORE_US);
}

/* Returns the signal that ended the hold, or -1: the time was over. */
static int hold(uint64_t most_ns)
{
	const uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + most_ns;
	struct workers w = { 0 };
	char share[SHARE_BYTES];
	int number;

	priority_take_all(share);
	priority_set(getppid(), BEFORE_US);
	proc_each_entry("/proc", see_worker, &w);
	priority_set(0, OURS);
	do {
		number = signals_take(signal_bit(WRITTEN) | signal_bit(ENDS));
	} while (number < 0 && clock_ns(CLOCK_MONOTONIC) < end_ns);
	priority_set(0, BEFORE_US);
	while (w.count--)
		priority_set(w.of[w.count].pid, w.of[w.count].priority);
	priority_give_back(share);
	return number;
}

/* Closes everything that the tracer has open. All signals are blocked, because
 * whoever ends the system sends signals to all processes. */
static void run_guard(pid_t tracer, uint64_t most_ns)
{
	const unsigned long first_cpu = 1;
	int number = 0;

	syscall(SYS_prctl, PR_SET_NAME, "memstrack-guard");
	syscall(SYS_prctl, PR_SET_PDEATHSIG, (long)ENDS);
	signals_block(~0ul);
	writefile("/proc/self/oom_score_adj", "-1000");
	syscall(SYS_close_range, 0, ~0u, 0);
	priority_set(0, BEFORE_US);
	/* The CPU may be offline, or may have been since the last time. */
	while (number != ENDS && getppid() == tracer &&
	       !syscall(SYS_sched_setaffinity, 0, sizeof(first_cpu),
			&first_cpu)) {
		number = signals_wait(signal_bit(REBOOTS) |
				      signal_bit(WRITTEN) | signal_bit(ENDS));
		if (number == REBOOTS)
			number = hold(most_ns);
		else if (number < 0)
			return;
		if (number == WRITTEN)
			poll(NULL, 0, REST_MS);
	}
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
	if (guard)
		kill(guard, ENDS);
}
