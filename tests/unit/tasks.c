/* SPDX-License-Identifier: MIT */
/*
 * ledger/tasks.c: rows by number, threads that lead to their process and go,
 * processes that stay.
 */
#include <errno.h>
#include <string.h>
#include "ledger/tasks.h"
#include "random.h"
#include "tap.h"

struct table {
	_Alignas(64) unsigned char memory[1 << 17];
	struct arena arena;
	struct tasks tasks;
};

static struct tasks *fresh(struct table *t, uint32_t rows)
{
	memset(t->memory, 0, sizeof(t->memory));
	arena_init(&t->arena, t->memory, sizeof(t->memory));
	memset(&t->tasks, 0, sizeof(t->tasks));
	if (tasks_init(&t->tasks, &t->arena, rows))
		abort();
	return &t->tasks;
}

static uint32_t process(struct tasks *t, uint32_t tid)
{
	uint32_t row = tasks_take(t);

	if (row)
		tasks_insert(t, row, tid, tid, row, tid * 10);
	return row;
}

static uint32_t thread(struct tasks *t, uint32_t tid, uint32_t leader)
{
	uint32_t row = tasks_take(t);

	if (row)
		tasks_insert(t, row, tid, t->row[leader].tid, leader, 0);
	return row;
}

static void test_init(struct table *t)
{
	struct tasks *s = fresh(t, 8);

	tap_ok(!strcmp(s->row[TASK_OTHER].comm, "(other)") &&
	       !strcmp(s->row[TASK_IRQ].comm, "(irq)"),
	       "the fixed rows have names");
	tap_ok(s->row[TASK_OTHER].process == TASK_OTHER &&
	       s->row[TASK_IRQ].process == TASK_IRQ,
	       "and are charged themselves");
	tap_ok(!tasks_find(s, 0) && !tasks_find(s, 1),
	       "they are nobody's number");
	tap_ok(t->arena.used_bytes >= tasks_bytes(8) &&
	       t->arena.used_bytes <= tasks_bytes(8) + 2 * 63,
	       "tasks_bytes tells what it takes");
	tap_ok(tasks_init(s, &t->arena, TASKS_FIXED) == -EINVAL,
	       "no row beside the fixed ones");
	arena_init(&t->arena, t->memory, 256);
	tap_ok(tasks_init(s, &t->arena, 64) == -ENOMEM, "no room");
}

/* What is under a number, against a plain array. */
#define NUMBERS 300u
#define ROWS 120u

struct plain {
	uint32_t row[NUMBERS];	/* 0: none */
	uint32_t rows;
};

static void random_step(struct tasks *s, struct plain *p, struct random *r)
{
	uint32_t tid = random_below(r, NUMBERS), row = p->row[tid];

	if (row) {
		int is_process = s->row[row].process == row;

		if (is_process && s->row[row].threads)
			return;
		tasks_exit(s, row);
		if (is_process) {	/* as if its row were used again */
			tasks_unhash(s, row);
			s->row[row].next = s->unused;
			s->unused = row;
		}
		p->row[tid] = 0;
		p->rows--;
		return;
	}
	row = p->row[random_below(r, NUMBERS)];
	row = row && s->row[row].process == row ? thread(s, tid, row) :
						  process(s, tid);
	p->row[tid] = row;
	p->rows += row != 0;
}

static int agree(const struct tasks *s, const struct plain *p)
{
	for (uint32_t tid = 0; tid < NUMBERS; tid++)
		if (tasks_find(s, tid) != p->row[tid])
			return 0;
	return 1;
}

static void test_random(struct table *t, uint64_t seed)
{
	struct tasks *s = fresh(t, TASKS_FIXED + ROWS);
	struct random r = { seed };
	struct plain p = { .rows = 0 };
	uint32_t i, full = 0;

	for (i = 0; i < 20000; i++) {
		random_step(s, &p, &r);
		full += p.rows == ROWS;
		if (p.rows > ROWS || (i % 8 == 0 && !agree(s, &p)))
			break;
	}
	tap_ok(i == 20000 && full, "seed %u: found by number in %u of 20000 "
	       "steps, %u with a full table", (unsigned int)seed, i, full);
}

int main(void)
{
	struct table *t = aligned_alloc(64, (sizeof(*t) + 63) / 64 * 64);

	if (!t)
		abort();
	test_init(t);
	for (uint64_t seed = 1; seed <= 3; seed++)
		test_random(t, seed);
	free(t);
	return tap_plan_done();
}
