/* SPDX-License-Identifier: MIT */
/* What a client gets in its file: see tracer.h, file answer. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "control/control.h"
#include "output/output.h"
#include "tracer/tracer.h"

struct table_file {
	struct snapshot file;
	uint32_t rows, room;		/* room: rows that fit the file */
};

static void put_row(struct table_file *f, const void *row, size_t size)
{
	snapshot_put(&f->file, row, size);
	f->rows++;
}

static void put_run(struct table_file *f, struct pages_run *run)
{
	if (run->pages)
		put_row(f, run, sizeof(*run));
	run->pages = 0;
}

/* All of them return where the next part begins. */
static uint64_t put_runs(struct table_file *f, struct pages *p, uint64_t from)
{
	struct pages_run run = { .pages = 0 };
	uint32_t looked = 0;

	for (uint32_t i = 0; i < p->ram.count; i++) {
		const struct ram_range *r = &p->ram.range[i];
		const uint64_t end = r->first_pfn + r->count_pages;
		uint64_t pfn = from > r->first_pfn ? from : r->first_pfn;

		for (; pfn < end; pfn++) {
			const uint32_t owner = pages_owner(p, pfn);

			if (owner != run.owner || pfn != run.pfn + run.pages)
				put_run(f, &run);
			if (looked++ == PAGES_AT_ONCE || f->rows == f->room) {
				put_run(f, &run);
				return pfn;
			}
			if (owner && !run.pages)
				run = (struct pages_run){ pfn, 0, owner };
			run.pages += owner != 0;
		}
	}
	put_run(f, &run);
	return PAGES_END;
}

/* The flags that the innermost frame in the text of the chain's module
 * gives. */
static uint32_t flags_of_chain(const struct ledger *l, uint32_t leaf,
			       uint32_t module)
{
	const struct stacks *s = &l->stacks;

	for (; leaf >= s->roots; leaf = stack_parent(&s->node[leaf])) {
		const uint64_t addr = s->node[leaf].addr;
		const struct module_range *r =
			modules_range_at(&l->modules, addr);

		if (stack_addr_retired(addr) && stack_retired_row(addr) ==
						module)
			return PAGES_CODE_GONE;
		if (r && r->row == module)
			return r->init || l->modules.row[module].state !=
				MODULE_LIVE ? PAGES_CODE_GONE : 0;
	}
	return PAGES_LOADING;
}

static struct pages_owner describe_owner(const struct ledger *l, uint32_t row)
{
	const struct owner *o = &l->owners.row[row];
	const int has_chain = o->leaf >= l->stacks.roots;
	struct pages_owner p = { .tgid = 0 };

	if (!o->now)
		return p;
	p.tgid = l->tasks.row[o->task].tgid;
	p.module = stacks_root(&l->stacks, o->leaf);
	if (o->task == TASK_IRQ)
		p.flags |= PAGES_IRQ;
	if (o->task == TASK_OTHER)
		p.flags |= PAGES_NO_TASK;
	if (!has_chain)
		p.flags |= PAGES_NO_CHAIN;
	else if (p.module)
		p.flags |= flags_of_chain(l, o->leaf, p.module);
	return p;
}

static uint64_t put_owners(struct table_file *f, const struct ledger *l,
			   uint64_t from)
{
	for (; from < l->owners.used; from++) {
		struct pages_owner p;

		if (f->rows == OWNERS_AT_ONCE || f->rows == f->room)
			return from;
		p = describe_owner(l, (uint32_t)from);
		put_row(f, &p, sizeof(p));
	}
	return PAGES_END;
}

static uint64_t put_modules(struct table_file *f, const struct ledger *l,
			    uint64_t from)
{
	for (; from < l->modules.used; from++) {
		if (f->rows == f->room)
			return from;
		put_row(f, l->modules.row[from].name, MODULE_NAME_BYTES);
	}
	return PAGES_END;
}

static void describe(struct pages_head *h, const struct engine *g,
		     uint64_t now_ns)
{
	const struct ledger *l = &g->ledger;
	const struct ram *ram = &l->pages.ram;
	const struct before_init *b = &l->before_init;

	*h = (struct pages_head){
		.version = PAGES_VERSION, .next = PAGES_END,
		.start_ns = b->marks == 2 && !b->lost ? b->start_ns :
			    g->enabled_ns,
		.now_ns = now_ns,
		.held_pages = l->traced.now,
		.untracked_pages = l->total.untracked_pages,
		.lost = l->total.lost, .owners = l->owners.capacity,
		.modules = l->modules.capacity, .no_pages = is_sampled(l) != 0,
		.page_size = g->session.page_size, .ranges = ram->count,
	};
	for (uint32_t i = 0; i < ram->count; i++)
		h->range[i] = (struct pages_range){
			ram->range[i].first_pfn, ram->range[i].count_pages,
		};
}

/* 0 or -errno. The room of the last row is left for a run that has begun. */
static int write_table(struct engine *g, const struct control_message *m,
		       uint64_t now_ns, uint64_t bytes)
{
	struct ledger *l = &g->ledger;
	struct table_file f;
	struct pages_head h;
	int error;

	snapshot_begin(&f.file, m->file, bytes);
	f.file.at = sizeof(h);
	f.rows = 0;
	f.room = (uint32_t)((bytes - sizeof(h)) / MODULE_NAME_BYTES);
	describe(&h, g, now_ns);
	switch (h.no_pages ? PAGES_HEAD : m->part) {
	case PAGES_HEAD: break;
	case PAGES_RUNS:
		f.room = (uint32_t)((bytes - sizeof(h)) /
				    sizeof(struct pages_run)) - 1;
		h.next = put_runs(&f, &l->pages, m->from);
		break;
	case PAGES_OWNERS: h.next = put_owners(&f, l, m->from); break;
	case PAGES_MODULES: h.next = put_modules(&f, l, m->from); break;
	default: return -EINVAL;
	}
	h.count = f.rows;
	error = snapshot_write(&f.file);
	if (error)
		return error;
	return pwrite(m->file, &h, sizeof(h), 0) == sizeof(h) ? 0 : -EIO;
}

void file_answer(struct tracer *t, int client, const struct control_message *m,
		 uint64_t now_ns)
{
	uint64_t bytes;
	int error = given_check(m->file, &bytes);

	if (m->request == CONTROL_LIVE)
		engine_describe(&t->engine, "live");
	if (!error)
		error = m->request == CONTROL_LIVE ?
			reporter_write_live(&t->reporter, m, bytes) :
			write_table(&t->engine, m, now_ns, bytes);
	close(m->file);
	control_answer(client, error);
}
