/* SPDX-License-Identifier: MIT */
/*
 * The ledger once more, by brute force: an owner written down for each page,
 * every row copied when more is used than ever, every count moved one by one.
 * Written from ledger.h and its neighbours, not from the C files.
 *
 * What only the ledger can know, which row a full table gives away and when a
 * chain or an owner found no room, is read from it after each event and
 * judged: was it allowed to? Everything else must be what the model says.
 */
#ifndef LEDGER_MODEL_H
#define LEDGER_MODEL_H

#include <stdlib.h>
#include <string.h>
#include "ledger/apply.h"
#include "random.h"

#define M_TIDS 96u
#define M_TASKS 128u
#define M_MODULES 24u
#define M_PAGES 2400u
#define M_REGIONS 8u		/* of module text, equal and disjoint */
#define M_REGION_BASE 0xffffffffc0000000u
#define M_REGION_BYTES 0x10000u
#define M_NAMES 10u
#define M_CHAINS 48u		/* 0: no chain */
#define M_FRAMES 12u
#define M_NODES 24000u
#define M_NO_NODE UINT32_MAX
#define M_OWNERS (1u << 16)

struct m_count {
	uint32_t now, peak, at_peak;
};

struct m_task {
	int used, live;
	uint32_t tid, tgid, process, threads, loading;
	uint32_t own;		/* pages without a stack: bind the row */
	struct m_count pages;
};

struct m_module {
	int used;
	enum module_state state;
	uint32_t name;
	struct m_count pages;
	struct m_count node[M_NODES];
};

struct m_page {
	uint32_t task, module, leaf;	/* leaf: m_node, or M_NO_NODE */
	uint8_t held, own;
};

struct m_chain {
	uint64_t frame[M_FRAMES];	/* innermost first */
	uint32_t len, leaf;
};

/* Chains share their outer frames. Where text is taken by other code, what is
 * at an address from then on is another frame: `age` tells them apart. */
struct m_node {
	uint64_t addr;
	uint32_t parent;		/* M_NO_NODE: a module's root */
	uint32_t age;
	int leaf;
};

struct m_owner {
	uint32_t task, module, leaf;
	struct m_count pages;
	int used;
};

struct model {
	const struct ledger *l;
	struct ram ram;
	struct m_task task[M_TASKS];
	uint32_t known[M_TIDS];		/* row of a number */
	struct m_module module[M_MODULES];
	uint32_t region[M_REGIONS];	/* module row */
	uint32_t age[M_REGIONS];
	struct m_page page[M_PAGES];	/* in the order of RAM */
	uint32_t held;
	struct m_count total;
	_Bool sampled;		/* free memory is known */
	uint64_t peak_ns;
	int64_t used_peak;
	uint64_t used_peak_ns;
	struct totals t;
	uint64_t tasks_full, tasks_recycled;
	uint64_t modules_full, modules_recycled;
	struct m_chain chain[M_CHAINS];
	struct m_node node[M_NODES];
	uint32_t nodes;
	struct m_owner owner[M_OWNERS];
	const char *wrong;
};

static void m_wrong(struct model *m, _Bool is_wrong, const char *what)
{
	if (is_wrong && !m->wrong)
		m->wrong = what;
}

static void m_add(struct m_count *c, uint32_t pages)
{
	c->now += pages;
	if (c->now > c->peak)
		c->peak = c->now;
}

/* Two rows that are one from now on. */
static void m_fold(struct m_count *to, struct m_count *from)
{
	to->at_peak += from->at_peak;
	m_add(to, from->now);
	if (to->at_peak > to->peak)
		to->peak = to->at_peak;
	*from = (struct m_count){ 0 };
}

/* --- tasks --- */

static int m_may_go(const struct m_task *k)
{
	return k->used && !k->live && !k->threads && !k->own;
}

/* Rows that are free, or could be made so. */
static uint32_t m_rows(const struct model *m, int may_go)
{
	uint32_t n = 0;

	for (uint32_t i = TASKS_FIXED; i < m->l->tasks.capacity; i++)
		if (may_go ? m_may_go(&m->task[i]) : !m->task[i].used)
			n++;
	return n;
}

static void m_fold_task(struct model *m, uint32_t row)
{
	struct m_task *k = &m->task[row];

	m_wrong(m, !m_may_go(k), "a task row in use was used again");
	m_wrong(m, m_rows(m, 0), "a task row was used again with others free");
	if (m->known[k->tid] == row)
		m->known[k->tid] = 0;
	m_fold(&m->task[TASK_OTHER].pages, &k->pages);
	for (uint32_t i = 0; i < M_PAGES; i++)
		if (m->page[i].held && m->page[i].task == row)
			m->page[i].task = TASK_OTHER;
	m->tasks_recycled++;
}

