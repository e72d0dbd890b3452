/* SPDX-License-Identifier: MIT */
/* Applies one event to the books: see events.h, apply. */
#include <string.h>
#include "ledger/events.h"
#include "ledger/ledger.h"

static int apply_memory(struct ledger *l, const struct event *e)
{
	struct moment *point;

	if (e->flags & EVENT_PCP) {
		l->pcp_now_pages = e->free_pages;
		if (!l->pcp_sampled)
			l->pcp_start_pages = e->free_pages;
		l->pcp_sampled = 1;
		return 1;
	}
	if (!l->memory_sampled) {
		l->free_start_pages = e->free_pages;
		l->free_lowest_pages = UINT64_MAX;
		l->memory_sampled = 1;
		/* Nothing was allocated yet: the peaks are now. */
		if (!l->traced.peak)
			l->peak_ns = l->last_ns;
		if (!l->used_peak_pages)
			l->used_peak_ns = l->last_ns;
		l->kdump = (e->flags & EVENT_KDUMP) != 0;
	}
	l->free_now_pages = e->free_pages;
	growth_sampled(l);
	if (e->free_pages < l->free_lowest_pages) {
		l->free_lowest_pages = e->free_pages;
		l->free_lowest_ns = e->time_ns;
		l->growth.lowest_pages = l->growth.pages;
	}
	if (l->timeline.points == TIMELINE_POINTS)
		history_thin_out(&l->history, TIMELINE_POINTS);
	point = timeline_point(&l->timeline, e->time_ns);
	if (!point)
		return 1;
	snapshot_now(l, point);
	history_point(&l->history, l->timeline.points - 1, &l->modules,
		      &l->tasks);
	return 1;
}

static int grows(const char *name)
{
	return !strcmp(name, BASELINE_ROOTFS_FILES) ||
	       !strcmp(name, BASELINE_TMPFS);
}

/* If a figure is repeated, the largest value of rootfs files and tmpfs limit
 * counts, of all others the least. Unused huge pages come again and again, but
 * only the first value is from before tracing. */
static int apply_figure(struct ledger *l, const struct event *e)
{
	struct figure_kib *f = l->figure, *end = f + l->figures;

	while (f < end && strncmp(f->name, e->name, FIGURE_NAME_BYTES - 1))
		f++;
	if (f == l->figure + FIGURES_MAX)
		return -1;
	if (f == end && (!e->size || l->need.known) &&
	    !strcmp(e->name, BASELINE_HUGE))
		return 0;
	if (f == end || (e->size / 1024 > f->kib) == grows(e->name))
		f->kib = e->size / 1024;
	l->figures += f == end;
	memcpy(f->name, e->name, FIGURE_NAME_BYTES - 1);
	return 1;
}

static int apply_source(struct ledger *l, const struct event *e)
{
	memcpy(l->source, e->name, sizeof(l->source) - 1);
	if (!strcmp(l->source, SOURCE_SAMPLED_NAME))
		sample_begin(l);
	return 1;
}

static int apply_unpack(struct ledger *l, const struct event *e)
{
	if (e->flags & EVENT_CUT) {
		memcpy(l->unpack.file, e->name, sizeof(l->unpack.file) - 1);
		l->unpack.cut_bytes = e->size;
		l->unpack.inodes = e->pages;
		return 1;
	}
	memcpy(l->unpack.error, e->name, sizeof(l->unpack.error) - 1);
	l->unpack.bytes = e->size;
	l->unpack.limit_pages = e->pages;
	return 1;
}

static int apply_initramfs(struct ledger *l, const struct event *e)
{
	struct initramfs_row *row = &l->initramfs[l->initramfs_rows];

	if (l->initramfs_rows == INITRAMFS_PARTS)
		return -1;
	l->initramfs_rows++;
	memcpy(row->name, e->name, sizeof(row->name) - 1);
	row->bytes = e->size;
	return 1;
}

/* since_ns stays as long as the mount is full in each look. */
static int apply_full(struct ledger *l, const struct event *e)
{
	struct full *f = &l->full;
	struct full_mount *m = f->mount;

	if (!e->name[0]) {
		f->look_ns = e->time_ns;
		f->more = f->more_now;
		f->more_now = 0;
		return 1;
	}
	while (m < f->mount + f->mounts && strcmp(m->name, e->name))
		m++;
	if (m == f->mount + FULL_MOUNTS) {
		f->more_now++;
		return 1;
	}
	if (m == f->mount + f->mounts)
		f->mounts++;
	if (!m->name[0] || m->last_ns != f->look_ns)
		m->since_ns = e->time_ns;
	memcpy(m->name, e->name, sizeof(m->name) - 1);
	m->last_ns = e->time_ns;
	m->size_bytes = e->size;
	m->pages = e->pages;
	m->inodes = e->objects;
	m->unseen_pages = e->lost;
	return 1;
}

static int apply_in_use(struct ledger *l, const struct event *e)
{
	const uint32_t row = modules_find(&l->modules, e->name);

	if (row)
		l->modules.row[row].in_use = 1;
	return row != 0;
}

