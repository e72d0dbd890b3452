/* SPDX-License-Identifier: MIT */
/* Source -> ledger -> recorder, while tracing: see tracer.h, engine. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include "base/system.h"
#include "base/base.h"
#include "ledger/events.h"
#include "report/report.h"
#include "source/proc/proc.h"
#include "tracer/tracer.h"

/* The least time between samples of vmalloc, which take 1 ms or so. */
#define AREAS_EACH_NS 20000000u
/* The same for a source that may not cost more than a part of a CPU: at least a
 * second, and at least this many times the cost of a sample. */
#define AREAS_SELDOM_NS 1000000000u
#define AREAS_REST 800u
/* The pause after a look at mounts, or at the modules in use, is this many times
 * the cost of the look. */
#define LOOK_REST 800u

void engine_take(struct engine *g, const struct event *e)
{
	if (has_feature(FEATURE_RECORD))
		trace_write(&g->writer, e);
	ledger_apply(&g->ledger, e);
}

struct event *engine_event(struct engine *g, enum event_type type,
			   uint64_t time_ns)
{
	event_begin(&g->own, type, time_ns);
	return &g->own;
}

void engine_sample_memory(struct engine *g, uint64_t time_ns, uint32_t flags)
{
	const uint64_t free_bytes = system_free_bytes();
	struct event *e;

	if (!free_bytes)
		return;
	if (time_ns < g->ledger.last_ns)
		time_ns = g->ledger.last_ns;
	e = engine_event(g, EVENT_MEMORY, time_ns);
	e->flags = flags;
	e->free_pages = free_bytes / g->session.page_size;
	engine_take(g, e);
}

/* The worst moment may have been worse than the last sample by at most this
 * part of all memory. And the time after which a sample is old when little is
 * free, because the kernel may meanwhile have reclaimed pages of files. */
#define WORSE_DIVISOR 256
#define AVAILABLE_NS 20000000u

void engine_sample_available(struct engine *g, int always)
{
	const struct ledger *l = &g->ledger;
	const uint64_t total = g->session.mem_total_kib /
			       (g->session.page_size / 1024);

	if (!always && !need_sample_due(&l->need, total / WORSE_DIVISOR) &&
	    (l->free_now_pages >= total / 8 || l->last_ns < g->available_ns))
		return;
	g->available_ns = l->last_ns + AVAILABLE_NS;
	proc_emit_available(g->meminfo_fd, g->zoneinfo_fd, &g->events,
			    l->last_ns, g->session.page_size);
}

void engine_sample_lists(struct engine *g)
{
	proc_pcp(&g->events, g->ledger.last_ns, g->zoneinfo_fd);
}

/* The losses that the source reported. */
static uint64_t counted_losses(const struct engine *g)
{
	return g->ledger.total.lost - g->lost_before_init;
}

/* Adds to the account the losses that are not yet in it: lost records (`lost`
 * is the number of all so far), and ring contents that could not be read. */
static void count_losses(struct engine *g, uint64_t time_ns, uint64_t lost)
{
	const uint64_t counted = counted_losses(g);
	struct event *e = engine_event(g, EVENT_LOST, time_ns);

	e->lost = lost - counted;
	if (lost > counted)
		engine_take(g, e);
	e->type = EVENT_REJECTED;
	e->lost = 0;
	for (; g->counted_stalls < g->source->stalls; g->counted_stalls++)
		engine_take(g, e);
}

/* A ring reports lost records, but a report may have counted some of them
 * before. Returns the number that is not yet counted. */
static uint64_t newly_lost(struct engine *g, uint64_t lost)
{
	const uint64_t counted = counted_losses(g);

	g->ring_lost += lost;
	return g->ring_lost > counted ? g->ring_lost - counted : 0;
}

static void look_closer(struct engine *g, const struct event *e)
{
	struct event load;

	switch (e->type) {
	case EVENT_ALLOC:
		g->chains += e->chain_len != 0;
		g->bare += e->chain_len == 0;
		break;
	case EVENT_MODULE_LOAD:
		g->modules_changed = g->uses_changed = 1;
		load = *e;
		module_ranges(&g->events, &load);
		break;
	case EVENT_MODULE_FREE:
		g->modules_changed = g->uses_changed = 1;
		break;
	case EVENT_AREA_ENTER:
		g->areas_changed = 1;
		break;
	default:
		break;
	}
}

