/* SPDX-License-Identifier: MIT */
/* How the tracer gets a CPU: see tracer.h, priority. */
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/system.h"
#include "tracer/tracer.h"

/* The kernel's numbers of its policies; musl has no sched_setscheduler(). */
#define ORDINARY 0
#define FIFO 1

/* A rush is over after this many waits that left three quarters of every ring
 * empty: two seconds, if nothing happens. */
#define QUIET_WAITS 20

void priority_set(pid_t pid, int priority)
{
	const struct { int priority; } param = { priority };

	syscall(SYS_sched_setscheduler, pid, priority ? FIFO : ORDINARY,
		&param);
}

int priority_of(pid_t pid)
{
	struct { int priority; } param = { 0 };

	syscall(SYS_sched_getparam, pid, &param);
	return param.priority;
}

/* Of each second; "-1": all of it. */
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

int kernel_preempts(void)
{
	struct utsname name;

	return !uname(&name) && find_text(name.version,
					   strlen(name.version), "PREEMPT");
}

void priority_wait(const struct priority *p)
{
	set_policy(p->preempts || p->rush ? FIFO : ORDINARY, -20);
}

void priority_begin(struct priority *p)
{
	p->preempts = kernel_preempts();
	priority_wait(p);
}

void priority_write(int haste)
{
	if (haste)
		set_policy(FIFO, -20);
	else
		set_policy(ORDINARY, 0);
}

/* A ring wakes the tracer when it is a quarter full. If the tracer comes in
 * time, the ring holds little more. */
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
