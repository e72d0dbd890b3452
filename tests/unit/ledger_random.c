/* SPDX-License-Identifier: MIT */
/*
 * The whole ledger on long random streams, with tables large and small, flat
 * and hashed, against the model of ledger_model.h: every total after every
 * event, every count and every page after some, and ledger_check() as often.
 */
#include "ledger_model.h"
#include "tap.h"

#define MEMORY_BYTES (2u << 20)

struct shape {
	const char *name;
	struct layout layout;
	uint32_t tids, names;
	int flat;
	uint32_t span;		/* pages in use; 0: all */
};

struct run {
	_Alignas(64) unsigned char memory[MEMORY_BYTES];
	struct arena arena;
	struct ledger ledger;
	struct model model;
	struct random random;
	const struct shape *shape;
	uint32_t chain;		/* of the event at hand */
	uint64_t now_ns;
	uint64_t stacks_full, owners_full; /* before it */
	uint32_t owners_idle;
	uint32_t node[32768];	/* model's node of each node of the ledger */
	uint32_t nodes;
};

/* --- chains --- */

static uint64_t random_frame(struct random *r)
{
	if (random_below(r, 4))
		return 0xffffffff81000000u + random_below(r, 5) * 16;
	return M_REGION_BASE + random_below(r, M_REGIONS) * M_REGION_BYTES +
	       1 + random_below(r, 3);
}

/* All different. Chain 0 has no frames. */
static void make_chains(struct model *m, struct random *r)
{
	m->chain[0].leaf = M_NO_NODE;
	for (uint32_t i = 1; i < M_CHAINS; i++) {
		struct m_chain *c = &m->chain[i];
		uint32_t same = 0;

		c->len = 1 + random_below(r, M_FRAMES);
		for (uint32_t k = 0; k < c->len; k++)
			c->frame[k] = random_frame(r);
		m_enter_chain(m, c);
		while (m->chain[same].leaf != c->leaf)
			same++;
		i -= same != i;		/* another try */
	}
}

/* --- what an event must do --- */

enum fate { REJECTED, IGNORED, APPLIED };

/* Too large, or beyond the last number a page can have. */
static int is_no_block(const struct event *e)
{
	return e->order > ORDER_MAX ||
	       e->pfn + (UINT64_C(1) << e->order) < e->pfn;
}

static enum fate model_alloc(struct run *x, const struct event *e)
{
	struct model *m = &x->model;
	uint32_t loading = 0, held = 0, stored = 0, outside = 0;
	const struct m_chain *c = &m->chain[x->chain];
	const uint32_t peak = m->total.peak;
	struct m_page p = { .task = TASK_IRQ, .held = 1, .leaf = c->leaf };

	if (e->pfn == UINT64_MAX) {
		m->t.failed_allocs++;
		return IGNORED;
	}
	if (is_no_block(e))
		return REJECTED;
	if (!(e->flags & EVENT_IRQ))
		p.task = m_charged(m, e, &loading);
	p.module = m_module_of(m, c);
	if (!p.module)
		p.module = loading;
	if (x->ledger.stacks.full != x->stacks_full)
		p.leaf = M_NO_NODE;
	if (x->ledger.owners.full != x->owners_full) {
		p.leaf = M_NO_NODE;
		p.module = 0;
	}
	p.own = p.leaf == M_NO_NODE && !p.module;
	for (uint64_t i = 0; i < UINT64_C(1) << e->order; i++) {
		int64_t at = m_place(m, e->pfn + i);

		if (at < 0) {
			outside++;
			continue;
		}
		if (m_drop(m, &m->page[at])) {
			held++;
		} else if (m->held == x->ledger.pages.capacity_pages) {
			m->t.untracked_pages++;
			continue;
		}
		m->page[at] = p;
		m->held++;
		stored++;
	}
	m->t.missed_frees += held;
	m->t.outside_ram += outside != 0;
	if (!stored)
		return REJECTED;
	m->t.allocs++;
	m->t.anon_pages += x->chain ? 0 : stored;
	m_move(m, &p, stored);
	if (m->total.peak > peak)
		m->peak_ns = e->time_ns;
	return APPLIED;
}

