/* SPDX-License-Identifier: MIT */
/* Initcalls start, end and allocate pages: see events.h, initcall events. */
#include "ledger/events.h"

/* The row of an initcall, by its first byte (`base`, from an event), or by a
 * return address in it. */
static uint32_t enter(struct ledger *l, uint64_t base, uint64_t addr)
{
	const uint32_t module = modules_at(&l->modules, base ? base : addr - 1);

	return initcalls_enter(&l->initcalls, module, base, addr);
}

/* If there is no room for a run, its call chains decide. */
int initcall_start(struct ledger *l, const struct event *e)
{
	struct initcalls *c = &l->initcalls;

	if (!e->base || c->runs == INITCALL_RUNS_MAX)
		return -1;
	c->run[c->runs++] = (struct initcall_run){
		.base = e->base, .start_ns = e->time_ns, .tid = e->tid,
	};
	return 1;
}

/* Removes a run, and later runs of the same task, whose ends were lost. */
static void end_run(struct initcalls *c, const struct initcall_run *run)
{
	const uint32_t tid = run->tid;
	uint32_t kept = (uint32_t)(run - c->run);

	for (uint32_t i = kept + 1; i < c->runs; i++)
		if (c->run[i].tid != tid)
			c->run[kept++] = c->run[i];
	c->runs = kept;
}

/* The time of a function without a row, which never allocated, goes to row 0,
 * which nobody reads. */
int initcall_finish(struct ledger *l, const struct event *e)
{
	struct initcalls *c = &l->initcalls;
	const uint32_t module = modules_at(&l->modules, e->base);

	for (uint32_t i = c->runs; i-- > 0;) {
		const struct initcall_run run = c->run[i];
		uint32_t row = run.row;

		if (run.tid != e->tid || run.base != e->base)
			continue;
		end_run(c, &c->run[i]);
		if (!row)
			row = initcalls_find(c, module, e->base, 0);
		if (e->time_ns > run.start_ns)
			c->row[row].run_ns += e->time_ns - run.start_ns;
		c->row[row].runs++;
		return 1;
	}
	return 0;
}

uint32_t initcall_by_event(struct ledger *l, const struct event *e)
{
	struct initcalls *c = &l->initcalls;
	struct initcall_run *run;

	if (!c->runs)
		return 0;
	run = initcalls_running(c, e->tid);
	if (!run)
		return 0;
	if (!run->row)
		run->row = enter(l, run->base, 0);
	return run->row | INITCALL_BY_EVENT;
}

uint32_t initcall_owner(struct ledger *l, const struct event *e, uint32_t owner)
{
	const struct owner *o = &l->owners.row[owner];
	uint64_t frame;

	if (o->peak || owner < l->owners.fixed || o->task == TASK_IRQ ||
	    l->owners.initcall[owner] & INITCALL_BY_EVENT)
		return owner;
	frame = initcalls_frame(&l->initcalls, e->chain, e->chain_len);
	l->owners.initcall[owner] = frame ? (uint16_t)enter(l, 0, frame) : 0;
	return owner;
}

int initcall_function(struct ledger *l, const struct event *e)
{
	struct initcalls *c = &l->initcalls;

	if (!e->base || !e->size || e->size > UINT32_MAX)
		return -1;
	if (e->flags & EVENT_INIT_TEXT)
		return initcalls_join(c, e->base, e->size, l->epoch,
				      l->owners.initcall,
				      l->owners.used) != 0;
	c->caller = e->base;
	c->caller_bytes = e->size;
	return 1;
}
