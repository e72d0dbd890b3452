/* SPDX-License-Identifier: MIT */
/*
 * Events applied to a ledger by hand: what no replayed trace shows, since its
 * report does not, or no kernel writes such a trace. What the books are after
 * ordinary events is in tests/replay/cases.
 *
 * late.c: runs of pages; and a loss beside it never makes a counter wrap. What
 * one stopped CPU holds back, tests/replay/random.t compares with the model.
 */
#include "exact.h"
#include "ledger_fixture.h"

#define EXT4 0xffffffffc0100000u
#define LOOP 0xffffffffc0200000u
#define INIT 0xffffffffc0300000u
#define KERNEL 0xffffffff81000000u
#define TEXT_BYTES 0x10000u

static const uint64_t in_kernel[] = { KERNEL + 1, KERNEL + 2, 0 };
static const uint64_t through_init[] = {
	LOOP + 8, INIT + 8, KERNEL + 2, 0,
};

/* A thread's exit and the fork of a process with its number are both lost:
 * the number's threads are not the old process's. */
static void test_leader_reuse(struct fixture *f)
{
	forked(f, 100, 100, 1);
	forked(f, 200, 100, 100);
	page_event(f, EVENT_ALLOC, 201, 200, FIRST_PFN, 0);
	tap_ok(!task(f, 100)->pages.now && task(f, 200)->tgid == 200 &&
	       task(f, 200)->pages.now == 1,
	       "page of a thread of 200, once a thread of 100: charged to "
	       "tgid %u", task(f, 200)->tgid);
	forked(f, 300, 100, 100);
	forked(f, 301, 300, 300);
	tap_ok(task(f, 301)->process == tasks_find(&f->ledger.tasks, 300) &&
	       task(f, 300)->tgid == 300,
	       "thread of 300, once a thread of 100: leads to tgid %u",
	       f->ledger.tasks.row[task(f, 301)->process].tgid);
}

/* The row of the process that a new thread belongs to is not taken for it. */
static void test_full_for_thread(struct fixture *f)
{
	task_event(f, EVENT_COMM, 10, 10, "gone");
	task_event(f, EVENT_EXIT, 10, 10, "");
	forked(f, 11, 10, 10);
	tap_ok(f->ledger.total.rejected == 1 && task(f, 10)->tid == 10,
	       "a process outlives its first thread, and keeps its row");
}

/* The first thread exits before the one that executes a program has its
 * number. */
static void test_exec_by_thread(struct fixture *f)
{
	struct event exec = { .type = EVENT_COMM, .tid = 10, .tgid = 10,
			      .flags = EVENT_EXEC, .name = "program" };
	const struct task *k;

	forked(f, 10, 10, 1);
	page_event(f, EVENT_ALLOC, 10, 10, FIRST_PFN + 32, 3);
	ledger_follow(&f->ledger, 10);
	forked(f, 11, 10, 10);
	page_event(f, EVENT_ALLOC, 11, 10, FIRST_PFN, 0);
	task_event(f, EVENT_EXIT, 10, 10, "");
	apply(f, &exec);
	page_event(f, EVENT_ALLOC, 10, 10, FIRST_PFN + 4, 1);
	forked(f, 12, 12, 10);
	page_event(f, EVENT_ALLOC, 12, 12, FIRST_PFN + 8, 2);
	k = task(f, 10);
	tap_ok(k->in_tree && k->parent_tgid == 1 && !strcmp(k->comm, "program"),
	       "who executes a program as a thread is still its process");
	tap_ok(f->ledger.tree_pages == 15, "and in the tree, with its children: %u",
	       (unsigned int)f->ledger.tree_pages);
	task_event(f, EVENT_EXIT, 10, 10, "");
	task_event(f, EVENT_COMM, 10, 10, "another");
	page_event(f, EVENT_ALLOC, 10, 10, FIRST_PFN + 16, 0);
	tap_ok(f->ledger.tree_pages == 15, "without an exec it is another one");
}

/* --- modules --- */

