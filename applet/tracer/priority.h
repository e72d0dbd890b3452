/*
 * How the tracer gets a CPU before its rings overflow.
 *
 * There are two ways to wait for the rings, and each is late where the other is
 * not:
 *   real time   SCHED_FIFO runs before every ordinary task. But a real-time task
 *               is woken on the CPU where it last ran (kernel/sched/rt.c,
 *               select_task_rq_rt(), 6.1). If the kernel does not preempt, it
 *               waits there until the system call has ended that keeps this
 *               CPU, even if other CPUs are idle.
 *   ordinary    SCHED_OTHER with nice -20 is woken on an idle CPU. If all CPUs
 *               are busy, it may wait until another task has used its time
 *               slice (3 ms since Linux 6.6).
 * A kernel that preempts gets a real-time tracer. On another one the tracer is an
 * ordinary task, and a real-time one in a rush: from when it was late, which
 * says that all CPUs are busy, until the rings have been quiet for a while.
 */
#ifndef MEMSTRACK_PRIORITY_H
#define MEMSTRACK_PRIORITY_H

#include <stdint.h>

struct priority {
	int preempts;		/* the kernel does */
	uint32_t rush;		/* quiet waits until the rush is over */
};

/* Does another task get the CPU before a system call has ended? The kernel's
 * version tells it (uname -v: PREEMPT, PREEMPT_DYNAMIC, PREEMPT_RT), because its
 * configuration may be nowhere to be read. 0 also for a kernel that yields at
 * certain points only (CONFIG_PREEMPT_VOLUNTARY). */
int kernel_preempts(void);

void priority_begin(struct priority *p);

/* After a wait: so many bytes of the fullest ring were in use. */
void priority_judge(struct priority *p, uint64_t used_bytes,
		    uint64_t ring_bytes);

/* The tracer writes a report: as any other task, because a serial console would
 * keep the only CPU of a machine for seconds. Or in real time, with all haste: a
 * reboot must wait for it; if memory has run out, a real-time task may take pages
 * of the kernel's reserves. Then it waits again. */
void priority_write(int haste);
void priority_wait(const struct priority *p);

#endif
