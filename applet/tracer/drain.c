/*
 * Rings -> ledger, and what is looked at along the way: the text of a module
 * that was loaded, areas of vmalloc, free memory.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include "base/print.h"
#include "base/system.h"
#include "tracer/tracer.h"

/* Between reports of low memory where nobody was killed. */
#define LOW_EACH_NS 10000000000u

/* Reclaim may fail because one zone is used up; where more than this part of
 * memory is free, that is no news. */
#define LOW_DIVISOR 16

/* Samples of vmalloc while areas come or free memory falls, of 1 ms or so. */
#define AREAS_EACH_NS 20000000u

void tracer_sample(struct tracer *t, uint64_t time_ns, uint32_t flags)
{
	struct event e;
	struct sysinfo s;

	if (sysinfo(&s))
		return;
	if (time_ns < t->ledger.last_ns)
		time_ns = t->ledger.last_ns;
	event_begin(&e, EVENT_MEMORY, time_ns);
	e.flags = flags;
	e.free_pages = (uint64_t)s.freeram * s.mem_unit /
		       t->session.page_size;
	t->events.event(&t->events, &e);
}

void tracer_count_losses(struct tracer *t, uint64_t time_ns, int final)
{
	const uint64_t told = t->ledger.total.lost;
	const uint64_t lost = final ? perf_lost(&t->perf) : 0;
	struct event e;

	event_begin(&e, EVENT_LOST, time_ns);
	if (lost > told) {
		e.lost = lost - told;
		t->events.event(&t->events, &e);
	}
	e.type = EVENT_REJECTED;
	for (; t->stalls < t->perf.stalls; t->stalls++)
		t->events.event(&t->events, &e);
}

/* Of what a ring tells, what a report has not counted already, when the ring
 * had not told of it. */
static uint64_t newly_lost(struct tracer *t, uint64_t told)
{
	const uint64_t counted = t->ledger.total.lost;

	t->told_lost += told;
	return t->told_lost > counted ? t->told_lost - counted : 0;
}

/* Areas of vmalloc are looked at when a module came or went: for their names;
 * without probes for all of it, and also when one came, as far as the kernel
 * tells, or less memory is free than ever. */
static void sample_areas(struct tracer *t, int modules, int areas)
{
	const struct ledger *l = &t->ledger;

	areas |= l->free_lowest_ns == l->last_ns;
	if (!modules &&
	    (!t->sampled || !areas || l->last_ns < t->areas_ns))
		return;
	t->areas_ns = l->last_ns + AREAS_EACH_NS;
	proc_vmallocinfo(&t->events, l->last_ns, t->sampled);
}

/* Reclaim tells that it fails; what takes memory in interrupts, which cannot
 * reclaim, shows where less is free than the kernel wants to keep. */
static void watch_memory(struct tracer *t)
{
	const struct ledger *l = &t->ledger;
	const uint64_t kib = t->session.page_size / 1024;
	int low = l->free_now_pages < t->min_pages ||
		  (t->low && l->free_now_pages * kib <=
			     t->session.mem_total_kib / LOW_DIVISOR);

	t->low = 0;
	if (!low || l->last_ns < t->low_ns || l->last_ns < t->oom_ns)
		return;
	t->low_ns = l->last_ns + LOW_EACH_NS;
	tracer_oom(t, 0);
}

static int is_roots(uint32_t tid)
{
	char path[24];
	struct stat s;

	print_to(path, sizeof(path), "/proc/%d", (int)tid);
	return !system_stat_path(path, &s) && !s.st_uid;
}

/* The reboot waits for the loop, as it may come while stock is taken. Others
 * than root are refused by the kernel; one may be root by now, by an exec,
 * which then follows in the ring. */
static void take_urgent(struct tracer *t, const struct event *e)
{
	if (e->type == EVENT_VICTIM)
		tracer_oom(t, (uint32_t)e->result);
	else if (e->type == EVENT_LOW)
		t->low = 1;
	else if (is_roots(e->tid))
		t->reboot_tid = e->tid;
}

void tracer_drain(struct tracer *t, uint64_t horizon_ns)
{
	struct event e;
	int modules = 0, areas = 0;

	perf_begin(&t->perf, horizon_ns);
	while (perf_next(&t->perf, &e)) {
		if (e.type >= EVENT_VICTIM) {
			take_urgent(t, &e);
			continue;
		}
		if (e.type == EVENT_LOST)
			e.lost = newly_lost(t, e.lost);
		t->events.event(&t->events, &e);
		if ((e.type == EVENT_COMM || e.type == EVENT_EXIT) &&
		    e.tid == t->reboot_tid)
			t->reboot_tid = 0;
		modules |= e.type == EVENT_MODULE_LOAD ||
			   e.type == EVENT_MODULE_FREE;
		areas |= e.type == EVENT_AREA_ENTER;
		if (e.type == EVENT_ALLOC) {
			t->chains += e.chain_len != 0;
			t->bare += e.chain_len == 0;
		} else if (e.type == EVENT_MODULE_LOAD) {
			module_ranges(&t->events, &e);
		} else if (e.type == EVENT_COMM && e.tid == 1) {
			t->exec_by_init |= (e.flags & EVENT_EXEC) != 0;
		} else if (e.type == EVENT_LOST) {
			t->exec_by_init = 1;	/* it may be what was lost */
		}
	}
	tracer_count_losses(t, horizon_ns, 0);
	tracer_sample(t, horizon_ns, 0);
	watch_memory(t);
	if (t->ledger.last_ns >= t->oom_ns)	/* it takes memory */
		sample_areas(t, modules, areas);
}