/* The row that the ledger gave this task; 0: none, which must be true. */
static uint32_t m_new_row(struct model *m, uint32_t tid, uint32_t tgid,
			  uint32_t process)
{
	uint32_t row = tasks_find(&m->l->tasks, tid);

	if (!row) {
		m_wrong(m, m_rows(m, 0) || m_rows(m, 1),
			"no task row though there is one");
		m->tasks_full++;
		return 0;
	}
	m_wrong(m, row < TASKS_FIXED || row >= m->l->tasks.capacity,
		"a task row that cannot be");
	if (m->task[row].used)
		m_fold_task(m, row);
	m->task[row] = (struct m_task){
		.used = 1, .live = 1, .tid = tid, .tgid = tgid,
		.process = process ? process : row,
	};
	m->known[tid] = row;
	return row;
}

static void m_end_loading(struct model *m, uint32_t row, int failed)
{
	uint32_t loading = m->task[row].loading;

	m->task[row].loading = 0;
	if (loading >= MODULES_FIXED &&
	    (failed || m->module[loading].state == MODULE_LOADING))
		m->module[loading].state = MODULE_FAILED;
}

static void m_end_task(struct model *m, uint32_t row)
{
	struct m_task *k = &m->task[row];

	m_end_loading(m, row, 0);
	k->live = 0;
	if (k->process == row)
		return;
	m->task[k->process].threads--;
	m->known[k->tid] = 0;
	k->used = 0;
}

static void m_replace(struct model *m, uint32_t row)
{
	uint32_t tid = m->task[row].tid;

	m_end_loading(m, row, 0);
	if (m->task[row].live)
		m_end_task(m, row);
	m->known[tid] = 0;
}

/* Row of a number that is of this process. */
static uint32_t m_find(struct model *m, uint32_t tid, uint32_t tgid)
{
	uint32_t row = m->known[tid];

	if (!row || !tgid || m->task[row].tgid == tgid)
		return row;
	m_replace(m, row);
	return 0;
}

static uint32_t m_make_task(struct model *m, uint32_t tid, uint32_t tgid)
{
	uint32_t process, row;

	if (!tgid || tgid == tid)
		return m_new_row(m, tid, tid, 0);
	process = m_find(m, tgid, tgid);
	if (!process)
		process = m_new_row(m, tgid, tgid, 0);
	if (!process)
		return 0;
	m->task[process].threads++;
	row = m_new_row(m, tid, tgid, process);
	if (!row)
		m->task[process].threads--;
	return row;
}

/* Who does more than take and give pages, is alive. */
static uint32_t m_task_of(struct model *m, const struct event *e)
{
	uint32_t row = m_find(m, e->tid, e->tgid);

	if (row && m->task[row].live)
		return row;
	if (row)
		m_replace(m, row);
	return m_make_task(m, e->tid, e->tgid);
}

static uint32_t m_charged(struct model *m, const struct event *e,
			  uint32_t *loading)
{
	uint32_t row = m_find(m, e->tid, e->tgid);
	uint32_t tgid = e->tgid ? e->tgid : e->tid;

	*loading = row ? m->task[row].loading : 0;
	if (!row && tgid != e->tid)
		row = m_find(m, tgid, tgid);
	if (!row)
		row = m_new_row(m, tgid, tgid, 0);
	return m->task[row].process;
}

/* --- modules --- */

static int m_module_may_go(const struct model *m, uint32_t row)
{
	const struct m_module *k = &m->module[row];

	for (uint32_t i = TASKS_FIXED; i < M_TASKS; i++)
		if (m->task[i].used && m->task[i].loading == row)
			return 0;
	return (k->state == MODULE_GONE || k->state == MODULE_FAILED) &&
	       !k->pages.now;
}

static void m_fold_module(struct model *m, uint32_t row)
{
	m_wrong(m, !m_module_may_go(m, row),
		"a module row in use was used again");
	for (uint32_t i = MODULES_FIXED; i < m->l->modules.capacity; i++)
		m_wrong(m, !m->module[i].used,
			"a module row was used again with others free");
	m_fold(&m->module[MODULE_OTHER].pages, &m->module[row].pages);
	for (uint32_t i = 0; i < M_REGIONS; i++)
		if (m->region[i] == row)
			m->region[i] = 0;
	m->modules_recycled++;
}

/* `row` is what the ledger has taken; below the first one: none. */
static uint32_t m_new_module(struct model *m, uint32_t row,
			     enum module_state state, uint32_t name)
{
	if (row < MODULES_FIXED) {
		m->modules_full++;
		for (uint32_t i = MODULES_FIXED; i < m->l->modules.capacity;
		     i++)
			m_wrong(m, !m->module[i].used || m_module_may_go(m, i),
				"no module row though there is one");
		return MODULE_OTHER;
	}
	if (m->module[row].used)
		m_fold_module(m, row);
	memset(&m->module[row], 0, sizeof(m->module[row]));
	m->module[row].used = 1;
	m->module[row].state = state;
	m->module[row].name = name;
	return row;
}

