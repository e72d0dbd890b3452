/*
 * Get a CPU when a ring fills, by SCHED_FIFO's lowest priority: a tracer that
 * waits behind the load it watches loses its events. Not while it writes: a
 * serial console would keep the machine's only CPU for seconds.
 *
 * musl has no sched_setscheduler().
 */
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tracer/priority.h"

static int set_policy(long policy, int priority)
{
	const struct { int priority; } param = { priority };

	return (int)syscall(SYS_sched_setscheduler, 0, policy, &param);
}

void priority_raise(void)
{
	if (set_policy(SCHED_FIFO, 1))
		setpriority(PRIO_PROCESS, 0, -20);
}

void priority_lower(void)
{
	if (set_policy(SCHED_OTHER, 0))
		setpriority(PRIO_PROCESS, 0, 0);
}
