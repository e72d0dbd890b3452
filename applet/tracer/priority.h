/* SPDX-License-Identifier: MIT */
/*
 * How the tracer gets a CPU before its rings overflow.
 *
 * There are two ways to wait for the rings, and each is late where the other is
 * not:
 *   real time   SCHED_FIFO runs before every ordinary task. But a real-time
 *               task is woken on the CPU where it last ran (kernel/sched/rt.c,
 *               select_task_rq_rt(), 6.1). If the kernel does not preempt, the
 *               task waits there until the system call on this CPU has ended,
 *               even if other CPUs are idle.
 *   ordinary    SCHED_OTHER with nice -20 is woken on an idle CPU. If all CPUs
 *               are busy, it may wait until another task has used its time
 *               slice (3 ms since Linux 6.6).
 * On a kernel that preempts, the tracer is a real-time task. On another kernel
 * it is an ordinary task, and a real-time task in a rush. A rush begins when
 * the tracer was late, which means that all CPUs are busy. It ends when the
 * rings have been quiet for a while.
 */
#ifndef MEMSTRACK_PRIORITY_H
#define MEMSTRACK_PRIORITY_H

#include <stdint.h>
#include <sys/types.h>

struct priority {
	int preempts;		/* the kernel does */
	uint32_t rush;		/* quiet waits until the rush is over */
};

/* Can another task get the CPU before a system call has ended? The kernel's
 * version tells it (uname -v: PREEMPT, PREEMPT_DYNAMIC, PREEMPT_RT); the
 * configuration may not be readable. 0 also for a kernel that yields only at
 * certain points (CONFIG_PREEMPT_VOLUNTARY). */
int kernel_preempts(void);

void priority_begin(struct priority *p);

/* After a wait: so many bytes of the fullest ring were in use. */
void priority_judge(struct priority *p, uint64_t used_bytes,
		    uint64_t ring_bytes);

/* Called before a report is written. Normally the tracer writes it as an
 * ordinary task, because a serial console would keep the only CPU of a machine
 * for seconds. With `haste` it is a real-time task: a reboot must wait for such
 * a task, and when memory has run out, it may take pages of the kernel's
 * reserves. priority_wait() is called after the report. */
void priority_write(int haste);
void priority_wait(const struct priority *p);

/* A process, or us if it is 0, is real-time with this priority; ordinary if that
 * is 0. */
void priority_set(pid_t pid, int priority);
int priority_of(pid_t pid);

/* Real-time tasks get all of the CPU's time; then again the share that they
 * had. */
#define SHARE_BYTES 24
void priority_take_all(char share[SHARE_BYTES]);
void priority_give_back(const char share[SHARE_BYTES]);

#endif