static uint32_t m_find_module(const struct model *m, uint32_t name)
{
	for (uint32_t i = MODULES_FIXED; i < M_MODULES; i++)
		if (m->module[i].used && m->module[i].state == MODULE_LIVE &&
		    m->module[i].name == name)
			return i;
	return 0;
}

/* --- pages --- */

/* Place of a page in page[], or -1. */
static int64_t m_place(const struct model *m, uint64_t pfn)
{
	uint64_t first = 0;

	for (uint32_t i = 0; i < m->ram.count; i++) {
		const struct ram_range *r = &m->ram.range[i];

		if (pfn >= r->first_pfn && pfn - r->first_pfn < r->count_pages)
			return (int64_t)(first + pfn - r->first_pfn);
		first += r->count_pages;
	}
	return -1;
}

static struct m_owner *m_owner(struct model *m, const struct m_page *p)
{
	uint32_t at = p->task * 7919 + p->module * 104729 + p->leaf * 31;
	struct m_owner *o;

	for (;; at++) {
		o = &m->owner[at % M_OWNERS];
		if (!o->used)
			break;
		if (o->task == p->task && o->module == p->module &&
		    o->leaf == p->leaf)
			return o;
	}
	*o = (struct m_owner){ p->task, p->module, p->leaf, { 0 }, 1 };
	return o;
}

static void m_move(struct model *m, const struct m_page *p, uint32_t pages)
{
	struct m_module *k = &m->module[p->module];

	m_add(&m->task[p->task].pages, pages);
	if (p->own)
		m->task[p->task].own += pages;
	m_add(&k->pages, pages);
	m_add(&m_owner(m, p)->pages, pages);
	for (uint32_t i = p->leaf; i != M_NO_NODE; i = m->node[i].parent)
		m_add(&k->node[i], pages);
	m_add(&m->total, pages);
}

static int m_drop(struct model *m, struct m_page *p)
{
	if (!p->held)
		return 0;
	m_move(m, p, (uint32_t)-1);
	m->held--;
	p->held = 0;
	return 1;
}

/* The peaks begin with the first sample of free memory. */
static void m_sample(struct model *m, const struct event *e)
{
	if (e->flags & EVENT_PCP || m->sampled)
		return;
	m->sampled = 1;
	if (!m->total.peak)
		m->peak_ns = e->time_ns;
	if (!m->used_peak)
		m->used_peak_ns = e->time_ns;
}

/* After each event. No event of ours is of an area: what is used is what is
 * held, less what was freed from before. */
static void m_note_peak(struct model *m, uint64_t time_ns)
{
	int64_t used = (int64_t)(m->total.now - m->t.before_frees);

	if (used <= m->used_peak)
		return;
	m->used_peak = used;
	m->used_peak_ns = time_ns;
	m->total.at_peak = m->total.now;
	for (uint32_t i = 0; i < M_TASKS; i++)
		m->task[i].pages.at_peak = m->task[i].pages.now;
	for (uint32_t i = 0; i < M_MODULES; i++)
		m->module[i].pages.at_peak = m->module[i].pages.now;
}

/* --- chains --- */

static uint32_t m_region(uint64_t addr)
{
	uint64_t at = (addr - 1 - M_REGION_BASE) / M_REGION_BYTES;

	return at < M_REGIONS ? (uint32_t)at : M_REGIONS;
}

static uint32_t m_node(struct model *m, uint32_t parent, uint64_t addr,
		       int leaf)
{
	uint32_t region = m_region(addr), i;
	uint32_t age = region < M_REGIONS ? m->age[region] : 0;

	for (i = 0; i < m->nodes; i++)
		if (m->node[i].parent == parent && m->node[i].addr == addr &&
		    m->node[i].age == age && m->node[i].leaf == leaf)
			return i;
	if (i == M_NODES)
		abort();
	m->node[m->nodes++] = (struct m_node){ addr, parent, age, leaf };
	return i;
}

static void m_enter_chain(struct model *m, struct m_chain *c)
{
	c->leaf = M_NO_NODE;
	for (uint32_t i = c->len; i--;)
		c->leaf = m_node(m, c->leaf, c->frame[i], i == 0);
}

/* Other code is there from now on. */
static void m_new_age(struct model *m, uint32_t region)
{
	m->age[region]++;
	for (uint32_t i = 1; i < M_CHAINS; i++)
		m_enter_chain(m, &m->chain[i]);
}

/* Innermost module on the chain, or 0. */
static uint32_t m_module_of(const struct model *m, const struct m_chain *c)
{
	for (uint32_t i = 0; i < c->len; i++) {
		uint32_t at = m_region(c->frame[i]);

		if (at < M_REGIONS && m->region[at])
			return m->region[at];
	}
	return 0;
}

#endif
