/* SPDX-License-Identifier: MIT */
/*
 * What would save most of the memory that the advice says is needed: figures
 * that were measured, each with what to change. A saving is by how much the
 * need falls: only as far as no other moment (advice.h) then needs more.
 *
 *	module		what it held for itself at the peak: no files, no pages
 *			of programs, because these would be elsewhere then. None
 *			that is in use (source/proc/in_use.h)
 *	modules		the same of the group of modules that stands out
 *			(verdict.h); then none of them is told alone
 *	initramfs	the files of rootfs, with their inodes and names; twice
 *			the files if the advice is for rootfs; and the
 *			compressed image while it is unpacked. This is the most
 *			that a smaller one can save
 *	nr_cpus		per-CPU memory of all CPUs but one. At least so much is
 *			saved: slab, stacks of threads and irqs of each CPU come
 *			on top. On x86 the table of per-CPU objects of memory
 *			cgroups then has 4.2 MiB, since a unit is 2 MiB divided
 *			by the CPUs (mm/percpu.c: pcpu_build_alloc_info), two
 *			bytes of table for each byte; now it has a half or less.
 *			So this is told of five CPUs or more: with fewer of them
 *			less may be saved, or nothing. Measured on 6.1, 6.12 and
 *			7.2 with 2 to 16 CPUs
 *	swiotlb		bounce buffers but for the smallest table
 *	crashkernel	what is reserved for a dump; the most that a smaller
 *			one can save
 *	hugepages	huge pages that nobody used at any look, the most that
 *			fewer of them can save. They are taken before the
 *			initramfs is unpacked, but after rootfs has its limit
 *	numa=off	what describes the nodes, but for one; at least so much:
 *			caches and threads of each node come on top
 *	kfence		its pool
 *	cgroup.memory=nokmem	the table of per-CPU objects (nr_cpus, above)
 *	initramfs_options=	what rootfs needs less for the same files if it
 *			may hold 90 % instead of half
 *	udev.children-max=	what workers of udev held at the peak, but for
 *			the largest of them. Kinds of memory are only known of
 *			now, so of each this is what it held but for what is no
 *			anonymous memory and no page table now: the most that
 *			can be saved
 *	tasks		the same of the group of tasks that stands out
 *	cma=		memory of CMA that was free at every look: only movable
 *			pages may use it
 */
#ifndef MEMSTRACK_SAVES_H
#define MEMSTRACK_SAVES_H

#include "report/sheet.h"

struct group;
struct verdict;

#define SAVES_MAX 3

enum saves_what {
	SAVES_MODULE, SAVES_INITRAMFS, SAVES_CPUS, SAVES_SWIOTLB,
	SAVES_CRASHKERNEL, SAVES_HUGE, SAVES_NODES, SAVES_KFENCE, SAVES_CMA,
	SAVES_KMEM, SAVES_ROOTFS, SAVES_WORKERS, SAVES_MODULES, SAVES_TASKS,
};

struct saving {
	enum saves_what what;
	uint32_t row;		/* of the module; of swiotlb, the slots left */
	uint64_t kib, of_kib;	/* saved, of what is held now */
};

/* The largest first, none below a 50th of the advised memory, or 1 MiB if that
 * is less. Returns how many; 0 if there is no advice. The groups are of *v. */
unsigned int saves_get(const struct report *r, const struct verdict *v,
		       const uint64_t value[FIGURES],
		       struct saving best[SAVES_MAX]);
/* May this module of the group be left out? */
int saves_module(const struct ledger *l, const struct group *g, uint32_t row);

/* Lines of a report. */
void saves_text(struct sheet *s, const struct verdict *verdict);
void saves_json(struct sheet *s);
/* What holds most of the initramfs. */
void initramfs_json(struct sheet *s);

#endif
