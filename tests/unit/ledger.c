/* SPDX-License-Identifier: MIT */
/*
 * Events applied to a ledger by hand: pages, who holds them, and what their
 * peaks are, where the right figure can be counted on fingers. Modules are in
 * ledger_loading.c, random streams in ledger_random.c.
 */
#include "ledger_fixture.h"

static void test_order9(void)
{
	struct fixture *f = fixture_new();
	uint32_t wrong = 0;

	tap_ok(take(f, 7, 512, 9) == APPLIED && holds(f, &task(f, 7)->pages,
						     512, 512, 512),
	       "an allocation of order 9 is 512 pages");
	for (uint32_t i = 0; i < 512; i++)
		wrong += give(f, 8, 512 + (i * 37) % 512, 0) != APPLIED ||
			 f->ledger.traced.now != 511 - i;
	tap_ok(!wrong, "freed page by page, by another task");
	tap_ok(holds(f, &task(f, 7)->pages, 0, 512, 512),
	       "it is the taker's account that falls");
	tap_ok(f->ledger.total.allocs == 1 && f->ledger.total.frees == 512 &&
	       !f->ledger.total.before_frees, "one alloc, 512 frees");
	tap_ok(give(f, 7, 512, 9) == IGNORED &&
	       f->ledger.total.before_frees == 512,
	       "freed once more: 512 pages of before");
	balance(f, "order 9");
}

static void test_free_of_many(void)
{
	struct fixture *f = fixture_new();

	take(f, 1, 0, 1);	/* pages 0, 1 */
	take(f, 2, 3, 0);	/* page 3 */
	take(f, 1, 4, 2);	/* pages 4 to 7 */
	take(f, 2, 8, 0);	/* not in the block */
	tap_ok(give(f, 3, 0, 3) == APPLIED, "order 3 over two owners");
	tap_ok(holds(f, &task(f, 1)->pages, 0, 6, 6), "the first lost 6");
	tap_ok(holds(f, &task(f, 2)->pages, 1, 2, 2), "the second 1");
	tap_ok(f->ledger.total.before_frees == 1 && f->ledger.traced.now == 1,
	       "page 2 was nobody's: from before");
	tap_ok(f->ledger.total.frees == 1, "one event");
	balance(f, "a free over many owners");
}

static void test_missed_free(void)
{
	struct fixture *f = fixture_new();

	take(f, 1, 0, 3);
	take(f, 2, 16, 0);
	tap_ok(take(f, 2, 4, 2) == APPLIED, "held pages are allocated again");
	tap_ok(f->ledger.total.missed_frees == 4, "four frees were missed");
	tap_ok(holds(f, &task(f, 1)->pages, 4, 8, 8), "settled with the first");
	tap_ok(holds(f, &task(f, 2)->pages, 5, 5, 1), "charged to the second");
	tap_ok(holds(f, &f->ledger.traced, 9, 9, 9) ||
	       (f->ledger.traced.now == 9 && f->ledger.traced.peak == 9),
	       "the total never stood at thirteen");
	take(f, 2, 4, 2);
	tap_ok(task(f, 2)->pages.now == 5 && task(f, 2)->pages.peak == 5,
	       "one's own pages again: never more than there are");
	balance(f, "a missed free");
}

static void test_not_charged(void)
{
	struct fixture *f = fixture_new();
	const struct totals *t = &f->ledger.total;

	tap_ok(give(f, 1, 0, 0) == IGNORED && t->before_frees == 1 &&
	       t->frees == 1, "a page from before is counted apart");
	tap_ok(page_event(f, EVENT_ALLOC, 1, 1, UINT64_MAX, 4) == IGNORED &&
	       t->failed_allocs == 1 && !t->allocs,
	       "an allocation that failed");
	tap_ok(page_event(f, EVENT_ALLOC, 1, 1, FIRST_PFN - 1, 0) ==
	       REJECTED && t->outside_ram == 1, "a page below RAM");
	tap_ok(page_event(f, EVENT_FREE, 1, 1, FIRST_PFN + RAM_PAGES, 0) ==
	       REJECTED && t->outside_ram == 2, "one above");
	tap_ok(page_event(f, EVENT_ALLOC, 1, 1, UINT64_MAX - 1, 0) ==
	       REJECTED, "one above all");
	tap_ok(take(f, 1, 0, ORDER_MAX + 1) == REJECTED &&
	       take(f, 1, 0, UINT32_MAX) == REJECTED &&
	       give(f, 1, 0, 63) == REJECTED, "an order that cannot be");
	tap_ok(!f->ledger.traced.peak && !t->allocs && t->frees == 1,
	       "nothing of this was charged");
	tap_ok(take(f, 1, RAM_PAGES - 2, 2) == APPLIED &&
	       f->ledger.traced.now == 2 && t->outside_ram == 4,
	       "a block over RAM's end: the part inside, and it is told");
	tap_ok(task_event(f, EVENT_REJECTED, 1, 1, "") == REJECTED &&
	       t->bad_records == 1, "a record that fitted no format");
	tap_ok(task_event(f, 4711, 1, 1, "") == REJECTED &&
	       task_event(f, 0, 1, 1, "") == REJECTED, "a type of no meaning");
	balance(f, "what is not charged");
}

