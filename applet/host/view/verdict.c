/* SPDX-License-Identifier: MIT */
/* Two tables of pages, page by page: see view.h, verdict. */
#include <errno.h>
#include <string.h>
#include "base/system.h"
#include "host/view/view.h"

const struct verdict_name verdict_names[VERDICTS] = {
	[SAME] = { "same", "the same on both sides" },
	[BEFORE_TRACING] = { "before_tracing", "allocated before tracing" },
	[IN_BULK] = { "in_bulk", "allocated in bulk, without an event" },
	[MIGRATED] = { "migrated", "moved here by the kernel: page_owner has "
		"the first owner" },
	[OUTSIDE_RAM] = { "outside_ram", "not in the RAM that we know" },
	[UNDATED] = { "undated", "not held by us; page_owner has no time" },
	[NO_ROOM] = { "no_room", "no room in our table" },
	[IN_INTERRUPT] = { "in_interrupt", "in an interrupt: page_owner has "
		"the interrupted task" },
	[TASK_GONE] = { "task_gone", "of a task that has no row any more" },
	[THREAD_ONLY] = { "thread_only", "page_owner has the thread, not the "
		"process" },
	[WITHOUT_TASKS] = { "without_tasks", "page_owner has no task" },
	[LOADING] = { "loading", "of the module that was being loaded" },
	[NO_CHAIN] = { "no_chain", "we have no stack of it" },
	[BOOK_NO_CHAIN] = { "book_no_chain", "page_owner has no stack of it" },
	[CODE_GONE] = { "code_gone", "by code that is gone, of which page_owner "
		"has no name or a later one" },
	[DEEP_STACK] = { "deep_stack", "the stack is deeper than page_owner's" },
	[NO_MODULE_ROW] = { "no_module_row", "of a module that has no row" },
	[THEIRS_CHANGED] = { "theirs_changed", "changed meanwhile" },
	[OURS_CHANGED] = { "ours_changed", "held by us for a moment" },
	[NOT_OURS] = { "not_ours", "not held by us" },
	[NOT_THEIRS] = { "not_theirs", "not in page_owner" },
	[OTHER_ORDER] = { "other_order", "another order" },
	[OTHER_TASK] = { "other_task", "another task" },
	[OTHER_MODULE] = { "other_module", "another module" },
};

/* page_owner keeps 16 frames (PAGE_OWNER_STACK_DEPTH). */
#define THEIR_FRAMES 16u

static uint64_t take_frame(void *context, const struct frame *f)
{
	struct stack_facts *s = &((struct judge *)context)->stack;
	const struct word module = { f->module, f->module_len };

	s->stamp = text_hash(s->stamp, &f->offset, sizeof(f->offset));
	if (!f->name) {
		s->nameless |= !s->module[0];
		return 0;
	}
	s->stamp = text_hash(s->stamp, f->name, f->name_len);
	if (find_text(f->name, f->name_len, "alloc_pages_bulk") ||
	    find_text(f->name, f->name_len, "alloc_contig_"))
		s->in_bulk = 1;
	if (find_text(f->name, f->name_len, "register_dummy_stack") ||
	    find_text(f->name, f->name_len, "register_failure_stack"))
		s->replaced = 1;
	if (f->module && !s->module[0])
		word_copy(&module, s->module, sizeof(s->module));
	return 0;
}

/* What distinguishes a record from another record of the same page. If the
 * record has a time, the time is enough: the rest may change while the page is
 * held. */
static uint32_t stamp_of(const struct owner_record *r,
			 const struct stack_facts *s)
{
	uint32_t stamp = text_hash(r->order, &r->ts_ns, sizeof(r->ts_ns));

	stamp = text_hash(stamp, &r->pid, sizeof(r->pid));
	if (!r->ts_ns)
		stamp = text_hash(stamp, &s->stamp, sizeof(s->stamp));
	return stamp ? stamp : 1;
}

/* The first of so many neighbours, or NULL: RAM has not all of them. */
static struct judged_page *pages_of(const struct judge *j, uint64_t pfn,
				    uint64_t pages)
{
	struct judged_page *p = j->page;

	for (uint32_t i = 0; i < j->ranges; i++) {
		const struct pages_range *r = &j->range[i];
		const uint64_t at = pfn - r->first_pfn;

		if (at < r->pages)
			return pages <= r->pages - at ? p + at : NULL;
		p += r->pages;
	}
	return NULL;
}

static void keep(struct judge *j, const struct difference *d)
{
	if (j->differences < DIFFERENCES_KEPT)
		j->difference[j->differences] = *d;
	j->differences++;
}

