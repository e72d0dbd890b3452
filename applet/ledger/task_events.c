/* SPDX-License-Identifier: MIT */
/* Tasks start and end: see events.h, task events. */
#include <string.h>
#include "ledger/events.h"

/* A process with threads keeps its row. */
static void add_threads(struct ledger *l, uint32_t process, uint32_t threads)
{
	l->tasks.row[process].threads += threads;
	task_note_idle(l, process);
}

/* The pages that the process still holds, mostly slab and page cache, go to
 * "(other)", because its row is used again. */
static void fold_into_other(struct ledger *l, uint32_t row)
{
	struct task *gone = &l->tasks.row[row];
	struct task *other = &l->tasks.row[TASK_OTHER];

	history_forget_task(&l->history, &l->tasks, row);
	count_fold(&other->pages, &gone->pages, l->epoch);
	owners_drop_task(&l->owners, &l->tasks, row, TASK_OTHER);
	count_fold(&other->vmalloc, &gone->vmalloc, l->epoch);
	held_most(&other->held_peak, task_holds(other));
	held_most(&other->held_peak, task_at_peak(other, l->epoch));
}

static uint32_t take_row(struct ledger *l)
{
	struct tasks *t = &l->tasks;
	uint32_t row = tasks_take(t);

	if (row)
		return row;
	row = idle_choose(&t->idle, &t->row->held_peak, sizeof(*t->row));
	if (!row) {
		t->full++;
		return 0;
	}
	idle_set(&t->idle, row, 0);
	tasks_unhash(t, row);
	fold_into_other(l, row);
	return row;
}

void task_exit_row(struct ledger *l, uint32_t row)
{
	window_close(l, row, 0);
	if (l->tasks.row[row].state != TASK_LIVE)
		return;
	history_end(&l->history.tasks, row, l->last_ns);
	tasks_exit(&l->tasks, row);
	task_note_idle(l, l->tasks.row[row].process);
}

/* Another task has the pid of this row now. */
static void replace_row(struct ledger *l, uint32_t row)
{
	task_exit_row(l, row);
	if (l->tasks.row[row].process == row)
		tasks_unhash(&l->tasks, row);
}

static uint32_t make_process(struct ledger *l, uint32_t tgid, uint64_t time_ns)
{
	uint32_t row = take_row(l);

	if (!row)
		return TASK_OTHER;
	tasks_insert(&l->tasks, row, tgid, tgid, row, time_ns);
	return row;
}

/* The row of a tid in this process. If the row belongs to another process, the
 * exit of the old task was lost. */
static uint32_t find_number(struct ledger *l, uint32_t tid, uint32_t tgid)
{
	uint32_t row = tasks_find(&l->tasks, tid);

	if (row && tgid && l->tasks.row[row].tgid != tgid) {
		replace_row(l, row);
		return 0;
	}
	return row;
}

static uint32_t make_task(struct ledger *l, uint32_t tid, uint32_t tgid,
			  uint64_t time_ns)
{
	uint32_t process, row;

	if (!tgid || tgid == tid)
		return make_process(l, tid, time_ns);
	process = find_number(l, tgid, tgid);
	if (!process)
		process = make_process(l, tgid, time_ns);
	if (!process)
		return TASK_OTHER;
	add_threads(l, process, 1);	/* so take_row() spares it */
	row = take_row(l);
	if (row)
		tasks_insert(&l->tasks, row, tid, tgid, process, time_ns);
	add_threads(l, process, 0 - 1u);
	return row;
}

/* An exited task cannot cause an event: so a new task has its pid, and the fork
 * of the new task was lost. */
uint32_t task_of(struct ledger *l, const struct event *e)
{
	uint32_t row = find_number(l, e->tid, e->tgid);

	if (row && l->tasks.row[row].state == TASK_LIVE)
		return row;
	if (row)
		replace_row(l, row);
	return make_task(l, e->tid, e->tgid, e->time_ns);
}

/* A thread needs no row of its own for a page event. */
uint32_t task_charged(struct ledger *l, const struct event *e,
			   uint32_t *loading)
{
	uint32_t row = find_number(l, e->tid, e->tgid);

	*loading = l->tasks.row[row].loading;
	if (!row && e->tgid)
		row = find_number(l, e->tgid, e->tgid);
	if (!row)
		row = make_process(l, e->tgid ? e->tgid : e->tid, e->time_ns);
	return l->tasks.row[row].process;
}

static void set_comm(struct task *k, const char *name)
{
	memcpy(k->comm, name, COMM_BYTES - 1);
	k->comm[COMM_BYTES - 1] = '\0';
}

/* The process of the parent, from the ledger if the event does not have it. */
static uint32_t parent_tgid(const struct ledger *l, const struct event *e)
{
	const uint32_t row = tasks_find(&l->tasks, e->parent_tid);

	if (e->parent_tgid)
		return e->parent_tgid;
	return row ? l->tasks.row[row].tgid : e->parent_tid;
}

int task_fork(struct ledger *l, const struct event *e)
{
	const uint32_t of = parent_tgid(l, e);
	uint32_t old = tasks_find(&l->tasks, e->tid);
	uint32_t parent, row;

	if (old)
		replace_row(l, old);
	row = make_task(l, e->tid, e->flags & EVENT_THREAD ? of : e->tgid,
			e->time_ns);
	if (!row)
		return -1;
	parent = tasks_find(&l->tasks, e->parent_tid);
	if (parent) {
		parent = l->tasks.row[parent].process;
		set_comm(&l->tasks.row[row], l->tasks.row[parent].comm);
		l->tasks.row[row].in_tree = l->tasks.row[parent].in_tree;
	}
	l->tasks.row[row].parent_tgid = of;
	return 1;
}

int task_exit(struct ledger *l, const struct event *e)
{
	uint32_t row = tasks_find(&l->tasks, e->tid);

	if (!row || l->tasks.row[row].state != TASK_LIVE)
		return 0;
	task_exit_row(l, row);
	return 1;
}

/* A thread that executes a program gets the pid of its process, whose first
 * thread has exited: the process goes on in a new row. */
static void take_over(struct ledger *l, const struct event *e, uint32_t old,
		      uint32_t row)
{
	const struct task *from = &l->tasks.row[old];
	struct task *to = &l->tasks.row[row];

	if (!old || old == row || !(e->flags & EVENT_EXEC) ||
	    from->tid != e->tid || from->tgid != to->tgid)
		return;
	to->in_tree = from->in_tree;
	to->parent_tgid = from->parent_tgid;
}

int task_comm(struct ledger *l, const struct event *e)
{
	const uint32_t old = tasks_find(&l->tasks, e->tid);
	uint32_t row = task_of(l, e);
	struct task *k = &l->tasks.row[row];

	if (!row)
		return -1;
	take_over(l, e, old, row);
	set_comm(k, e->name);
	if (e->type == EVENT_TASK) {
		k->parent_tgid = e->parent_tgid;
		k->rss_start_pages = (uint32_t)e->rss_pages;
	}
	return 1;
}
