/* SPDX-License-Identifier: MIT */
/*
 * Events applied to a ledger by hand: what no replayed trace shows, since its
 * report does not, or no kernel writes such a trace. What the books are after
 * ordinary events is in tests/replay/cases.
 *
 * Late events: runs of pages. What one stopped CPU holds back, tests/replay/random.t
 * compares with the model.
 */
#include "exact.h"
#include "ledger_fixture.h"

/* The first thread exits before the one that executes a program has its
 * number. */
static void test_exec_by_thread(void)
{
	struct fixture *f = fixture_new();
	struct event exec = { .type = EVENT_COMM, .tid = 10, .tgid = 10,
			      .flags = EVENT_EXEC, .name = "program" };
	const struct tasks *t = &f->ledger.tasks;
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
	k = &t->row[tasks_find(t, 10)];
	tap_ok(k->in_tree && k->parent_tgid == 1 && !strcmp(k->comm, "program"),
	       "who executes a program as a thread is still its process");
	tap_ok(f->ledger.tree_pages == 15, "and in the tree, with its children: %u",
	       (unsigned int)f->ledger.tree_pages);
	task_event(f, EVENT_EXIT, 10, 10, "");
	task_event(f, EVENT_COMM, 10, 10, "another");
	page_event(f, EVENT_ALLOC, 10, 10, FIRST_PFN + 16, 0);
	tap_ok(f->ledger.tree_pages == 15, "without an exec it is another one");
	tap_ok(!ledger_check(&f->ledger), "the books balance");
	free(f);
}

/* When free memory is to be sampled, so that what could be given back is known. */
static void test_sample_due(void)
{
	struct fixture *f = fixture_new();
	const struct need *n = &f->ledger.need;

	apply(f, &(struct event){ .type = EVENT_MEMORY, .free_pages = 30000 });
	apply(f, &(struct event){ .type = EVENT_AVAILABLE });
	tap_ok(!need_sample_due(n, 0), "no sample is due");
	page_event(f, EVENT_ALLOC, 1, 1, FIRST_PFN, 3);
	tap_ok(need_sample_due(n, 7) && !need_sample_due(n, 8),
	       "it is due after so many pages more");
	free(f);
}

/* --- late --- */

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

int main(void)
{
	test_exec_by_thread();
	test_sample_due();
	test_runs();
	return tap_plan_done();
}
