/* SPDX-License-Identifier: MIT */
/*
 * tracer/guard.c: an ordinary task where the kernel does not preempt, a
 * real-time one after it was late, until the rings have been quiet; and always
 * a real-time one where the kernel preempts.
 */
#include <sys/resource.h>
#include <sys/syscall.h>
#include "tap.h"
#include "tracer/tracer.h"

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

static void test_preempts(void)
{
	struct priority p = { .preempts = 1 };

	priority_wait(&p);
	tap_ok(policy() == 1 && waits_until(&p, RING, 0) == LONG &&
	       waits_until(&p, 0, 0) == LONG,
	       "with preemption it is a real-time task, late or not");
}

int main(void)
{
	struct priority p = { .preempts = 1 };

	priority_wait(&p);
	if (policy() != 1)
		tap_skip("needs the right to be a real-time task");
	test_rush();
	test_preempts();
	priority_write(0);
	return tap_plan_done();
}
