/* SPDX-License-Identifier: MIT */
/* What would save most: see parts.h, saves. */
#include <string.h>
#include "report/report.h"
#include "report/parts.h"

/* The smallest table of bounce buffers that a kernel makes by itself (512 slots
 * of 2 KiB: IO_TLB_MIN_SLABS), and what each CPU takes of it at least (128:
 * IO_TLB_SEGSIZE; the number of CPUs is rounded up to a power of two). */
#define SLOT_KIB 2u
#define SLOTS_LEAST 512u
#define SLOTS_A_CPU 128u
/* With fewer CPUs, one CPU saves less than their per-CPU memory. */
#define CPUS_LEAST 5u
#define LITTLE_KIB 1024u
#define LITTLE_SHARE 50
/* A module that holds less than this part of the need is not looked at. */
#define MODULE_SHARE 20

struct search {
	const struct report *r;
	const uint64_t *value;
	unsigned int found;
	struct saving *best;
};

/* What is needed by whatever moment then needs most. */
static uint64_t needed(const struct search *s,
		       const uint64_t less_kib[ADVICE_MOMENTS])
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < ADVICE_MOMENTS; i++) {
		uint64_t kib = advice_needed(s->value, i);

		if (kib == UNKNOWN)
			continue;
		kib -= smaller(kib, less_kib[i]);
		most = kib > most ? kib : most;
	}
	return most;
}

/* What a change takes from each moment that may need most. Keeps the largest
 * in order. */
static void offer(struct search *s, enum saves_what what, uint32_t row,
		  uint64_t of_kib, const uint64_t less_kib[ADVICE_MOMENTS])
{
	static const uint64_t nothing[ADVICE_MOMENTS];
	const struct saving new = {
		what, row, needed(s, nothing) - needed(s, less_kib), of_kib,
	};
	unsigned int at = s->found;

	if (!new.kib || (new.kib < LITTLE_KIB &&
			 new.kib < s->value[FIGURE_ADVICE_KIB] / LITTLE_SHARE))
		return;
	if (s->found < SAVES_MAX)
		s->found++;
	else if (s->best[--at].kib >= new.kib)
		return;
	for (; at && s->best[at - 1].kib < new.kib; at--)
		s->best[at] = s->best[at - 1];
	s->best[at] = new;
}

static uint64_t figure(const struct search *s, const char *name)
{
	return baseline_kib(s->r->ledger, name);
}

/* Of the rows `ram`. */
static uint64_t part(const struct search *s, enum ram_group group,
		     const char *name)
{
	return ram_rows_kib(&s->r->ledger->ram, group, name);
}

static uint64_t possible_cpus(const struct search *s)
{
	const uint64_t each = part(s, RAM_SUM, RAM_PERCPU_EACH);

	return each ? part(s, RAM_RESERVED, RAM_PERCPU) / each : 0;
}

/* So much less at the peak and while unpacking; for a tmpfs, the other one, which
 * is for rootfs alone where MemTotal does not change. */
static void offer_less(struct search *s, enum saves_what what, uint32_t row,
		       uint64_t of_kib, uint64_t kib, uint64_t rootfs_kib)
{
	offer(s, what, row, of_kib, (const uint64_t[ADVICE_MOMENTS]){
		[FOR_PEAK] = kib, [FOR_UNPACKING] = kib,
		[FOR_ROOTFS] = rootfs_kib,
		[FOR_TMPFS] = what == SAVES_ROOTFS || what == SAVES_CMA ? 0 :
			      rootfs_kib,
	});
}

/* What is allocated later for each CPU is not reserved, so rootfs does not gain
 * by it. */
static void offer_cpus(struct search *s)
{
	const uint64_t cpus = possible_cpus(s);
	const uint64_t first = part(s, RAM_RESERVED, RAM_PERCPU);
	const uint64_t all = first + part(s, RAM_BEFORE, RAM_PERCPU);

	if (cpus >= CPUS_LEAST)
		offer_less(s, SAVES_CPUS, 0, all, all - all / cpus,
			   first - first / cpus);
}