/* We have our own root (base/system.h, mounts). The root of PID 1 is rootfs
 * only while PID 1 waits for us or runs in the initramfs. */
static const char *rootfs(const struct engine *g)
{
	return g->boot ? "/proc/1/root" : NULL;
}

int engine_read_log(struct engine *g)
{
	if (g->log_read)
		return 0;
	g->log_read = 1;
	g->ram.event.time_ns = g->ledger.last_ns;
	boot_log_read(&g->ram, g->ledger.last_ns, rootfs(g));
	if (has_feature(FEATURE_RAM))
		ram_finish(&g->ram);
	return g->ledger.unpack.error[0] != '\0';
}

int engine_lacks_files(const struct engine *g)
{
	return g->boot && rootfs_is_full(rootfs(g));
}

/* Called before init runs: later the root may be another filesystem. */
void engine_find_files(struct engine *g)
{
	initramfs_begin(&g->initramfs, rootfs(g),
			baseline_kib(&g->ledger, BASELINE_INITRAMFS));
}

int engine_sum_files(struct engine *g)
{
	if (initramfs_on(&g->initramfs))
		return 1;
	initramfs_emit(&g->initramfs, &g->events, g->ledger.last_ns,
		       rootfs(g));
	return 0;
}

void engine_begin(struct engine *g, uint64_t horizon_ns)
{
	g->source->kind->begin(g->source, horizon_ns);
}

/* The record from before init has these events too. */
static int is_known(const struct engine *g, const struct event *e)
{
	return e->time_ns < g->from_ns &&
	       (e->type == EVENT_ALLOC || e->type == EVENT_FREE ||
		e->type == EVENT_MODULE_LOAD || e->type == EVENT_MODULE_FREE);
}

/* The tracer itself answers the event; the ledger keeps the time of the
 * kill. */
static void emit_kill(struct engine *g, struct event *e)
{
	e->type = EVENT_KILL;
	engine_take(g, e);
	e->type = EVENT_VICTIM;
}

int engine_next(struct engine *g, struct event *e)
{
	do
		if (!g->source->kind->next(g->source, e))
			return 0;
	while (is_known(g, e));
	if (e->type == EVENT_VICTIM)
		emit_kill(g, e);
	if (e->type >= EVENT_VICTIM)
		return 1;
	if (e->type == EVENT_LOST)
		e->lost = newly_lost(g, e->lost);
	engine_take(g, e);
	look_closer(g, e);
	return 1;
}

/* Each page of the buffers is an event when it is freed. One step frees a
 * quarter of the pages whose events a ring holds. */
int engine_give_back(struct engine *g)
{
	return before_init_found(g) &&
	       before_give_back(&g->before, g->source->ring_bytes / 256 *
					    g->session.page_size / 1024);
}

static void look_at_blocks(struct engine *g, uint64_t time_ns)
{
	const struct ledger *l = &g->ledger;

	for (uint32_t i = 0; i < l->failures; i++)
		if (!l->failure[i].look_ns)
			proc_blocks(&g->events, time_ns, l->failure[i].pages);
}

void engine_settle(struct engine *g, uint64_t horizon_ns)
{
	count_losses(g, horizon_ns, 0);
	look_at_blocks(g, horizon_ns);
	engine_sample_memory(g, horizon_ns, 0);
	engine_sample_available(g, 0);
}

static void rest_areas(struct engine *g, uint64_t time_ns, uint64_t cost_ns)
{
	uint64_t rest_ns = AREAS_EACH_NS;

	if (!g->source->rings) {
		rest_ns = cost_ns * AREAS_REST;
		if (rest_ns < AREAS_SELDOM_NS)
			rest_ns = AREAS_SELDOM_NS;
	}
	g->areas_ns = time_ns + rest_ns;
}

/* The first sample decides: if its addresses are of little use, a note is
 * added, and later samples must show addresses in the same form. */
