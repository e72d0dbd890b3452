/* SPDX-License-Identifier: MIT */
/*
 * tracer/guard.c. The guard sleeps until the signal of a reboot comes, keeps the
 * first CPU until it is told to let go or its time is over, leaves the kernel's
 * setting as it was, and ends with the tracer. It comes in time and then lets the
 * tracer run.
 *
 * The tracer is an ordinary task where the kernel does not preempt, a real-time one
 * after it was late, until the rings have been quiet; and always a real-time one
 * where the kernel preempts.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include "base/base.h"
#include "base/system.h"
#include "tracer/tracer.h"
#include "tap.h"

/* Of a file's first line, or nothing. */
static const char *text_of(const char *path, char text[256])
{
	if (readfile(path, text, 256) == -ENOENT)
		text[0] = '\0';
	return text;
}

/* R, S, Z; '-': there is no such process. */
static char state(pid_t pid)
{
	char path[32], text[256];
	const char *at;

	print_to(path, sizeof(path), "/proc/%d/stat", (int)pid);
	at = strrchr(text_of(path, text), ')');
	return at ? at[2] : '-';
}

/* It takes as long as it takes: a hang is found by who runs this. */
static int comes_to(pid_t pid, char wanted)
{
	while (state(pid) != wanted)
		usleep(1000);
	return 1;
}

/* Of the CPU, for real-time tasks. */
static const char *share(char text[256])
{
	return text_of("/proc/sys/kernel/sched_rt_runtime_us", text);
}

/* Among real-time tasks; the tracer has 2. */
static int priority(pid_t pid)
{
	struct { int priority; } param = { 0 };

	syscall(SYS_sched_getparam, pid, &param);
	return param.priority;
}

static void test_hold(void)
{
	char before[256], now[256];
	const pid_t guard = guard_begin(2, 600);

	tap_ok(guard > 0 && comes_to(guard, 'S'), "a guard sleeps");
	guard_let_go(guard);
	tap_ok(comes_to(guard, 'S'), "also when it is told to let go");
	tap_ok(priority(guard) > 2, "a busy tracer does not keep it waiting");
	share(before);
	kill(guard, SIGIO);
	tap_ok(comes_to(guard, 'R'), "at a reboot it runs");
	while (!strcmp(share(now), before))
		;
	tap_ok(!strcmp(now, "-1\n"), "and others get no part");
	while (priority(guard) >= 2)
		;
	tap_ok(priority(guard) == 1, "but the tracer runs before it");
	guard_let_go(guard);
	tap_ok(comes_to(guard, 'S'), "told to let go it sleeps again");
	tap_ok(priority(guard) > 2, "and is ready for the next reboot");
	tap_ok(!strcmp(before, share(now)), "and others get the part they had");
	kill(guard, SIGIO);
	comes_to(guard, 'R');
	guard_end(guard);
	tap_ok(comes_to(guard, 'Z'), "it ends, also if it holds a reboot");
	tap_ok(!strcmp(before, share(now)), "and leaves others their part");
}

static void test_time(void)
{
	const pid_t guard = guard_begin(2, 1);

	kill(guard, SIGIO);
	tap_ok(comes_to(guard, 'R') && comes_to(guard, 'S'),
	       "it lets go by itself when its time is over");
	guard_end(guard);
}

/* --- the tracer --- */

#define RING 4096u
#define LONG 1000u		/* waits, more than any rush has */

/* 0: an ordinary task, 1: SCHED_FIFO. */
static long policy(void)
{
	return syscall(SYS_sched_getscheduler, 0);
}

/* How many waits it takes that find so much until the policy is this one. */
static uint32_t waits_until(struct priority *p, uint64_t used_bytes,
			    long wanted)
{
	uint32_t waits = 0;

	for (; policy() != wanted && waits < LONG; waits++)
		priority_judge(p, used_bytes, RING);
	return waits;
}

static void test_preempts(void)
{
	static const char dynamic[] = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.1";

	tap_ok(preempts("none voluntary (full) \n", "", dynamic) &&
	       preempts("none (voluntary) full \n", "preempt=none", dynamic) &&
	       preempts("none voluntary full (lazy) \n", "", dynamic) &&
	       !preempts("(none) voluntary full \n", "preempt=full", dynamic),
	       "whether the kernel preempts: by the mode that runs");
	tap_ok(!preempts("", "quiet preempt=none ro", dynamic) &&
	       preempts("", "preempt=full", dynamic) && preempts("", "", dynamic),
	       "without debugfs by the command line");
	tap_ok(preempts("", "", "#1 SMP PREEMPT Tue") &&
	       preempts("", "", "#1 SMP PREEMPT_RT Tue") &&
	       !preempts("", "", "#1 SMP Debian 5.10"),
	       "and else by the name of the build");
}

static void test_rush(void)
{
	struct priority p = { .preempts = 0 };

	priority_wait(&p);
	tap_ok(policy() == 0 && getpriority(PRIO_PROCESS, 0) == -20 &&
	       waits_until(&p, RING / 2, 1) == LONG,
	       "without preemption it waits as an ordinary task, in time");
	tap_ok(waits_until(&p, RING / 2 + 1, 1) == 1 &&
	       waits_until(&p, RING / 4, 0) == LONG,
	       "late once, it is real-time, while a ring asks for it");
	priority_write(0);
	tap_ok(policy() == 0 && getpriority(PRIO_PROCESS, 0) == 0,
	       "it writes as any other task");
	priority_wait(&p);
	tap_ok(policy() == 1 && waits_until(&p, RING / 4 - 1, 0) == 20,
	       "and then waits as before; twenty quiet waits end the rush");
	priority_write(1);
	tap_ok(policy() == 1, "out of memory it writes in real time");
	priority_wait(&p);
	tap_ok(policy() == 0, "and then waits as an ordinary task again");
}

int main(void)
{
	struct priority p = { .preempts = 1 };

	priority_wait(&p);
	if (policy() != 1)
		tap_skip("needs the right to be a real-time task");
	tap_ok(waits_until(&p, RING, 0) == LONG && waits_until(&p, 0, 0) == LONG,
	       "with preemption it is a real-time task, late or not");
	test_preempts();
	test_rush();
	priority_write(0);
	tap_ok(!guard_begin(1, 600), "with one CPU there is none");
	tap_ok(!guard_begin(2, 0), "nor if nobody wants to wait");
	test_hold();
	test_time();
	return tap_plan_done();
}