/* What rootfs needs more for so much. */
static uint64_t of_rootfs(const struct search *s, uint64_t kib)
{
	const struct ledger *l = s->r->ledger;

	return rootfs_needs_kib(l, s->r->session, kib) -
	       rootfs_needs_kib(l, s->r->session, 0);
}

/* What was freed since may have been files. */
static void offer_initramfs(struct search *s)
{
	const uint64_t files = figure(s, BASELINE_INITRAMFS);
	const uint64_t inodes = figure(s, BASELINE_FILES);
	const uint64_t all = files + figure(s, BASELINE_INODES);
	const uint64_t freed = session_kib(s->r->session,
					   s->r->ledger->total.before_frees);

	offer(s, SAVES_INITRAMFS, 0, files, (const uint64_t[ADVICE_MOMENTS]){
		[FOR_PEAK] = all - smaller(all, freed),
		[FOR_UNPACKING] = all + figure(s, BASELINE_INITRD),
		[FOR_ROOTFS] = of_rootfs(s, files > inodes ? files : inodes),
	});
}

/* For half of memory, rootfs needs its files twice; for 90 %, 10 / 9 times. It has
 * no more inodes by that. */
static void offer_rootfs(struct search *s)
{
	const struct ledger *l = s->r->ledger;
	const uint64_t needs = s->value[FIGURE_ROOTFS_KIB];
	const uint64_t fixed = rootfs_needs_kib(l, s->r->session, 0);
	const uint64_t files = needs - smaller(needs, fixed);
	const uint64_t inodes = 2 * baseline_kib(l, BASELINE_FILES);

	if (needs != UNKNOWN && rootfs_is_half(l))
		offer_less(s, SAVES_ROOTFS, 0, needs, 0,
			   smaller(files / 9 * 4,
				   files - smaller(files, inodes)));
}

static void offer_swiotlb(struct search *s)
{
	const uint64_t kib = part(s, RAM_RESERVED, RAM_SWIOTLB);
	const uint64_t cpus = smaller(possible_cpus(s), CPUS_MAX);
	uint32_t slots = SLOTS_LEAST;
	uint64_t less;

	while (slots < cpus * SLOTS_A_CPU)
		slots *= 2;
	less = kib - smaller(kib, slots * SLOT_KIB);
	offer_less(s, SAVES_SWIOTLB, slots, kib, less, less);
}

static void offer_nodes(struct search *s)
{
	const uint64_t all = part(s, RAM_RESERVED, RAM_NODES);
	const uint64_t less = all - smaller(all, part(s, RAM_SUM,
						      RAM_NODES_EACH));

	offer_less(s, SAVES_NODES, 0, all, less, less);
}

/* What can be saved as a whole. Rootfs does not have what is reserved either. */
static void offer_wholes(struct search *s)
{
	const uint64_t kernel = part(s, RAM_RESERVED, RAM_CRASHKERNEL);
	const uint64_t kfence = part(s, RAM_RESERVED, RAM_KFENCE);
	const uint64_t huge = figure(s, BASELINE_HUGE);
	const uint64_t kmem = part(s, RAM_SUM, RAM_KMEM);

	offer_less(s, SAVES_CRASHKERNEL, 0, kernel, kernel, kernel);
	offer_less(s, SAVES_KFENCE, 0, kfence, kfence, kfence);
	offer_less(s, SAVES_HUGE, 0, huge, huge, 0);
	offer_less(s, SAVES_KMEM, 0, kmem, kmem, 0);
}

/* The need has what is idle of CMA on top, whatever needs most. */
static void offer_cma(struct search *s)
{
	const uint64_t all = figure(s, BASELINE_CMA);

	offer_less(s, SAVES_CMA, 0, all,
		   smaller(session_kib(s->r->session,
				       s->r->ledger->cma_least_pages),
			   advice_idle_cma_kib(s->r)), all);
}

int saves_module(const struct ledger *l, const struct group *g, uint32_t row)
{
	return group_has(l, g, row) && !l->modules.row[row].in_use;
}