static int apply_before_init(struct ledger *l, const struct event *e)
{
	struct before_init *b = &l->before_init;

	if (b->marks == 2 || l->memory_sampled)
		return -1;
	if (!b->marks++) {
		b->start_ns = e->time_ns;
		return 1;
	}
	initcalls_end_all(&l->initcalls);
	b->end_ns = e->time_ns;
	b->events = e->pages;
	b->lost = e->lost;
	b->held_pages = l->traced.now;
	b->freed_pages = l->total.before_frees;
	b->used_pages = ledger_used(l);
	l->used_peak_pages -= b->used_pages;
	return 1;
}

static int apply_kill(struct ledger *l, const struct event *e)
{
	if (l->kills == KILLS_MAX)
		return -1;
	l->kill[l->kills++] = (struct kill){ e->time_ns, (uint32_t)e->result };
	return 1;
}

static int apply_low_reported(struct ledger *l, const struct event *e)
{
	if (e->flags & EVENT_NO_GROUP)
		l->ran_out = 1;
	else
		l->low_ns = e->time_ns;
	return 1;
}

static int apply_kept(struct ledger *l, const struct event *e)
{
	for (uint32_t i = 0; i < KEPTS; i++)
		if (!strcmp(e->name, kept_names[i]) &&
		    e->pages <= UINT32_MAX) {
			l->kept_pages[i] = e->pages;
			if (i == KEPT_CMA && (!l->cma_looks++ ||
					      e->pages < l->cma_least_pages))
				l->cma_least_pages = e->pages;
			return 1;
		}
	return -1;
}

/* A hook that runs again and again begins one phase. */
static int apply_phase(struct ledger *l, const struct event *e)
{
	struct phases *p = &l->phases;
	struct phase *next = &p->phase[p->used];

	if (p->used && !strncmp(next[-1].name, e->name,
				PHASE_NAME_BYTES - 1))
		return 0;
	if (p->used == PHASES_MAX) {
		p->more++;
		return 0;
	}
	next->time_ns = e->time_ns;
	memcpy(next->name, e->name, sizeof(next->name) - 1);
	p->used++;
	return 1;
}

/* Events of slab before this time may be incomplete. */
static int apply_whole(struct ledger *l, const struct event *e)
{
	l->slab.whole_ns = e->flags & EVENT_PART ? UINT64_MAX : e->time_ns;
	return 1;
}

static int apply_lost(struct ledger *l, const struct event *e)
{
	if (__builtin_add_overflow(l->total.lost, e->lost, &l->total.lost))
		l->total.lost = UINT64_MAX;
	l->movers = 0;
	return 1;
}

/* The kernel counts the pages of each allocation, and of bulk allocations. */
static int apply_handed(struct ledger *l, const struct event *e)
{
	const struct areas *a = &l->areas;
	const uint64_t seen = l->total.alloc_pages + a->bulk_pages +
			      a->other_bulk_pages;

	if (e->pages > UINT32_MAX)
		return -1;
	l->total.unseen_pages = e->pages > seen ? e->pages - seen : 0;
	l->total.unseen_lost = l->total.lost;
	return 1;
}

static int apply_tag(struct ledger *l, const struct event *e)
{
	struct tag_rows *t = &l->tags;
	struct tag_row *row = &t->row[t->used];
	const uint32_t is_part = (e->flags & EVENT_PART) != 0;

	if (!e->name[0]) {
		t->ended = 1;
		t->is_part = is_part;
		t->all = e->objects;
		t->wrong_lines = e->lost;
		return 1;
	}
	if (t->used == TAGS_SHOWN)
		return -1;
	row->bytes = e->size;
	row->calls = e->objects;
	row->at_least = is_part;
	memcpy(row->name, e->name, sizeof(row->name) - 1);
	t->used++;
	return 1;
}

/* Is this an event of tracing in a sampled ledger? No real source produces such
 * a trace. */
static int is_misplaced(const struct ledger *l, const struct event *e)
{
	return is_sampled(l) &&
	       (e->type <= EVENT_FREE || e->type == EVENT_LOAD_ENTER ||
		e->type == EVENT_MODULE_LOAD ||
		(e->type >= EVENT_AREA_ENTER && e->type <= EVENT_AREA_ALLOC) ||
		(e->type >= EVENT_COMPACTS && e->type <= EVENT_MOVE));
}

static int apply_sample(struct ledger *l, const struct event *e)
{
	switch (e->type) {
	case EVENT_CACHE_SAMPLE: return sample_cache(l, e);
	case EVENT_TASK_SAMPLE: return sample_task(l, e);
	case EVENT_MODULE_SAMPLE: return sample_module(l, e);
	default: return sample_kind(l, e);
	}
}

static int apply_object(struct ledger *l, const struct event *e)
{
	switch (e->type) {
	case EVENT_OBJECT_ALLOC: return object_alloc(l, e);
	case EVENT_OBJECT_FREE: return object_free(l, e);
	default: return cache_seen(l, e);
	}
}