/* A block that goes beyond the last number there is: no kernel has one, a
 * damaged trace may. */
static void test_wrapping_block(void)
{
	const struct layout want = {
		.pages_bytes = 4096, .nodes = 64, .owners = 32, .tasks = 8,
		.modules = 4,
	};
	struct fixture *f = fixture_with(&want);
	const struct ram low = { { { 0, 64 } }, 1 };

	memset(f->memory, 0, sizeof(f->memory));
	arena_init(&f->arena, f->memory, sizeof(f->memory));
	if (ledger_init(&f->ledger, &f->arena, &want, &low))
		abort();
	tap_ok(page_event(f, EVENT_ALLOC, 1, 1, UINT64_MAX - 3, 3) == REJECTED,
	       "a block does not go on at page 0");
	tap_ok(!f->ledger.traced.now, "%u pages held", f->ledger.traced.now);
	balance(f, "the end of all pages");
}

static void test_peaks(void)
{
	struct fixture *f = fixture_new();
	const struct ledger *l = &f->ledger;
	uint64_t peak_ns;

	take(f, 1, 0, 3);		/* 8 | 0: total 8, new high */
	take(f, 2, 8, 1);		/* 8 | 2: 10 */
	peak_ns = f->now_ns;
	give(f, 1, 0, 2);		/* 4 | 2 */
	take(f, 2, 16, 2);		/* 4 | 6: 10, as high as before */
	tap_ok(l->peak_ns == peak_ns && l->traced.peak == 10,
	       "the peak is the first moment it stood so high");
	tap_ok(holds(f, &task(f, 1)->pages, 4, 8, 8) &&
	       holds(f, &task(f, 2)->pages, 6, 6, 2),
	       "what each held then, not what each held at most");
	give(f, 1, 4, 2);		/* 0 | 6 */
	take(f, 2, 32, 3);		/* 0 | 14: new high */
	tap_ok(l->peak_ns == f->now_ns && l->traced.peak == 14 &&
	       holds(f, &task(f, 1)->pages, 0, 8, 0) &&
	       holds(f, &task(f, 2)->pages, 14, 14, 14), "a new high");
	tap_ok(holds(f, &l->modules.row[MODULE_NONE].pages, 14, 14, 14),
	       "no module was in it");
	balance(f, "peaks");
}

static void test_stacks(void)
{
	static const uint64_t a[] = { 0x10, 0x20, 0x30, 0 };
	static const uint64_t b[] = { 0x11, 0x20, 0x30, 0 };
	struct fixture *f = fixture_new();
	const struct stack_node *n = f->ledger.stacks.node;
	uint32_t outer = f->ledger.stacks.roots;

	take_by(f, 1, 1, 0, 2, a);
	take_by(f, 2, 2, 8, 1, b);
	give(f, 1, 0, 2);
	take_by(f, 1, 1, 16, 0, a);
	tap_ok(n[outer].addr == 0x30 && !stack_is_leaf(&n[outer]),
	       "the outermost frame: shared");
	tap_ok(n[outer + 2].addr == 0x10 && n[outer + 2].pages.now == 1 &&
	       n[outer + 2].pages.peak == 4 && n[outer + 3].addr == 0x11 &&
	       n[outer + 3].pages.now == 2 && n[outer + 3].pages.peak == 2,
	       "the inner ones: each its own");
	tap_ok(f->ledger.total.anon_pages == 0, "all had a chain");
	take(f, 1, 40, 1);
	tap_ok(f->ledger.total.anon_pages == 2 && task(f, 1)->pages.now == 3, "two pages without one");
	balance(f, "stacks");
}

