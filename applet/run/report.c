/* SPDX-License-Identifier: MIT */
/*
 * The report of a run: what is in it.
 *
 * The sum of the tree is that of our page account, exact after each event: all
 * pages that its processes made the kernel hand out, and that were not freed:
 * their own memory, page tables, slab, and files that they were the first to
 * read. The peaks of single processes never stood at one instant, and are not
 * added up.
 */
#include "output/output.h"
#include "run/run.h"

/* Rows of a text; of level 3, all. */
#define TOP_1 20u
#define TOP_2 100u

static uint32_t rows_shown(const struct run *r, enum format f, uint32_t count)
{
	static const uint32_t top[] = { 0, TOP_1, TOP_2 };
	uint32_t shown = r->config.top;

	if (!shown && f == FORMAT_TEXT && r->config.level < 3)
		shown = top[r->config.level];
	if (r->config.lines && (!shown || shown > r->config.lines))
		shown = r->config.lines;
	return shown && shown < count ? shown : count;
}

/* The first rows are the largest ones; all of them are in order of time. */
static void outline(struct run *r, enum format f, struct outline *o)
{
	const struct processes *p = &r->processes;

	*o = (struct outline){ .count = processes_sort(&r->processes, 0) };
	/* Without events those without a row may be anybody's. */
	o->seen = o->count + (r->traces ? r->processes.full : 0);
	o->shown = rows_shown(r, f, o->count);
	if (o->shown < o->count)
		processes_sort(&r->processes, 1);
	o->source = r->traces ? r->tracer.engine.source->kind->name : NULL;
	for (uint32_t i = 0; i < o->count; i++) {
		o->running += !(p->row[p->order[i]].known & ENDED);
		o->left_pages += p->row[p->order[i]].left_pages;
	}
}

/* What the figures lack. */
static void note_losses(struct run *r)
{
	const struct tasks *t = &r->tracer.engine.ledger.tasks;
	const struct totals *l = &r->tracer.engine.ledger.total;

	if (r->lost)
		session_note(&r->missing, "%llu events were lost: raise --ring",
			     (unsigned long long)r->lost);
	if (l->untracked_pages)
		session_note(&r->missing, "%llu pages found no room: raise "
			     "--pages", (unsigned long long)l->untracked_pages);
	if (r->traces && (r->processes.full || t->full))
		session_note(&r->missing, "%llu processes found no room: raise "
			     "--tasks", (unsigned long long)
			     (r->processes.full ? r->processes.full : t->full));
	if (t->recycled)
		session_note(&r->missing, "%llu rows of tasks that held nothing "
			     "were used again: their pages at the peak are not "
			     "known: raise --tasks",
			     (unsigned long long)t->recycled);
	if (r->stats.losses)
		session_note(&r->missing, "records of taskstats were lost, %llu "
			     "times one or more",
			     (unsigned long long)r->stats.losses);
	if (r->cgroup.why[0])
		session_note(&r->missing, "cgroup: %s", r->cgroup.why);
}

/* What the kernel charges to a cgroup and no event of a page shows. Most of it,
 * by far, can be objects of slab: they fill pages that were there before. */
static void note_more(struct run *r)
{
	const struct cgroup *c = &r->cgroup;
	const uint64_t ours_kib = r->tracer.engine.ledger.used_peak_pages *
				  r->page_kib;

	if (r->traces && c->made && c->peak_kib != UNKNOWN &&
	    c->peak_kib > ours_kib)
		print_to(r->more, sizeof(r->more), "%llu KiB more in "
			 "memory.peak: slab objects in pages of others, kernel "
			 "stacks, vmalloc, per-CPU memory, up to 64 pages a CPU "
			 "ahead", (unsigned long long)(c->peak_kib - ours_kib));
}

static void write_as(void *account, enum format f, struct out *out)
{
	struct run *r = account;
	struct outline o;
	struct page g;

	outline(r, f, &o);
	page_for(&g, r, f, out);
	(f == FORMAT_JSON ? run_json : run_text)(&g, &o);
}

void run_report(struct run *r)
{
	struct page g;
	int error;

	note_losses(r);
	note_more(r);
	error = page_begin(&g, r);
	if (!error) {
		write_as(r, r->config.format, &r->to.out);
		error = page_end(&g);
	}
	if (error)
		complain_error("the report", error);
	beside_write_as(&r->config, write_as, r, &r->sink);
}