void engine_look_at_areas(struct engine *g, uint64_t time_ns)
{
	const enum addresses before = g->addresses;
	uint64_t began_ns;
	int error;

	if (!g->samples_areas)
		return;
	began_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	error = proc_vmallocinfo(&g->events, time_ns, &g->addresses);
	rest_areas(g, time_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns);
	if (error) {
		g->samples_areas = 0;
		session_note(&g->session, "vmalloc is not seen%s: "
			     "/proc/vmallocinfo: %s", before ? " any more" : "",
			     error == -ESTALE ? "kptr_restrict was changed" :
			     error == -EPERM ? "kptr_restrict hides addresses" :
			     error_text(error));
	} else if (!before && g->addresses == ADDRESSES_HASHED) {
		session_note(&g->session, "images of modules count as vmalloc "
			     "of no module: addresses are hashed unless "
			     "kptr_restrict is 1");
	}
}

/* A boot may load a module every 30 ms. */
void engine_sample_uses(struct engine *g)
{
	uint64_t began_ns;

	if (!g->uses_changed || g->ledger.last_ns < g->uses_ns)
		return;
	began_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	proc_in_use(&g->events, g->ledger.last_ns);
	g->uses_changed = 0;
	g->uses_ns = g->ledger.last_ns + LOOK_REST *
		     (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns);
}

/* Takes a sample when a module came or went. Also, but less often, when an area
 * was created (if the kernel reports that), or when free memory reached a new
 * minimum. */
void engine_sample_areas(struct engine *g)
{
	const struct ledger *l = &g->ledger;
	const int areas = g->areas_changed || l->free_lowest_ns == l->last_ns;

	if (g->modules_changed || (areas && l->last_ns >= g->areas_ns))
		engine_look_at_areas(g, l->last_ns);
	g->modules_changed = g->areas_changed = 0;
}

void engine_look_at_caches(struct engine *g, uint64_t time_ns)
{
	if (ledger_has_objects(&g->ledger))
		proc_caches(&g->events, time_ns);
}

/* The event without mounts ends a list: it is sent only if a mount is full or
 * was. */
static void look_at_mounts(struct engine *g)
{
	const uint64_t began_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	const uint64_t now_ns = g->ledger.last_ns;
	const uint32_t full = full_emit(&g->events, now_ns, "/proc/1",
				       &g->mounts_most);

	if (full || g->mounts_full)
		engine_take(g, engine_event(g, EVENT_FULL, now_ns));
	g->mounts_full = full;
	g->mounts_ns = now_ns + LOOK_REST *
		       (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns);
}

void engine_sample_mounts(struct engine *g)
{
	if (g->ledger.last_ns >= g->mounts_ns)
		look_at_mounts(g);
}

/* Read after the last drain, so no allocation that was seen is missing in the
 * kernel's count. */
static void emit_handed(struct engine *g)
{
	const uint64_t pages = g->ledger.total.lost ? proc_handed_pages() : 0;
	struct event *e = engine_event(g, EVENT_HANDED, g->ledger.last_ns);

	e->pages = pages - g->handed_pages;
	if (pages)
		engine_take(g, e);
}

static void note_skipped(struct engine *g)
{
	const uint64_t skipped = g->source->skipped;

	if (skipped > g->noted_skips)
		session_note(&g->session, "%llu lost records: the kernel did "
			     "not return them, larger rings would not help",
			     (unsigned long long)(skipped - g->noted_skips));
	g->noted_skips = skipped;
}

void engine_take_stock(struct engine *g)
{
	engine_look_at_caches(g, g->ledger.last_ns);
	engine_sample_lists(g);
	engine_sample_available(g, 1);
	engine_look_at_areas(g, g->ledger.last_ns);
	proc_in_use(&g->events, g->ledger.last_ns);
	count_losses(g, g->ledger.last_ns, g->source->kind->lost(g->source));
	note_skipped(g);
	emit_handed(g);
	look_at_mounts(g);
	g->session.cpus_online = source_cpus();
}

/* Fewer allocations may all have been first touches of anonymous memory. */
#define BARE_LEAST 256

void engine_describe(struct engine *g, const char *reason)
{
	struct session *s = &g->session;

	s->end_ns = clock_ns(CLOCK_MONOTONIC);
	s->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	print_to(s->reason, sizeof(s->reason), "%s", reason);
	if (g->chains || g->bare < BARE_LEAST)
		return;
	session_note(s, "call chains are empty: no unwinder for tracepoints "
		     "(before 5.2 with ORC)");
	g->chains = 1;		/* noted once */
}

void engine_close(struct engine *g)
{
	source_end(g->source);
	source_opened(&g->offer);
}