static void test_irq(void)
{
	struct fixture *f = fixture_new();
	struct event e = { .type = EVENT_ALLOC, .tid = 7, .tgid = 7,
			   .flags = EVENT_IRQ, .pfn = FIRST_PFN, .order = 1 };

	tap_ok(apply(f, &e) == APPLIED &&
	       f->ledger.tasks.row[TASK_IRQ].pages.now == 2,
	       "interrupts are charged to (irq)");
	tap_ok(!tasks_find(&f->ledger.tasks, 7),
	       "the task they interrupt is not even known");
	task_event(f, EVENT_LOAD_ENTER, 7, 7, "");
	e.pfn += 2;
	apply(f, &e);
	tap_ok(f->ledger.modules.row[MODULE_NONE].pages.now == 4,
	       "nor is the module that it loads");
	e.type = EVENT_FREE;
	apply(f, &e);
	tap_ok(f->ledger.tasks.row[TASK_IRQ].pages.now == 2,
	       "who frees does not matter");
	balance(f, "interrupts");
}

static void test_threads(void)
{
	struct fixture *f = fixture_new();

	forked(f, 10, 10, 1);
	task_event(f, EVENT_COMM, 10, 10, "server");
	forked(f, 11, 10, 10);
	page_event(f, EVENT_ALLOC, 11, 10, FIRST_PFN, 1);
	page_event(f, EVENT_ALLOC, 12, 10, FIRST_PFN + 2, 0);
	tap_ok(holds(f, &task(f, 10)->pages, 3, 3, 3),
	       "threads are charged to their process, known or not");
	tap_ok(!strcmp(task(f, 11)->comm, "server") &&
	       task(f, 10)->threads == 1,
	       "a forked thread has a row and its name");
	tap_ok(!tasks_find(&f->ledger.tasks, 12),
	       "one that only allocates needs none");
	tap_ok(task_event(f, EVENT_EXIT, 11, 10, "") == APPLIED &&
	       task_event(f, EVENT_EXIT, 11, 10, "") == IGNORED &&
	       task_event(f, EVENT_EXIT, 12, 10, "") == IGNORED,
	       "an exit counts once, and for who is known");
	page_event(f, EVENT_ALLOC, 11, 10, FIRST_PFN + 4, 0);
	tap_ok(task(f, 10)->pages.now == 4, "after its exit: its process");
	page_event(f, EVENT_ALLOC, 21, 20, FIRST_PFN + 8, 0);
	tap_ok(task(f, 20)->tid == 20 && task(f, 20)->pages.now == 1,
	       "the process of an unknown thread is made");
	page_event(f, EVENT_ALLOC, 30, 0, FIRST_PFN + 16, 0);
	tap_ok(task(f, 30)->pages.now == 1,
	       "where the source cannot tell, the thread is the process");
	balance(f, "threads");
}

static void test_names(void)
{
	struct fixture *f = fixture_new();
	struct event seen = { .type = EVENT_TASK, .tid = 5, .tgid = 5,
			      .parent_tgid = 1, .rss_pages = 77,
			      .name = "udevd" };

	tap_ok(apply(f, &seen) == APPLIED && task(f, 5)->rss_start_pages == 77
	       && task(f, 5)->parent_tgid == 1 &&
	       !strcmp(task(f, 5)->comm, "udevd"),
	       "who ran before has name, parent and size");
	tap_ok(!f->ledger.traced.now, "that size is not traced");
	forked(f, 6, 6, 5);
	tap_ok(!strcmp(task(f, 6)->comm, "udevd") &&
	       task(f, 6)->parent_tgid == 5, "a child has its parent's name");
	task_event(f, EVENT_COMM, 6, 6, "exactly15bytes!");
	tap_ok(!strcmp(task(f, 6)->comm, "exactly15bytes!"),
	       "until it has its own");
	task_event(f, EVENT_COMM, 6, 6, "more than 15 bytes are cut");
	tap_ok(!strcmp(task(f, 6)->comm, "more than 15 by"), "a long one");
	tap_ok(!strcmp(task(f, 5)->comm, "udevd"), "the parent keeps its own");
	balance(f, "names");
}

/* Numbers come back in four ways; what was held stays with who held it. */
static void test_pid_reuse(void)
{
	struct fixture *f = fixture_new();
	const struct task *first, *second, *third;

	take(f, 5, 0, 2);
	first = task(f, 5);
	forked(f, 5, 5, 1);
	second = task(f, 5);
	tap_ok(second != first && first->state == TASK_EXITED &&
	       first->pages.now == 4 && !second->pages.now,
	       "forked though known: its exit was lost");
	take(f, 5, 4, 0);
	task_event(f, EVENT_EXIT, 5, 5, "");
	take(f, 5, 5, 0);
	tap_ok(task(f, 5) == second && second->pages.now == 2,
	       "what it does after its exit is still its own");
	task_event(f, EVENT_COMM, 5, 5, "new");
	third = task(f, 5);
	tap_ok(third != second && !strcmp(third->comm, "new"),
	       "a new name after its exit: the fork was lost");
	page_event(f, EVENT_ALLOC, 5, 9, FIRST_PFN + 8, 0);
	tap_ok(third->state == TASK_EXITED && task(f, 9)->pages.now == 1 &&
	       !third->pages.now, "now a thread of another process");
	give(f, 1, 0, 3);
	tap_ok(first->pages.now == 0 && second->pages.now == 0 &&
	       first->pages.peak == 4 && second->pages.peak == 2,
	       "each gives back its own");
	balance(f, "a number used again");
}