static enum fate model_free(struct run *x, const struct event *e)
{
	struct model *m = &x->model;
	uint32_t held = 0, none = 0, outside = 0;

	if (is_no_block(e))
		return REJECTED;
	for (uint64_t i = 0; i < UINT64_C(1) << e->order; i++) {
		int64_t at = m_place(m, e->pfn + i);

		if (at < 0)
			outside++;
		else if (m_drop(m, &m->page[at]))
			held++;
		else
			none++;
	}
	m->t.before_frees += none;
	m->t.outside_ram += outside != 0;
	if (!held && !none)
		return REJECTED;
	m->t.frees++;
	return held ? APPLIED : IGNORED;
}

static enum fate model_fork(struct model *m, const struct event *e)
{
	if (m->known[e->tid])
		m_replace(m, m->known[e->tid]);
	return m_make_task(m, e->tid, e->tgid) ? APPLIED : REJECTED;
}

static enum fate model_exit(struct model *m, const struct event *e)
{
	uint32_t row = m->known[e->tid];

	if (!row || !m->task[row].live)
		return IGNORED;
	m_end_task(m, row);
	return APPLIED;
}

static enum fate model_enter(struct model *m, const struct event *e)
{
	uint32_t task = m_task_of(m, e), row;

	if (!task)
		return REJECTED;
	m_end_loading(m, task, 0);
	row = m_new_module(m, m->l->tasks.row[task].loading, MODULE_LOADING,
			   M_NAMES);
	m->task[task].loading = row;
	return row == MODULE_OTHER ? REJECTED : APPLIED;
}

static enum fate model_leave(struct model *m, const struct event *e)
{
	uint32_t row = m->known[e->tid];

	if (!row || !m->task[row].loading)
		return IGNORED;
	m_end_loading(m, row, e->result < 0);
	return APPLIED;
}

static uint32_t name_of(const struct event *e)
{
	return (uint32_t)(e->name[1] - '0');
}

static enum fate model_loaded(struct model *m, const struct event *e)
{
	uint32_t row = m->task[m_task_of(m, e)].loading;
	uint32_t old = m_find_module(m, name_of(e));

	if (old)
		m->module[old].state = MODULE_GONE;
	if (!row || m->module[row].state != MODULE_LOADING)
		row = m_new_module(m, modules_find(&m->l->modules, e->name),
				   MODULE_LOADING, M_NAMES);
	if (row == MODULE_OTHER)
		return REJECTED;
	m->module[row].state = MODULE_LIVE;
	m->module[row].name = name_of(e);
	return APPLIED;
}

static enum fate model_unloaded(struct model *m, const struct event *e)
{
	uint32_t row = m_find_module(m, name_of(e));

	if (!row)
		return IGNORED;
	m->module[row].state = MODULE_GONE;
	return APPLIED;
}

static enum fate model_range(struct model *m, const struct event *e)
{
	uint32_t row = m_find_module(m, name_of(e)), region;

	if (!row)
		row = m_new_module(m, modules_find(&m->l->modules, e->name),
				   MODULE_LIVE, name_of(e));
	if (row == MODULE_OTHER)
		return REJECTED;
	region = m_region(e->base + 1);
	if (m->region[region])
		m_new_age(m, region);
	m->region[region] = row;
	return APPLIED;
}

static enum fate model_apply(struct run *x, const struct event *e)
{
	struct model *m = &x->model;

