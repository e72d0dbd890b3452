/* SPDX-License-Identifier: MIT */
/*
 * Events applied to a ledger by hand: what no replayed trace shows, since its
 * report does not, or no kernel writes such a trace. What the books are after
 * ordinary events is in tests/replay/cases.
 *
 * Late events: runs of pages; and a loss beside it never makes a counter wrap.
 * What one stopped CPU holds back, tests/replay/random.t compares with the model.
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

/* More rows than columns: who holds least makes room for who holds more. */
static void test_columns(void)
{
	struct fixture *f = fixture_new();
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
	test_exec_by_thread();
	test_columns();
	test_sample_due();
	test_runs();
	test_no_wrap();
	return tap_plan_done();
}
