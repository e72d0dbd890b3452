/* SPDX-License-Identifier: MIT */
/*
 * ledger/tasks.c: rows by number, threads that lead to their process and go,
 * processes that stay. tests/replay/random.t compares many of both, in any
 * order, with a model.
 */
#include "arena_fixture.h"
#include "ledger/tasks.h"
#include "tap.h"

static struct tasks *fresh(uint32_t rows)
{
	static struct tasks t;

	t = (struct tasks){ .used = 0 };
	must(!tasks_init(&t, arena_fresh(ARENA_BYTES), rows));
	return &t;
}

/* A row for this number; leader 0: of a process. */
static uint32_t thread(struct tasks *t, uint32_t tid, uint32_t leader)
{
	uint32_t row = tasks_take(t);

	if (row)
		tasks_insert(t, row, tid, leader ? t->row[leader].tid : tid,
			     leader ? leader : row, tid * 10);
	return row;
}

static void test_init(void)
{
	struct arena *a = arena_fresh(ARENA_BYTES);
	struct tasks s = { .used = 0 };

	tap_ok(!tasks_init(&s, a, 8) && arena_took(a, tasks_bytes(8), 2) &&
	       !strcmp(s.row[TASK_OTHER].comm, "(other)") &&
	       !strcmp(s.row[TASK_IRQ].comm, "(irq)") &&
	       s.row[TASK_OTHER].process == TASK_OTHER &&
	       s.row[TASK_IRQ].process == TASK_IRQ &&
	       !tasks_find(&s, 0) && !tasks_find(&s, 1),
	       "the fixed rows are charged themselves, and nobody's number");
	tap_ok(tasks_init(&s, a, TASKS_FIXED) == -EINVAL,
	       "no row beside the fixed ones");
	tap_ok(tasks_init(&s, arena_fresh(256), 64) == -ENOMEM, "no room");
}

static void test_rows(void)
{
	struct tasks *s = fresh(TASKS_FIXED + 3);
	uint32_t a = thread(s, 100, 0), b = thread(s, 101, a);
	uint32_t c = thread(s, 0, 0);

	tap_ok(s->row[b].tgid == 100 && s->row[b].process == a &&
	       s->row[a].threads == 1 && s->row[a].start_ns == 1000,
	       "a thread leads to its process");
	tap_ok(c && tasks_find(s, 0) == c && !tasks_take(s),
	       "number 0 is one, too: idle; then the table is full");
	tasks_exit(s, b);
	tap_ok(!tasks_find(s, 101) && !s->row[a].threads && !s->exited &&
	       tasks_take(s) == b && !tasks_take(s),
	       "a thread that exits is gone, its row is there again");
	tasks_exit(s, a);
	tap_ok(tasks_find(s, 100) == a && s->row[a].state == TASK_EXITED &&
	       s->exited == 1 && !tasks_take(s),
	       "a process that exits keeps row and number");
	tasks_unhash(s, a);
	tasks_unhash(s, a);
	tap_ok(!tasks_find(s, 100) && tasks_find(s, 0) == c,
	       "until the number is another's; twice does no harm");
}

#define ROWS 120u

/* As many as there is room for: some of their numbers share a bucket. */
static void test_full(void)
{
	struct tasks *s = fresh(TASKS_FIXED + ROWS);
	uint32_t row[ROWS], wrong = 0;

	row[0] = thread(s, 0, 0);
	for (uint32_t i = 1; i < ROWS; i++)
		row[i] = thread(s, i, row[0]);
	for (uint32_t i = 0; i < ROWS; i++)
		wrong += !row[i] || tasks_find(s, i) != row[i];
	tap_ok(!wrong && !tasks_take(s), "%u rows, each by its number", ROWS);
	for (uint32_t i = 1; i < ROWS; i += 2)
		tasks_exit(s, row[i]);
	for (uint32_t i = 0; i < ROWS; i++)
		wrong += tasks_find(s, i) != (i % 2 ? 0 : row[i]);
	tap_ok(!wrong, "half of them are gone, the others are found");
	for (uint32_t i = 1; i < ROWS; i += 2)
		wrong += !thread(s, ROWS + i, row[0]);
	for (uint32_t i = 1; i < ROWS; i++)
		wrong += !tasks_find(s, i % 2 ? ROWS + i : i);
	tap_ok(!wrong && !tasks_take(s), "their rows serve others");
}

int main(void)
{
	test_init();
	test_rows();
	test_full();
	return tap_plan_done();
}