/* What a module holds for itself. */
static uint64_t own_kib(const struct search *s, uint32_t row)
{
	static const unsigned char own[] = {
		KIND_DRIVER, KIND_SLAB, KIND_NET, KIND_VMALLOC, KIND_MODULES,
		KIND_PERCPU,
	};
	uint64_t pages[KINDS], sum = 0;

	kinds_of_row(s->r->ledger, TABLE_MODULES, row, !is_oom(s->r), pages);
	for (unsigned int i = 0; i < ARRAY_LEN(own); i++)
		sum += pages[own[i]];
	return session_kib(s->r->session, sum);
}

static void offer_held(struct search *s, enum saves_what what, uint32_t row,
		       uint64_t of_kib, uint64_t kib)
{
	offer(s, what, row, of_kib,
	      (const uint64_t[ADVICE_MOMENTS]){ [FOR_PEAK] = kib });
}

static void offer_group(struct search *s, const struct group *g)
{
	uint64_t kib = 0;

	for (uint32_t i = 0; i < s->r->ledger->modules.used; i++)
		if (saves_module(s->r->ledger, g, i))
			kib += own_kib(s, i);
	offer_held(s, SAVES_MODULES, 0, kib, kib);
}

static void offer_modules(struct search *s, const struct group *g)
{
	const struct ledger *l = s->r->ledger;
	const uint64_t least_kib = s->value[FIGURE_NEED_KIB] / MODULE_SHARE;

	if (g->rows)
		offer_group(s, g);
	for (uint32_t i = MODULES_FIXED; i < l->modules.used; i++) {
		const struct module *m = &l->modules.row[i];
		uint64_t kib;

		if (!m->name[0] || m->in_use ||
		    (g->rows && group_has(l, g, i)) ||
		    session_kib(s->r->session, m->held_peak) < least_kib)
			continue;
		kib = own_kib(s, i);
		if (kib >= least_kib)
			offer_held(s, SAVES_MODULE, i, kib, kib);
	}
}

/* All that have this name, but for one. */
static void offer_tasks(struct search *s, enum saves_what what,
			const char *name)
{
	const struct ledger *l = s->r->ledger;
	uint64_t pages[KINDS], held, stays, sum = 0, most = 0;

	for (uint32_t i = TASKS_FIXED; i < l->tasks.used; i++) {
		const struct task *t = &l->tasks.row[i];

		if (strcmp(t->comm, name) != 0)
			continue;
		kinds_of_row(l, TABLE_TASKS, i, 0, pages);
		held = count_when(&t->pages, l->epoch, !is_oom(s->r));
		stays = t->pages.now - pages[KIND_ANON] - pages[KIND_TABLES];
		held -= smaller(held, stays);
		sum += held;
		most = held > most ? held : most;
	}
	offer_held(s, what, 0, session_kib(s->r->session, sum),
		   session_kib(s->r->session, sum - most));
}

/* udev names its workers so since systemd 251. */
#define UDEV_WORKER "(udev-worker)"

/* Until functions are known, pages of files look like all others. */
static void offer_kinds(struct search *s, const struct verdict *v)
{
	const struct group *g = &v->group[TABLE_TASKS];
	const char *name = row_name(s->r->ledger, TABLE_TASKS, g->row);

	if (!s->r->ledger->kinds.known)
		return;
	offer_modules(s, &v->group[TABLE_MODULES]);
	offer_tasks(s, SAVES_WORKERS, UDEV_WORKER);
	if (g->rows && strcmp(name, UDEV_WORKER) != 0)
		offer_tasks(s, SAVES_TASKS, name);
}

unsigned int saves_get(const struct report *r, const struct verdict *v,
		       const uint64_t value[FIGURES],
		       struct saving best[SAVES_MAX])
{
	struct search s = {
		.r = r, .value = value, .best = best,
	};

	if (!r->ledger->memory_sampled || r->ledger->total.lost ||
	    value[FIGURE_ADVICE_KIB] == UNKNOWN)
		return 0;
	offer_initramfs(&s);
	offer_cpus(&s);
	offer_swiotlb(&s);
	offer_wholes(&s);
	offer_rootfs(&s);
	offer_nodes(&s);
	offer_cma(&s);
	offer_kinds(&s, v);
	return s.found;
}