/* A thread's exit and the fork of a process with its number are both lost:
 * the number's threads are not the old process's. */
static void test_leader_reuse(void)
{
	struct fixture *f = fixture_new();

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
	balance(f, "a leader's number used again");
}

static struct fixture *with_task_rows(uint32_t rows)
{
	const struct layout want = {
		.pages_bytes = RAM_PAGES * 4, .nodes = 512, .owners = 256,
		.tasks = TASKS_FIXED + rows, .modules = 16,
	};

	return fixture_with(&want);
}

/* What a process holds through a stack goes over; without one, it stays. */
static void test_full_tasks(void)
{
	static const uint64_t chain[] = { 0x10, 0x20, 0 };
	struct fixture *f = with_task_rows(3);
	const struct tasks *t = &f->ledger.tasks;
	const struct task *other = &t->row[TASK_OTHER];

	take_by(f, 10, 10, 0, 3, chain);
	take_by(f, 20, 20, 8, 1, chain);
	take(f, 30, 16, 0);
	tap_ok(take(f, 40, 17, 0) == APPLIED && other->pages.now == 1 &&
	       t->full == 1, "no row, and all are alive: (other)");
	tap_ok(forked(f, 41, 41, 1) == REJECTED &&
	       task_event(f, EVENT_COMM, 42, 42, "x") == REJECTED &&
	       t->full == 3, "nor can a name be kept");
	task_event(f, EVENT_EXIT, 10, 10, "");
	task_event(f, EVENT_EXIT, 20, 20, "");
	task_event(f, EVENT_EXIT, 30, 30, "");
	tap_ok(forked(f, 50, 50, 1) == APPLIED && t->recycled == 1 &&
	       t->recycled_peak == 2 && !tasks_find(t, 20) &&
	       tasks_find(t, 10) && tasks_find(t, 30),
	       "the smallest that can go, goes");
	tap_ok(holds(f, &other->pages, 3, 3, 3) &&
	       holds(f, &task(f, 50)->pages, 0, 0, 0),
	       "what it holds is (other)'s, at the peak, too");
	give(f, 1, 9, 0);
	tap_ok(other->pages.now == 2, "who gives it back, does so there");
	take(f, 60, 32, 0);
	tap_ok(t->recycled == 2 && other->pages.now == 10 &&
	       t->recycled_peak == 8, "then the larger one");
	tap_ok(take(f, 70, 33, 0) == APPLIED && other->pages.now == 11 &&
	       task(f, 30)->pages.now == 1,
	       "pages without a stack bind the last one to its row");
	give(f, 1, 16, 0);
	take(f, 80, 34, 0);
	tap_ok(t->recycled == 3 && task(f, 80)->pages.now == 1 &&
	       t->recycled_peak == 8, "until they are given back");
	balance(f, "a full table of tasks");
}

static uint32_t large_tasks(const struct tasks *t)
{
	uint32_t large = 0;

	for (uint32_t i = TASKS_FIXED; i < t->used; i++)
		large += t->row[i].pages.peak == 8;
	return large;
}

static void short_lived(struct fixture *f, uint32_t pid, uint32_t order)
{
	forked(f, pid, pid, 1);
	take(f, pid, 16, order);
	give(f, pid, 16, order);
	task_event(f, EVENT_EXIT, pid, pid, "");
}

/* After more large tasks than there is room for, small ones replace each other
 * and leave the large ones. */
static void test_burst_of_tasks(void)
{
	struct fixture *f = with_task_rows(50);
	const struct tasks *t = &f->ledger.tasks;

	for (uint32_t pid = 100; pid < 200; pid++)
		short_lived(f, pid, 3);
	tap_ok(t->recycled == 50 && large_tasks(t) == 50,
	       "a burst of large tasks takes the table");
	for (uint32_t pid = 200; pid < 500; pid++)
		short_lived(f, pid, 0);
	tap_ok(t->recycled == 350 && large_tasks(t) == 49,
	       "300 small ones after it took the rows of %u",
	       50 - large_tasks(t));
	balance(f, "a burst of tasks");
}