/* All but the events of pages. */
static int apply(struct ledger *l, const struct event *e)
{
	switch (e->type) {
	case EVENT_CACHE_SAMPLE:
	case EVENT_TASK_SAMPLE:
	case EVENT_MODULE_SAMPLE:
	case EVENT_KIND_SAMPLE:
		return has_feature(FEATURE_SAMPLES) ? apply_sample(l, e) : -1;
	case EVENT_OBJECT_ALLOC:
	case EVENT_OBJECT_FREE:
	case EVENT_CACHE_SEEN:
		return has_feature(FEATURE_SLAB) ? apply_object(l, e) : -1;
	case EVENT_BEFORE_INIT:
		return has_feature(FEATURE_BEFORE) ?
		       apply_before_init(l, e) : -1;
	case EVENT_FORK: return task_fork(l, e);
	case EVENT_COMM:
	case EVENT_TASK: return task_comm(l, e);
	case EVENT_EXIT: return task_exit(l, e);
	case EVENT_LOAD_ENTER: return load_enter(l, e);
	case EVENT_LOAD_EXIT: return load_exit(l, e);
	case EVENT_MODULE_LOAD: return module_load(l, e);
	case EVENT_MODULE_FREE: return module_free(l, e);
	case EVENT_MODULE_RANGE: return module_range(l, e);
	case EVENT_MEMORY: return apply_memory(l, e);
	case EVENT_LOST: return apply_lost(l, e);
	case EVENT_HANDED: return apply_handed(l, e);
	case EVENT_TAG:
		return has_feature(FEATURE_RAM) ? apply_tag(l, e) : -1;
	case EVENT_AREA_ENTER: return area_enter(l, e);
	case EVENT_BULK: return area_bulk(l, e);
	case EVENT_AREA_ALLOC: return area_alloc(l, e);
	case EVENT_AREA_FREE: return area_free(l, e);
	case EVENT_AREA_SEEN: return area_seen(l, e);
	case EVENT_AREAS_SEEN: return areas_seen(l, e);
	case EVENT_SOURCE: return apply_source(l, e);
	case EVENT_FIGURE: return apply_figure(l, e);
	case EVENT_FUNCTION: return kind_function(l, e);
	case EVENT_FUNCTIONS_END: return kind_functions_end(l, e);
	case EVENT_INITCALL_START: return initcall_start(l, e);
	case EVENT_INITCALL_FINISH: return initcall_finish(l, e);
	case EVENT_INITCALL_CALLER: return initcall_function(l, e);
	case EVENT_RAM:
		return has_ram_rows() ? ram_rows_add(&l->ram, e) : -1;
	case EVENT_UNPACK: return apply_unpack(l, e);
	case EVENT_INITRAMFS: return apply_initramfs(l, e);
	case EVENT_KILL: return apply_kill(l, e);
	case EVENT_WHOLE: return apply_whole(l, e);
	case EVENT_IN_USE: return apply_in_use(l, e);
	case EVENT_MODULE_DIR: return module_from(l, e);
	case EVENT_PHASE: return apply_phase(l, e);
	case EVENT_LOW_REPORTED: return apply_low_reported(l, e);
	case EVENT_KEPT: return apply_kept(l, e);
	case EVENT_AVAILABLE: return need_available(l, e);
	case EVENT_FULL: return apply_full(l, e);
	case EVENT_BLOCKS: return page_blocks(l, e);
	case EVENT_COMPACTS:
	case EVENT_COMPACTED: return move_compaction(l, e);
	case EVENT_MOVE: return move_page(l, e);
	case EVENT_RANGE: return growth_range(l, e);
	case EVENT_GROWN: return growth_apply(l, e);
	case EVENT_HELD: return page_held(l, e);
	default: l->total.bad_records++; return -1;
	}
}

/* Called after an event, when all rows have their values of this instant
 * (tables.h, count). */
static void note_peak(struct ledger *l)
{
	uint64_t used = ledger_used(l);

	need_note(l);
	if ((int64_t)used <= (int64_t)l->used_peak_pages)
		return;
	l->used_peak_pages = used;
	l->used_peak_ns = l->last_ns;
	l->growth.peak_pages = l->growth.pages;
	l->epoch++;
}

void ledger_apply(struct ledger *l, const struct event *e)
{
	int changed;

	l->total.seen++;
	/* These two may come before older events: the tracer sees a kill before
	 * it has merged them, and all events open before it has read them. */
	if (e->type == EVENT_KILL || e->type == EVENT_WHOLE)
		;
	else if (e->time_ns < l->last_ns)
		l->total.late++;
	else
		l->last_ns = e->time_ns;
	if (is_misplaced(l, e))
		changed = -1;
	else if (e->type == EVENT_ALLOC)	/* most events */
		changed = page_alloc(l, e);
	else if (e->type == EVENT_FREE)
		changed = page_free(l, e);
	else
		changed = apply(l, e);
	note_peak(l);
	if (changed > 0)
		l->total.applied++;
	else if (!changed)
		l->total.ignored++;
	else
		l->total.rejected++;
}