static const struct owner *owner_of_page(const struct fixture *f,
					 uint32_t page)
{
	return &f->ledger.owners.row[f->ledger.pages.flat[page] - 1];
}

/* The second frame of a page's stack. */
static uint64_t caller_of_page(const struct fixture *f, uint32_t page)
{
	const struct stack_node *n = f->ledger.stacks.node;

	return n[stack_parent(&n[owner_of_page(f, page)->leaf])].addr;
}

/* The next module in a row takes the same way through the kernel. */
static void test_row_again(struct fixture *f)
{
	const struct stacks *s = &f->ledger.stacks;
	const struct owner *o;
	uint32_t leaf;

	task_event(f, EVENT_LOAD_ENTER, 1, 1, "");
	take_by(f, 1, 1, 0, 3, in_kernel);
	task_event(f, EVENT_MODULE_LOAD, 1, 1, "ext4");
	task_event(f, EVENT_LOAD_EXIT, 1, 1, "");
	o = owner_of_page(f, 0);
	leaf = o->leaf;
	tap_ok(o->peak == 8 && s->node[leaf].pages.peak == 8 &&
	       stacks_root(s, leaf) == MODULES_FIXED, "a module's stack");
	page_event(f, EVENT_FREE, 1, 1, FIRST_PFN, 3);
	task_event(f, EVENT_MODULE_FREE, 1, 1, "ext4");
	task_event(f, EVENT_LOAD_ENTER, 1, 1, "");
	take_by(f, 1, 1, 0, 1, in_kernel);
	o = owner_of_page(f, 0);
	tap_ok(o->leaf == leaf && o->peak == 2 && s->node[leaf].pages.peak == 2,
	       "its peaks are not the next one's");
}

/* A frame keeps the name of what was there, or none: never another module's. */
static void test_retired_row_again(struct fixture *f)
{
	const struct modules *m = &f->ledger.modules;
	uint64_t row;

	module_text(f, "loop", LOOP, TEXT_BYTES, 0);
	module_text(f, "ext4", INIT, TEXT_BYTES, EVENT_INIT_TEXT);
	take_by(f, 1, 1, 0, 0, through_init);
	module_text(f, "squashfs", INIT, TEXT_BYTES, 0);
	task_event(f, EVENT_MODULE_FREE, 1, 1, "ext4");
	module_text(f, "overlay", EXT4, TEXT_BYTES, 0);
	row = stack_retired_row(caller_of_page(f, 0));
	tap_ok(m->idle.recycled == 1 && strcmp(m->row[row].name, "overlay"),
	       "a frame of ext4 is named %s", m->row[row].name);
}

/* Init fails, the image is freed, and before the system call has returned
 * another task starts a load. */
static void test_row_in_use(struct fixture *f)
{
	task_event(f, EVENT_LOAD_ENTER, 1, 1, "");
	task_event(f, EVENT_MODULE_LOAD, 1, 1, "bad");
	task_event(f, EVENT_MODULE_FREE, 1, 1, "bad");
	task_event(f, EVENT_LOAD_ENTER, 2, 2, "");
	take_by(f, 1, 1, 0, 0, NULL);
	take_by(f, 2, 2, 1, 1, NULL);
	apply(f, &(struct event){ .type = EVENT_LOAD_EXIT, .tid = 1, .tgid = 1,
				  .result = -19 });
	tap_ok(f->ledger.modules.row[MODULES_FIXED].state != MODULE_LOADING &&
	       module(f, "bad")->pages.now == 1,
	       "the row of a module being loaded is not used again");
	tap_ok(f->ledger.modules.row[MODULE_OTHER].pages.now == 2,
	       "the other load has found no room");
}

