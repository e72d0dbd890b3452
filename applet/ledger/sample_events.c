/* SPDX-License-Identifier: MIT */
/* Samples of tasks, modules, caches and kinds: see events.h, sample events. */
#include <string.h>
#include "ledger/events.h"

int sample_begin(struct ledger *l)
{
	const struct totals *n = &l->total;

	if (!n->allocs && !n->frees && !n->failed_allocs && !n->outside_ram)
		l->samples.on = 1;
	return is_sampled(l);
}

static uint32_t bounded(uint64_t pages)
{
	return pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX;
}

/* `peak`: a peak from another source; 0: there is none. */
static void set_count(struct ledger *l, struct count *c, uint32_t pages,
		      uint32_t peak)
{
	count_keep(c, l->epoch);
	c->now = pages;
	if (c->peak < peak)
		c->peak = peak;
	if (c->peak < pages)
		c->peak = pages;
}

int sample_task(struct ledger *l, const struct event *e)
{
	struct task *k;

	if (!sample_begin(l) || task_comm(l, e) < 0)
		return -1;
	k = &l->tasks.row[tasks_find(&l->tasks, e->tid)];
	k = &l->tasks.row[k->process];
	k->parent_tgid = e->parent_tgid;
	k->pass = l->samples.pass + 1;
	l->samples.tasks++;
	set_count(l, &k->pages, bounded(e->rss_pages), bounded(e->pages));
	held_most(&k->held_peak, k->pages.peak);
	return 1;
}

int sample_module(struct ledger *l, const struct event *e)
{
	struct module *m;
	uint32_t row;

	if (!sample_begin(l))
		return -1;
	row = module_named(l, e);
	if (row == MODULE_OTHER)
		return -1;
	m = &l->modules.row[row];
	m->pass = l->samples.pass + 1;
	set_count(l, &m->pages, bounded(e->pages), 0);
	held_most(&m->held_peak, module_holds(m));
	return 1;
}

/* If the table is full, the new cache replaces the cache with the smallest
 * peak, if it has more pages than that. */
int sample_cache(struct ledger *l, const struct event *e)
{
	struct samples *s = &l->samples;
	struct cache_row *row = s->cache, *least = row;

	if (!sample_begin(l))
		return -1;
	for (; row < s->cache + s->caches; row++) {
		if (!strncmp(row->name, e->name, sizeof(row->name) - 1))
			break;
		if (row->pages.peak < least->pages.peak)
			least = row;
	}
	if (row == s->cache + CACHES_MAX) {
		if (least->pages.peak >= e->pages)
			return 0;
		row = least;
		*row = (struct cache_row){ .pages.epoch = l->epoch };
	}
	s->caches += row == s->cache + s->caches;
	memcpy(row->name, e->name, sizeof(row->name) - 1);
	set_count(l, &row->pages, bounded(e->pages), 0);
	return 1;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* The images of all modules of this pass, in pages. */
static uint64_t images(const struct ledger *l)
{
	uint64_t pages = 0;

	for (uint32_t i = MODULES_FIXED; i < l->modules.used; i++)
		if (l->modules.row[i].pass == l->samples.pass + 1)
			pages += l->modules.row[i].pages.now;
	return pages;
}

/* Cached includes Shmem. Kernel stacks and images of modules are areas of
 * vmalloc, unless the kernel allocates them elsewhere: then VmallocUsed may be
 * smaller than their sum. */
static void set_kinds(struct ledger *l, uint64_t used)
{
	const uint32_t *const from = l->samples.meminfo;
	uint64_t pages[KINDS] = {
		[KIND_ANON] = from[MEMINFO_ANON],
		[KIND_CACHE] = less((uint64_t)from[MEMINFO_CACHED] +
				    from[MEMINFO_BUFFERS] +
				    from[MEMINFO_SWAP_CACHED],
				    from[MEMINFO_SHMEM]),
		[KIND_TMPFS] = from[MEMINFO_SHMEM],
		[KIND_SLAB] = from[MEMINFO_SLAB],
		[KIND_TABLES] = (uint64_t)from[MEMINFO_TABLES] +
				from[MEMINFO_TABLES_KVM],
		[KIND_STACKS] = from[MEMINFO_STACKS],
		[KIND_HUGE] = from[MEMINFO_HUGE],
		[KIND_VMALLOC] = less(from[MEMINFO_VMALLOC],
				      from[MEMINFO_STACKS]),
		[KIND_MODULES] = images(l),
		[KIND_PERCPU] = from[MEMINFO_PERCPU],
	};

	if (pages[KIND_MODULES] > pages[KIND_VMALLOC])
		pages[KIND_MODULES] = pages[KIND_VMALLOC];
	pages[KIND_VMALLOC] -= pages[KIND_MODULES];
	pages[KIND_OTHER] = used;
	for (unsigned int i = KIND_OTHER + 1; i < KINDS; i++)
		pages[KIND_OTHER] = less(pages[KIND_OTHER], pages[i]);
	for (unsigned int i = 0; i < KINDS; i++) {
		set_count(l, &l->samples.kind[i], bounded(pages[i]), 0);
		if (!l->samples.pass)
			l->samples.kind_start[i] = bounded(pages[i]);
	}
}

/* When memory has run out, a pass leaves out the tasks. */
static void end_tasks(struct ledger *l)
{
	if (!l->samples.tasks)
		return;
	l->samples.tasks = 0;
	for (uint32_t i = TASKS_FIXED; i < l->tasks.used; i++) {
		struct task *k = &l->tasks.row[i];

		if (k->process != i || k->state != TASK_LIVE ||
		    k->pass == l->samples.pass)
			continue;
		set_count(l, &k->pages, 0, 0);
		task_exit_row(l, i);
	}
}

static void end_modules(struct ledger *l)
{
	for (uint32_t i = MODULES_FIXED; i < l->modules.used; i++) {
		struct module *m = &l->modules.row[i];

		if (m->state != MODULE_LIVE || m->pass == l->samples.pass)
			continue;
		set_count(l, &m->pages, 0, 0);
		modules_end(&l->modules, i, MODULE_GONE);
	}
}

static void count_kills(struct samples *s, uint64_t kills)
{
	if (!s->kills_counted)
		s->kills_start = kills;
	s->kills_counted = 1;
	s->kills = kills;
}

int sample_kind(struct ledger *l, const struct event *e)
{
	unsigned int i = 0;

	if (!sample_begin(l))
		return -1;
	if (e->flags & EVENT_PASS_END) {
		set_kinds(l, e->pages);
		l->samples.pass++;
		end_tasks(l);
		end_modules(l);
		return 1;
	}
	if (!strcmp(e->name, SAMPLED_KILLS)) {
		count_kills(&l->samples, e->pages);
		return 1;
	}
	while (i < MEMINFO_LINES && strcmp(e->name, meminfo_sampled[i]))
		i++;
	if (i == MEMINFO_LINES)
		return 0;
	l->samples.meminfo[i] = bounded(e->pages);
	return 1;
}