	switch (e->type) {
	case EVENT_ALLOC: return model_alloc(x, e);
	case EVENT_FREE: return model_free(x, e);
	case EVENT_FORK: return model_fork(m, e);
	case EVENT_COMM:
	case EVENT_TASK: return m_task_of(m, e) ? APPLIED : REJECTED;
	case EVENT_EXIT: return model_exit(m, e);
	case EVENT_LOAD_ENTER: return model_enter(m, e);
	case EVENT_LOAD_EXIT: return model_leave(m, e);
	case EVENT_MODULE_LOAD: return model_loaded(m, e);
	case EVENT_MODULE_FREE: return model_unloaded(m, e);
	case EVENT_MODULE_RANGE: return model_range(m, e);
	case EVENT_LOST:
		m->t.lost += e->lost;
		return APPLIED;
	case EVENT_MEMORY:
		m_sample(m, e);
		return APPLIED;
	default:
		m->t.bad_records++;
		return REJECTED;
	}
}

/* --- events --- */

/* A number and its process: groups of four, most of the time. */
static void random_task(struct run *x, struct event *e)
{
	struct random *r = &x->random;
	uint32_t tids = x->shape->tids;

	e->tid = random_below(r, tids);
	e->tgid = e->tid / 4 * 4;
	if (random_one_in(r, 12))
		e->tgid = random_one_in(r, 2) ? e->tid :
			  random_below(r, tids);
	if (random_one_in(r, 30))
		e->tgid = 0;
	e->parent_tid = e->parent_tgid = random_below(r, tids);
}

static void random_pages(struct run *x, struct event *e)
{
	struct random *r = &x->random;
	const struct ram *ram = &x->model.ram;
	const struct ram_range *range =
		&ram->range[random_below(r, ram->count)];

	e->order = random_one_in(r, 4) ? random_below(r, 5) : 0;
	if (random_one_in(r, 400))
		e->order = random_below(r, 10);
	e->pfn = range->first_pfn +
		 random_below(r, (uint32_t)range->count_pages + 4);
	if (x->shape->span)
		e->pfn = ram->range[0].first_pfn +
			 random_below(r, x->shape->span);
	if (random_below(r, 3))
		e->pfn &= ~((UINT64_C(1) << e->order) - 1);
	if (random_one_in(r, 500))
		e->pfn = random_below(r, 2) ? UINT64_MAX - random_below(r, 4) :
			 random_u64(r) >> 12;
	if (random_one_in(r, 500))
		e->order = ORDER_MAX + 1 + random_below(r, 9);
	x->chain = random_below(r, 3) ? random_below(r, M_CHAINS) : 0;
	if (e->type == EVENT_ALLOC) {
		const struct m_chain *c = &x->model.chain[x->chain];

		e->chain_len = c->len;
		memcpy(e->chain, c->frame, sizeof(c->frame));
		e->flags = random_one_in(r, 10) ? EVENT_IRQ : 0;
	}
}

static void random_module(struct run *x, struct event *e)
{
	struct random *r = &x->random;
	uint32_t name = random_below(r, x->shape->names);

	e->name[0] = 'm';
	e->name[1] = (char)('0' + name);
	e->result = random_one_in(r, 4) ? -22 : 0;
	e->base = M_REGION_BASE + random_below(r, M_REGIONS) * M_REGION_BYTES;
	e->size = M_REGION_BYTES;
	e->flags = random_below(r, 2) ? EVENT_INIT_TEXT : 0;
}

static void random_event(struct run *x, struct event *e, uint32_t step)
{
	static const uint32_t rest[] = {
		EVENT_FORK, EVENT_FORK, EVENT_COMM, EVENT_EXIT, EVENT_EXIT,
		EVENT_EXIT, EVENT_TASK, EVENT_LOAD_ENTER, EVENT_LOAD_ENTER,
		EVENT_MODULE_LOAD, EVENT_MODULE_LOAD, EVENT_LOAD_EXIT,
		EVENT_LOAD_EXIT, EVENT_MODULE_FREE, EVENT_LOST, EVENT_MEMORY,
		EVENT_REJECTED, 99,
	};
	struct random *r = &x->random;
	uint32_t tide = step / 4096 % 2 ? 34 : 46;	/* of 100 */
	uint32_t dice = random_below(r, 100);

	memset(e, 0, sizeof(*e));
	e->time_ns = ++x->now_ns;
	x->chain = 0;
	e->type = dice < tide ? EVENT_ALLOC : dice < 80 ? EVENT_FREE :
		  rest[random_below(r, ARRAY_LEN(rest))];
	if (random_one_in(r, 2000))	/* nodes of old text are not got back */
		e->type = EVENT_MODULE_RANGE;
	random_task(x, e);
	if (e->type == EVENT_ALLOC || e->type == EVENT_FREE)
		random_pages(x, e);
	else
		random_module(x, e);
	e->lost = e->type == EVENT_LOST ? random_below(r, 9) : 0;
}