/* More rows than columns: who holds least makes room for who holds more. */
static void test_columns(struct fixture *f)
{
	static struct task row[HISTORY_COLUMNS + 2];
	const struct modules m = { .used = 0 };
	const struct tasks t = { .row = row, .used = ARRAY_LEN(row) };
	struct history h = { .on = 0 };
	const struct series *s = &h.tasks;

	for (uint32_t i = 0; i < ARRAY_LEN(row); i++)
		row[i].pages.now = 10 + i;
	row[5].pages.now = 3;
	row[HISTORY_COLUMNS].pages.now = 7;
	row[HISTORY_COLUMNS + 1].pages.now = 5;
	history_init(&h, &f->arena, 1, ARRAY_LEN(row));
	history_point(&h, 0, 1, &m, &t);
	tap_ok(h.on && s->of_row[HISTORY_COLUMNS] == 6 && !s->of_row[5] &&
	       !s->of_row[HISTORY_COLUMNS + 1] && s->column[5].since_ns == 1 &&
	       s->pages[5 * TIMELINE_POINTS] == 7 && !s->column[4].since_ns,
	       "the smallest column goes to a larger row");
}

/* Two rows become one, as when a table's row is used again. */
static void test_fold(void)
{
	const uint32_t epoch = 2;	/* the peak ended epoch 1 */
	struct count to = { 0 }, from = { 0 };

	count_add(&to, 1, 5);
	count_add(&from, 1, 4);
	count_sub(&to, epoch, 3);
	count_sub(&from, epoch, 3);
	count_fold(&to, &from, epoch);
	tap_ok(to.now == 3 && to.peak == 9 && count_at_peak(&to, epoch) == 9,
	       "the pages of both, and those of both at the peak");
	tap_ok(!from.now && !from.peak && !count_at_peak(&from, epoch),
	       "nothing is left in the other");
}

/* --- late.c --- */

/* Pages that follow one another are one run, if they are of one time. */
static void test_runs(void)
{
	static struct late l;

	for (uint64_t pfn = 100; pfn < 108; pfn++)
		late_note(&l, pfn, 50);
	for (uint64_t pfn = 1; pfn < LATE_RUNS; pfn++)
		late_note(&l, 1000 + 2 * pfn, 60);
	tap_ok(late_is_over(&l, 107, 49), "as many runs as there is room for");
	late_note(&l, 5000, 60);
	tap_ok(!late_is_over(&l, 107, 49) && late_is_over(&l, 5000, 59),
	       "then the oldest is forgotten");
}

/* The same pages again and again, each time as if it were the missing event. */
static void test_no_wrap(void)
{
	struct fixture *f = fixture_new();
	const struct totals *t = &f->ledger.total;
	struct event e = { .tid = 10, .tgid = 10, .pfn = FIRST_PFN };

	e.type = EVENT_FREE;
	e.time_ns = 5000;
	ledger_apply(&f->ledger, &e);
	e.type = EVENT_ALLOC;
	for (e.time_ns = 4000; e.time_ns < 4003; e.time_ns++)
		ledger_apply(&f->ledger, &e);
	tap_ok(!t->before_frees && t->settled_pages == 3,
	       "more allocations than were missing: none is below nothing");
	for (e.time_ns = 6000; e.time_ns < 6002; e.time_ns++)
		ledger_apply(&f->ledger, &e);
	e.type = EVENT_FREE;
	for (e.time_ns = 5500; e.time_ns < 5503; e.time_ns++)
		ledger_apply(&f->ledger, &e);
	tap_ok(!t->missed_frees && t->settled_pages == 6 &&
	       f->ledger.traced.now == 1, "nor do more frees than were");
	free(f);
}

int main(void)
{
	static const struct fixture_test tests[] = {
		{ "a leader's number used again",
		  test_leader_reuse, 62, 14, 0 },
		{ "no row for a thread", test_full_for_thread, 1, 14, 0 },
		{ "a row used again", test_row_again, 62, 1, 0 },
		{ "a row in use", test_row_in_use, 62, 1, 0 },
		{ "exec by a thread", test_exec_by_thread, 62, 14, 0 },
		{ "a retired frame whose row is used again",
		  test_retired_row_again, 62, 3, 0 },
		{ "more rows than columns", test_columns, 62, 1, 0 },
	};

	test_fold();
	test_runs();
	test_no_wrap();
	fixture_run(tests, ARRAY_LEN(tests));
	return tap_plan_done();
}
