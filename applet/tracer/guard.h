/* SPDX-License-Identifier: MIT */
/*
 * Holds a reboot until the report is written.
 *
 * A kernel with one CPU reboots when the tracer, a real-time task, lets it.
 * With several CPUs the tracer runs on one and the reboot on another, and the
 * reboot is through first. But after it has shut down all devices, each reboot
 * goes to one CPU: the first, unless the parameter reboot= names another one
 * (kernel/reboot.c, migrate_to_reboot_cpu()). The guard is a small process,
 * real-time and bound to the first CPU. perf's event of a reboot sends it
 * SIGIO, before the reboot can get there. Then it keeps this CPU busy until the
 * tracer says that the report is written, but no longer than asked. Meanwhile
 * the kernel keeps no part of each second for other tasks
 * (kernel.sched_rt_runtime_us). Since 6.12 it keeps 50 ms nevertheless, so a
 * reboot may come through after a second. A kernel that does not preempt
 * (PREEMPT_NONE) is held only if the reboot was asked for on another CPU.
 *
 * Costs a process that sleeps, some 60 KiB of the kernel's memory; nothing with
 * one CPU, and nothing where perf does not trace.
 */
#ifndef MEMSTRACK_GUARD_H
#define MEMSTRACK_GUARD_H

#include <stdint.h>
#include <sys/types.h>

/* Begun before the tracer takes memory, which the guard would share. 0: none is
 * needed, or none could be had. It holds a reboot for most_s seconds. */
pid_t guard_begin(uint32_t cpus, uint32_t most_s);
/* The report is written, or nobody reboots. */
void guard_let_go(pid_t guard);
/* It ends soon; who is its parent then takes its exit status. */
void guard_end(pid_t guard);

#endif