static void describe_ours(const struct judge *j, uint32_t owner,
			  struct difference *d)
{
	const struct pages_owner *o = &j->owner[owner - 1];

	d->our_tgid = o->flags & (PAGES_IRQ | PAGES_NO_TASK) ? UINT32_MAX :
		      o->tgid;
	if (o->module && o->module < j->modules)
		memcpy(d->our_module, j->module[o->module],
		       MODULE_NAME_BYTES - 1);
}

static void decide(struct judge *j, const struct owner_record *r,
		   enum page_verdict v, uint32_t owner)
{
	struct difference d = {
		.verdict = v, .pfn = r->pfn, .pages = r->pages,
		.our_tgid = UINT32_MAX,
		.tgid = r->tgid ? r->tgid : r->has_pid ? r->pid : UINT32_MAX,
	};

	j->pages[v] += r->pages;
	if (v < UNEXPLAINED)
		return;
	if (owner)
		describe_ours(j, owner, &d);
	memcpy(d.comm, r->comm, sizeof(d.comm));
	memcpy(d.module, j->stack.module, sizeof(d.module));
	keep(j, &d);
}

static enum page_verdict why_not_ours(struct judge *j,
				      const struct owner_record *r)
{
	if (j->stack.in_bulk)
		return IN_BULK;
	if (r->migrated)
		return MIGRATED;
	if (!r->has_pid)
		return UNDATED;
	if (r->ts_ns < j->start_ns)
		return BEFORE_TRACING;
	if (j->pages[NO_ROOM] + r->pages <= j->untracked_pages)
		return NO_ROOM;
	return NOT_OURS;
}

static enum page_verdict judge_task(const struct owner_record *r,
			       const struct pages_owner *o)
{
	if (!r->has_pid)
		return WITHOUT_TASKS;
	if (o->flags & PAGES_IRQ)
		return IN_INTERRUPT;
	if (o->flags & PAGES_NO_TASK)
		return TASK_GONE;
	if (o->tgid == (r->tgid ? r->tgid : r->pid))
		return SAME;
	return r->tgid || !r->pid ? OTHER_TASK : THREAD_ONLY;
}

/* Row 0 is no module, row 1 those without a row. */
static enum page_verdict judge_module(const struct judge *j,
				 const struct owner_record *r,
				 const struct pages_owner *o)
{
	const struct stack_facts *s = &j->stack;
	const char *name = o->module && o->module < j->modules ?
			   j->module[o->module] : "";

	if (o->flags & PAGES_NO_CHAIN && (!o->module || !s->module[0]))
		return s->module[0] ? NO_CHAIN : o->module ? LOADING : SAME;
	if (o->module == 1)
		return NO_MODULE_ROW;
	if (!strncmp(name, s->module, MODULE_NAME_BYTES))
		return SAME;
	if (o->flags & PAGES_LOADING && !s->module[0])
		return LOADING;
	if (s->replaced)
		return BOOK_NO_CHAIN;
	if (s->nameless || o->flags & PAGES_CODE_GONE)
		return CODE_GONE;
	return r->frames >= THEIR_FRAMES && !s->module[0] ? DEEP_STACK :
							    OTHER_MODULE;
}

static enum page_verdict judge_owner(const struct judge *j,
				const struct owner_record *r, uint32_t owner)
{
	const struct pages_owner *o = &j->owner[owner - 1];
	const enum page_verdict task = judge_task(r, o);
	const enum page_verdict module = judge_module(j, r, o);

	if (task < UNEXPLAINED && module < UNEXPLAINED)
		return task == SAME ? module : task;
	if (r->migrated)
		return MIGRATED;
	return task >= UNEXPLAINED ? task : module;
}

static void judge_block(struct judge *j, const struct owner_record *r,
			const struct judged_page *first)
{
	const uint32_t owner = first->owner;
	uint64_t held = 0, same = 0;

	for (uint64_t i = 0; i < r->pages; i++) {
		held += first[i].owner != 0;
		same += first[i].owner == owner;
	}
	if (first->stamp != stamp_of(r, &j->stack))
		decide(j, r, THEIRS_CHANGED, owner);
	else if (!held)
		decide(j, r, why_not_ours(j, r), 0);
	else if (held == r->pages && same == held && owner <= j->owners)
		decide(j, r, judge_owner(j, r, owner), owner);
	else
		decide(j, r, r->migrated ? MIGRATED : OTHER_ORDER, 0);
}