/* --- does the ledger say so? --- */

static int same(const struct model *m, const struct count *got,
		const struct m_count *want)
{
	return got->now == want->now && got->peak == want->peak &&
	       count_at_peak(got, m->l->epoch) == want->at_peak;
}

/* A name once it is told, none before. */
static int same_name(const struct module *got, const struct m_module *want)
{
	return want->name == M_NAMES ? !got->name[0] :
	       got->name[1] == (char)('0' + want->name);
}

static void compare_rows(struct model *m)
{
	const struct ledger *l = m->l;
	uint32_t exited = 0;

	m_wrong(m, !same(m, &l->traced, &m->total) || l->peak_ns != m->peak_ns,
		"the total");
	m_wrong(m, l->used_peak_pages != (uint64_t)m->used_peak ||
		l->used_peak_ns != m->used_peak_ns, "the most that was used");
	for (uint32_t i = 0; i < l->tasks.capacity; i++)
		m_wrong(m, (i < TASKS_FIXED || m->task[i].used) &&
			!same(m, &l->tasks.row[i].pages, &m->task[i].pages),
			"a task's pages");
	for (uint32_t i = 0; i < l->modules.capacity; i++)
		m_wrong(m, (i < MODULES_FIXED || m->module[i].used) &&
			!same(m, &l->modules.row[i].pages,
			      &m->module[i].pages), "a module's pages");
	for (uint32_t i = MODULES_FIXED; i < l->modules.capacity; i++)
		m_wrong(m, m->module[i].used &&
			(l->modules.row[i].state != m->module[i].state ||
			 !same_name(&l->modules.row[i], &m->module[i])),
			"a module's state or name");
	for (uint32_t i = TASKS_FIXED; i < l->tasks.capacity; i++)
		exited += m->task[i].used && !m->task[i].live;
	m_wrong(m, l->tasks.exited != exited, "how many have exited");
	for (uint32_t tid = 0; tid < M_TIDS; tid++)
		m_wrong(m, tasks_find(&l->tasks, tid) != m->known[tid],
			"who has a number");
}

/* The model's node of each new node: while its text is there. */
static void note_nodes(struct run *x)
{
	const struct stacks *s = &x->ledger.stacks;

	for (; x->nodes < s->used; x->nodes++) {
		const struct stack_node *n = &s->node[x->nodes];
		uint32_t parent = stack_parent(n);

		parent = parent < s->roots ? M_NO_NODE : x->node[parent];
		x->node[x->nodes] = m_node(&x->model, parent, n->addr,
					   stack_is_leaf(n));
	}
}

static void compare_stacks(struct run *x)
{
	struct model *m = &x->model;
	const struct stacks *s = &x->ledger.stacks;
	uint64_t sums[2] = { 0, 0 };

	for (uint32_t i = s->roots; i < s->used; i++) {
		const struct m_count *c =
			&m->module[stacks_root(s, i)].node[x->node[i]];

		if (!stack_is_leaf(&s->node[i]))
			continue;
		m_wrong(m, s->node[i].pages.now != c->now, "a stack's pages");
		m_wrong(m, s->node[i].pages.peak != c->peak, "a stack's peak");
		sums[0] += c->now;
	}
	for (uint32_t i = 0; i < M_MODULES; i++)
		for (uint32_t k = 0; k < m->nodes; k++)
			sums[1] += m->node[k].leaf ?
				   m->module[i].node[k].now : 0;
	m_wrong(m, sums[0] != sums[1], "a stack that is missing");
}

