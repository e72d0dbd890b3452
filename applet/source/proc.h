/*
 * What /proc and /sys tell at the start and along the way: RAM, CPUs, tasks
 * that already run, modules and where their text lies.
 *
 * Sources: Documentation/filesystems/proc.rst, Documentation/ABI/testing/
 * sysfs-module; /sys/module/NAME/sections since 2.6.
 */
#ifndef MEMSTRACK_PROC_H
#define MEMSTRACK_PROC_H

#include "event.h"
#include "session.h"

/* Where events go that a source makes: the tracer's ledger and recorder. */
struct event_out {
	void (*event)(struct event_out *o, const struct event *e);
};

/* "System RAM" of /proc/iomem, in pages. 0; -ENODATA: no such range, or
 * zeroes, as those who are not root are shown; or -errno. */
int proc_ram(struct ram *ram, uint32_t page_size);
int iomem_line(struct ram *ram, const char *line, size_t len,
	       uint32_t page_size);

/* A list like "0-3,8,10-11". Calls set() for each CPU below CPUS_MAX; returns
 * how many, or -EINVAL. */
int cpu_list(const char *text, size_t len, void (*set)(void *ctx, uint32_t cpu),
	     void *ctx);

/* The same for the CPUs that are online; without sysfs that is CPU 0. */
int proc_cpus(void (*set)(void *ctx, uint32_t cpu), void *ctx);

/* One EVENT_TASK each for the processes that run. 0 or -errno. */
int proc_tasks(struct event_out *out, uint64_t time_ns);
/* The text of /proc/PID/stat. 0 or -EINVAL. */
int stat_line(const char *text, size_t len, struct event *e);

/* EVENT_MODULE_RANGE for every module that is loaded. -ENOENT: the kernel has
 * no modules. */
int proc_modules(struct event_out *out, uint64_t time_ns);

/* EVENT_MODULE_RANGE for the core and init text of one module. -ENOENT: it is
 * gone already, or sysfs is. */
int module_ranges(struct event_out *out, const char *name, uint64_t time_ns);

#endif
