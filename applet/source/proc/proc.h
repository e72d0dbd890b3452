/* SPDX-License-Identifier: MIT */
/*
 * What /proc and /sys tell at the start and later: RAM, CPUs, the tasks that
 * run already, modules and where their text lies.
 *
 * Sources: Documentation/filesystems/proc.rst, Documentation/ABI/testing/
 * sysfs-module; /sys/module/NAME/sections since 2.6.
 */
#ifndef MEMSTRACK_PROC_H
#define MEMSTRACK_PROC_H

#include "base/readfile.h"
#include "source/event.h"
#include "source/session.h"

/* "System RAM" of /proc/iomem, in pages. 0; -ENODATA: no such range, or only
 * zeroes, which the kernel shows to users other than root; or -errno. */
int proc_ram(struct ram *ram, uint32_t page_size);
/* Is this how the file names RAM? */
int ram_name(const struct word *name);
int iomem_line(struct ram *ram, const char *line, size_t len,
	       uint32_t page_size);

/* Which CPUs are online. */
#define CPUS_ONLINE "/sys/devices/system/cpu/online"
/* A list like "0-3,8,10-11". Calls set() for each CPU below CPUS_MAX. Returns
 * the number of CPUs, or -EINVAL. */
int cpu_list(const char *text, size_t len, void (*set)(void *ctx, uint32_t cpu),
	     void *ctx);

/* The same for the CPUs that are online; without sysfs that is CPU 0. */
int proc_cpus(void (*set)(void *ctx, uint32_t cpu), void *ctx);
/* The same from the open file. */
void proc_cpus_again(int fd, void (*set)(void *ctx, uint32_t cpu), void *ctx);

/* How many CPUs may ever be there; 0: not known. */
uint32_t proc_possible_cpus(void);

/* Calls take() for each name in a directory. 0 or -errno. */
int proc_each_entry(const char *path,
		    void (*take)(void *context, const char *name),
		    void *context);

/* One EVENT_TASK for each process that runs. 0 or -errno. */
int proc_tasks(struct event_out *out, uint64_t time_ns);
/* EVENT_FORK for each thread but a process's first. 0 or -errno. */
int proc_threads(struct event_out *out, uint64_t time_ns);
/* Some process has several threads, or not all processes can be seen. */
int proc_has_threads(void);
/* The text of /proc/PID/stat. 0 or -EINVAL. */
int stat_line(const char *text, size_t len, struct event *e);

/* EVENT_MODULE_RANGE for every loaded module. -ENOENT: the kernel has no
 * modules. */
int proc_modules(struct event_out *out, uint64_t time_ns);

/* EVENT_MODULE_RANGE for the core and init text of the module that `e` names; e
 * is overwritten. -ENOENT: the module is gone already, or there is no sysfs. */
int module_ranges(struct event_out *out, struct event *e);

/* How addresses are shown to us. */
enum addresses {
	ADDRESSES_UNKNOWN, ADDRESSES_HIDDEN, ADDRESSES_HASHED, ADDRESSES_PLAIN,
};

/* EVENT_AREA_SEEN for every area of vmalloc, then EVENT_AREAS_SEEN. *shown is
 * how addresses were shown before, if at all, and are now. 0; -EPERM: they are
 * hidden; -ESTALE: they are shown in another way than before, so known areas
 * cannot be found again; or -errno. */
int proc_vmallocinfo(struct event_out *out, uint64_t time_ns,
		     enum addresses *shown);
/* One line of it. -EINVAL: not a line with pages; -EPERM: no address. */
int vmallocinfo_line(const char *line, size_t len, struct event *e);

/* EVENT_FIGURE for what /proc/meminfo says now (`boot`: nothing has run yet),
 * and for what the kernel logged at boot; EVENT_UNPACK if that says so. rootfs:
 * see rootfs.h. */
void proc_baseline(struct event_out *out, uint64_t time_ns, int boot);
struct ram_reader;
/* `ram` gets the lines too, if it is not NULL. */
void kmsg_baseline(struct event_out *out, uint64_t time_ns, const char *rootfs,
		   struct ram_reader *ram);
/* "Slab:   15560 kB": a name and a number of KiB. 0 or -EINVAL. */
int meminfo_kib(const char *line, size_t len, struct word *name,
		uint64_t *kib);
/* The same in an event: 0, or -EINVAL if we do not use it. */
int meminfo_line(const char *line, size_t len, struct event *e);
/* 0, or -EINVAL for an impossibly large value. */
int baseline_figure(struct event *e, const struct word *name, uint64_t kib);

/* From the open /proc/meminfo, in KiB. */
struct available {
	int known;		/* MemAvailable is there (since 3.14) */
	uint64_t kib;		/* MemAvailable and SwapFree: may still be had
				 * without a kill */
	uint64_t slab_kib;	/* slab that counts as reclaimable */
	uint64_t file_kib;	/* pages of files, but for those of tmpfs: */
	uint64_t busy_kib;	/* of these mapped, or not written yet */
	uint64_t anon_kib, shmem_kib, all_slab_kib;
	uint64_t swap_kib, all_swap_kib;	/* free swap, and all */
	uint64_t huge, huge_free;	/* huge pages of the usual size */
	uint64_t huge_owed;		/* free, but promised to a mapping */
	uint64_t huge_kib;		/* of one */
	uint64_t all_huge_kib;		/* of any size (since 4.15) */
};

void proc_available(int meminfo_fd, struct available *a);
/* EVENT_AVAILABLE, from the same; EVENT_FIGURE of BASELINE_HUGE; EVENT_KEPT of
 * huge pages; and of swap, if there is some: what memory holds compressed is in
 * /proc/zoneinfo. A page of a file can be given back if it is
 * clean and nobody has mapped it: without the mapped ones programs that run
 * would read their code again and again. Slab that shrinks is not counted: what
 * it gives comes late, or not at all. */
void proc_tell_available(int meminfo_fd, int zoneinfo_fd,
			 struct event_out *out, uint64_t time_ns,
			 uint32_t page_size);
/* EVENT_MEMORY with EVENT_PCP, from /proc/zoneinfo; nothing if the descriptor
 * is -1. */
void proc_pcp(struct event_out *out, uint64_t time_ns, int zoneinfo_fd);
/* "  present  32768": a name and a number of pages. 0 or -EINVAL. */
int counter_line(const char *line, size_t len, struct word *name,
		 uint64_t *pages);
/* Pages of one line of /proc/zoneinfo. */
uint64_t zoneinfo_line(const char *line, size_t len);

/* All free pages, those on per-CPU lists included; 0: not known. */
uint64_t proc_free_pages(void);
/* EVENT_BLOCKS, for so many pages. */
void proc_blocks(struct event_out *out, uint64_t time_ns, uint64_t pages);
/* Pages of one line of /proc/buddyinfo, and those of its largest block. */
uint64_t buddyinfo_line(const char *line, size_t len, uint64_t *largest);

#endif