/* Does this owner say what was written down for the page? */
static int owns(const struct run *x, uint32_t owner, const struct m_page *p)
{
	const struct stacks *s = &x->ledger.stacks;
	const struct owner *o = &x->ledger.owners.row[owner];

	return stacks_root(s, o->leaf) == p->module && o->task == p->task &&
	       (o->leaf < s->roots ? M_NO_NODE : x->node[o->leaf]) == p->leaf
	       && (owner < x->ledger.owners.fixed) == p->own;
}

static void compare_pages(struct run *x)
{
	struct model *m = &x->model;
	const struct pages *p = &x->ledger.pages;
	uint32_t found = 0;

	for (uint32_t i = 0; p->flat && i < M_PAGES; i++)
		m_wrong(m, p->flat[i] ? !m->page[i].held ||
			!owns(x, p->flat[i] - 1, &m->page[i]) :
			m->page[i].held, "a page's owner");
	for (uint64_t i = 0; !p->flat && i <= p->mask; i++) {
		const struct page_slot *s = &p->slot[i];

		if (!s->owner)
			continue;
		found++;
		m_wrong(m, s->key >= M_PAGES || !m->page[s->key].held ||
			!owns(x, s->owner - 1, &m->page[s->key]),
			"a hashed page's owner");
	}
	m_wrong(m, !p->flat && found != m->held, "a hashed page is missing");
}

/* Peaks of owners are exact as long as no row was used again. */
static void compare_owners(struct run *x)
{
	struct model *m = &x->model;
	const struct ledger *l = &x->ledger;
	const struct owners *o = &l->owners;

	if (o->recycled || l->tasks.recycled || l->modules.recycled)
		return;
	for (uint32_t i = 0; i < o->used; i++) {
		const struct owner *w = &o->row[i];
		const struct m_page p = {
			.task = w->task,
			.module = stacks_root(&l->stacks, w->leaf),
			.leaf = w->leaf < l->stacks.roots ? M_NO_NODE :
				x->node[w->leaf],
		};
		const struct m_count *c = &m_owner(m, &p)->pages;

		m_wrong(m, w->now != c->now || w->peak != c->peak,
			"an owner's peak");
	}
}

static void compare_totals(struct run *x)
{
	struct model *m = &x->model;
	const struct ledger *l = &x->ledger;
	struct totals want = m->t, got = l->total;

	m_wrong(m, memcmp(&want, &got, sizeof(want)) != 0, "the counters");
	m_wrong(m, got.seen != got.applied + got.ignored + got.rejected,
		"seen is not the sum");
	m_wrong(m, l->tasks.full != m->tasks_full ||
		l->tasks.recycled != m->tasks_recycled,
		"tasks full or used again");
	m_wrong(m, l->modules.full != m->modules_full ||
		l->modules.recycled != m->modules_recycled,
		"modules full or used again");
	m_wrong(m, l->stacks.full != x->stacks_full &&
		l->stacks.used != l->stacks.capacity,
		"no room for a chain though there is");
	m_wrong(m, l->owners.full != x->owners_full &&
		(l->owners.used != l->owners.capacity || x->owners_idle),
		"no room for an owner though there is");
	m_wrong(m, l->traced.now != m->total.now, "pages held");
}

static void one_event(struct run *x, uint32_t step)
{
	struct model *m = &x->model;
	struct event e;
	enum fate fate;

	random_event(x, &e, step);
	x->stacks_full = x->ledger.stacks.full;
	x->owners_full = x->ledger.owners.full;
	x->owners_idle = x->ledger.owners.idle;
	ledger_apply(&x->ledger, &e);
	fate = model_apply(x, &e);
	m_note_peak(m, e.time_ns);
	m->t.seen++;
	m->t.applied += fate == APPLIED;
	m->t.ignored += fate == IGNORED;
	m->t.rejected += fate == REJECTED;
	compare_totals(x);
	note_nodes(x);
	if (step % 256 == 0 && !m->wrong)
		m->wrong = ledger_check(&x->ledger);
	if (step % 1024)
		return;
	compare_rows(m);
	compare_stacks(x);
	compare_pages(x);
	compare_owners(x);
}