/* The row of the process that a new thread belongs to is not taken for it. */
static void test_full_for_thread(void)
{
	struct fixture *f = with_task_rows(1);

	task_event(f, EVENT_COMM, 10, 10, "gone");
	task_event(f, EVENT_EXIT, 10, 10, "");
	tap_ok(forked(f, 11, 10, 10) == REJECTED && task(f, 10)->tid == 10,
	       "a process outlives its first thread, and keeps its row");
	balance(f, "no row for a thread");
}

static void test_memory(void)
{
	struct fixture *f = fixture_new();
	const struct ledger *l = &f->ledger;
	struct event e = { .type = EVENT_MEMORY, .free_pages = 900 };
	uint64_t lowest_ns;

	tap_ok(!l->memory_sampled, "no sample yet");
	apply(f, &e);
	tap_ok(l->free_start_pages == 900 && l->free_lowest_pages == 900 &&
	       l->free_now_pages == 900, "the first is all three");
	e.free_pages = 300;
	apply(f, &e);
	lowest_ns = f->now_ns;
	apply(f, &e);
	e.free_pages = 500;
	apply(f, &e);
	tap_ok(l->free_start_pages == 900 && l->free_lowest_pages == 300 &&
	       l->free_now_pages == 500 && l->free_lowest_ns == lowest_ns,
	       "start, lowest and its first moment, now");
	balance(f, "free memory");
}

static void test_lost_and_late(void)
{
	struct fixture *f = fixture_new();
	struct event e = { .type = EVENT_LOST, .lost = 5 };
	const struct totals *t = &f->ledger.total;

	apply(f, &e);
	apply(f, &e);
	tap_ok(t->lost == 10, "lost records add up");
	e.lost = UINT64_MAX - 10;
	apply(f, &e);
	tap_ok(t->lost == UINT64_MAX, "to the last");
	apply(f, &e);
	e.lost = UINT64_MAX;
	tap_ok(apply(f, &e) == APPLIED && t->lost == UINT64_MAX,
	       "and then stay");
	tap_ok(!t->late, "all came in time");
	e.time_ns = 1;
	ledger_apply(&f->ledger, &e);
	e.time_ns = f->now_ns;
	ledger_apply(&f->ledger, &e);
	tap_ok(t->late == 1 && f->ledger.last_ns == f->now_ns,
	       "one that is older than its predecessor is counted");
	balance(f, "lost and late");
}

/* The first thread exits before the one that executes a program has its
 * number. */
static void test_exec_by_thread(void)
{
	struct fixture *f = fixture_new();
	struct event exec = { .type = EVENT_COMM, .tid = 10, .tgid = 10,
			      .flags = EVENT_EXEC, .name = "program" };
	const struct task *k;

	forked(f, 10, 10, 1);
	ledger_follow(&f->ledger, 10);
	forked(f, 11, 10, 10);
	page_event(f, EVENT_ALLOC, 11, 10, FIRST_PFN, 0);
	task_event(f, EVENT_EXIT, 10, 10, "");
	apply(f, &exec);
	page_event(f, EVENT_ALLOC, 10, 10, FIRST_PFN + 4, 1);
	forked(f, 12, 12, 10);
	page_event(f, EVENT_ALLOC, 12, 12, FIRST_PFN + 8, 2);
	k = &f->ledger.tasks.row[tasks_find(&f->ledger.tasks, 10)];
	tap_ok(k->in_tree && k->parent_tgid == 1 && !strcmp(k->comm, "program"),
	       "who executes a program as a thread is still its process");
	tap_ok(f->ledger.tree_pages == 7, "and in the tree, with its children: %u",
	       (unsigned int)f->ledger.tree_pages);
	task_event(f, EVENT_EXIT, 10, 10, "");
	task_event(f, EVENT_COMM, 10, 10, "another");
	page_event(f, EVENT_ALLOC, 10, 10, FIRST_PFN + 16, 0);
	tap_ok(f->ledger.tree_pages == 7, "without an exec it is another one");
	balance(f, "exec by a thread");
}

int main(void)
{
	test_exec_by_thread();
	test_order9();
	test_free_of_many();
	test_missed_free();
	test_not_charged();
	test_wrapping_block();
	test_peaks();
	test_stacks();
	test_irq();
	test_threads();
	test_names();
	test_pid_reuse();
	test_leader_reuse();
	test_full_tasks();
	test_burst_of_tasks();
	test_full_for_thread();
	test_memory();
	test_lost_and_late();
	return tap_plan_done();
}