static void judge_record(struct judge *j)
{
	const struct owner_record *r = &j->text.record;
	struct judged_page *p = pages_of(j, r->pfn, r->pages);

	if (!r->has_pfn)
		return;
	if (j->after) {
		j->records++;
		j->their_pages += r->pages;
	} else if (r->pfn == j->clock_pfn && r->ts_ns) {
		j->clock_ns = r->ts_ns;
	}
	if (!p) {
		if (j->after)
			decide(j, r, OUTSIDE_RAM, 0);
		return;
	}
	for (uint64_t i = 0; i < r->pages; i++)
		p[i].seen |= j->after ? SEEN_AFTER : SEEN_BEFORE;
	if (j->after)
		judge_block(j, r, p);
	else
		p->stamp = stamp_of(r, &j->stack);
}

static void take_record(void *context)
{
	struct judge *j = context;

	judge_record(j);
	memset(&j->stack, 0, sizeof(j->stack));
}

void judge_begin_round(struct judge *j)
{
	struct judged_page *p = j->page;

	for (uint32_t i = 0; j->round && i < j->ranges; i++)
		for (uint64_t k = j->range[i].pages; k; k--, p++)
			p->stamp = p->owner = p->seen = 0;
	memset(j->pages, 0, sizeof(j->pages));
	j->our_pages = j->their_pages = j->records = 0;
	j->differences = 0;
	j->after = 0;
	memset(&j->stack, 0, sizeof(j->stack));
	j->text = (struct owner_text){
		.take_frame = take_frame, .take_record = take_record,
		.context = j,
	};
}

void judge_wrong_line(struct judge *j)
{
	if (++j->wrong_here > j->wrong_lines)
		j->wrong_lines = j->wrong_here;
}

/* The facts of a stack are of one record. */
static const char *judge_problem(struct judge *j, const char *problem)
{
	if (!problem)
		return NULL;
	judge_wrong_line(j);
	memset(&j->stack, 0, sizeof(j->stack));
	return problem;
}

const char *judge_line(struct judge *j, const char *line, size_t len)
{
	return judge_problem(j, owner_line(&j->text, line, len));
}

const char *judge_end_text(struct judge *j)
{
	const char *problem = judge_problem(j, owner_end(&j->text));

	j->after = 1;
	j->wrong_here = 0;
	return problem;
}

int judge_run(struct judge *j, const struct pages_run *run)
{
	struct judged_page *p = pages_of(j, run->pfn, run->pages);

	if (!p || !run->owner)
		return -EINVAL;
	for (uint32_t i = 0; i < run->pages; i++)
		p[i].owner = run->owner;
	j->our_pages += run->pages;
	return 0;
}

/* A page that only we hold: is it one in this round? */
static int is_lone(const struct judge *j, const struct judged_page *p)
{
	const uint32_t tgid = p->owner && p->owner <= j->owners ?
			      j->owner[p->owner - 1].tgid : 0;

	if (tgid && (tgid == j->checks[0] || tgid == j->checks[1]))
		return 0;
	return p->owner && !p->seen && (!j->round || p->lone == p->owner);
}

/* Pages that only we hold, as many as are alike, are one difference. */
static void note_lone(struct judge *j, uint64_t pfn, uint64_t pages,
		      uint32_t owner)
{
	struct difference d = {
		.verdict = NOT_THEIRS, .pfn = pfn, .pages = pages,
		.our_tgid = UINT32_MAX, .tgid = UINT32_MAX,
	};

	if (!pages)
		return;
	if (owner <= j->owners)
		describe_ours(j, owner, &d);
	j->pages[NOT_THEIRS] += pages;
	keep(j, &d);
}

static void judge_range(struct judge *j, const struct pages_range *r,
			struct judged_page *p)
{
	uint64_t lone = 0;
	uint32_t owner = 0;

	for (uint64_t i = 0; i < r->pages; i++, p++) {
		const int is = is_lone(j, p);

		if (!is || p->owner != owner) {
			note_lone(j, r->first_pfn + i - lone, lone, owner);
			lone = 0;
		}
		owner = p->owner;
		lone += (uint64_t)is;
		if (!is && owner && !(p->seen & SEEN_AFTER))
			j->pages[OURS_CHANGED]++;
		p->lone = is ? owner : UINT32_MAX;
	}
	note_lone(j, r->first_pfn + r->pages - lone, lone, owner);
}

void judge_end_round(struct judge *j)
{
	struct judged_page *p = j->page;

	for (uint32_t i = 0; i < j->ranges; i++) {
		judge_range(j, &j->range[i], p);
		p += j->range[i].pages;
	}
	j->round++;
}

uint64_t judge_unexplained(const struct judge *j)
{
	uint64_t sum = 0;

	for (enum page_verdict v = UNEXPLAINED; v < VERDICTS; v++)
		sum += j->pages[v];
	return sum;
}