static void start(struct run *x, const struct shape *s, uint64_t seed)
{
	const struct ram ram = {
		{ { 0x100, 1000 }, { 0x4000, 1400 } }, 2,
	};

	memset(x, 0, sizeof(*x));
	x->shape = s;
	x->random.state = seed;
	x->model.ram = ram;
	x->model.l = &x->ledger;
	arena_init(&x->arena, x->memory, sizeof(x->memory));
	if (ledger_init(&x->ledger, &x->arena, &s->layout, &ram) ||
	    (x->ledger.pages.flat != NULL) != s->flat)
		abort();
	x->nodes = x->ledger.stacks.roots;
	make_chains(&x->model, &x->random);
}

static void test_stream(struct run *x, const struct shape *s, uint64_t seed,
			uint32_t events)
{
	const struct ledger *l = &x->ledger;
	uint32_t i;

	start(x, s, seed);
	for (i = 0; i < events && !x->model.wrong; i++)
		one_event(x, i);
	if (s->span && l->total.untracked_pages)
		x->model.wrong = "untracked pages";
	tap_ok(!x->model.wrong, "%s, seed %u: %s after %u events", s->name,
	       (unsigned int)seed,
	       x->model.wrong ? x->model.wrong : "all is right", i);
	printf("# held %u, peak %u; full or used again: tasks %u %u, modules "
	       "%u %u, owners %u %u; stacks full %u, untracked %u\n",
	       l->traced.now, l->traced.peak, (unsigned int)l->tasks.full,
	       (unsigned int)l->tasks.recycled, (unsigned int)l->modules.full,
	       (unsigned int)l->modules.recycled,
	       (unsigned int)l->owners.full, (unsigned int)l->owners.recycled,
	       (unsigned int)l->stacks.full,
	       (unsigned int)l->total.untracked_pages);
}

#define FLAT (M_PAGES * 4)

static const struct shape shapes[] = {
	{ "large tables", { .pages_bytes = FLAT, .nodes = 20000,
	  .owners = 8000, .tasks = 128, .modules = 24 }, 60, 8, 1, 0 },
	/* Flat would not fit, but the hash is never full. */
	{ "hashed", { .pages_bytes = FLAT - 1, .nodes = 20000,
	  .owners = 8000, .tasks = 128, .modules = 24 }, 60, 8, 0, 380 },
	{ "few tasks", { .pages_bytes = FLAT, .nodes = 20000, .owners = 2000,
	  .tasks = 14, .modules = 24 }, 40, 8, 1, 0 },
	{ "few owners", { .pages_bytes = FLAT, .nodes = 20000, .owners = 80,
	  .tasks = 40, .modules = 24 }, 60, 8, 1, 0 },
	{ "few nodes", { .pages_bytes = FLAT, .nodes = 150, .owners = 900,
	  .tasks = 60, .modules = 24 }, 60, 8, 1, 0 },
	{ "few modules", { .pages_bytes = FLAT, .nodes = 6000, .owners = 4000,
	  .tasks = 60, .modules = 6 }, 60, 8, 1, 0 },
	{ "few pages", { .pages_bytes = 4096, .nodes = 2000, .owners = 2000,
	  .tasks = 60, .modules = 12 }, 60, 6, 0, 0 },
	{ "few of all", { .pages_bytes = 4096, .nodes = 120, .owners = 40,
	  .tasks = 12, .modules = 5 }, 60, 8, 0, 0 },
};

int main(void)
{
	struct run *x = aligned_alloc(64, (sizeof(*x) + 63) / 64 * 64);

	if (!x)
		abort();
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
		for (uint64_t seed = 1; seed <= 3; seed++)
			test_stream(x, &shapes[i], seed * 1000003 + i, 120000);
	free(x);
	return tap_plan_done();
}
