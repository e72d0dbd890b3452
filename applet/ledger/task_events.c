/* Tasks coming and going: see task_events.h. */
#include <string.h>
#include "ledger/task_events.h"
#include "ledger/window.h"

/* An exited process without threads, whose own owner holds nothing: that one's
 * place is the row's, so it could not go elsewhere. */
static int may_go(const struct ledger *l, uint32_t row)
{
	const struct task *k = &l->tasks.row[row];

	return k->state == TASK_EXITED && !k->threads &&
	       !l->owners.row[row].now;
}

/* The hand goes round until it meets a row no larger than what was dropped
 * before; a round without one doubles what may be dropped. */
static uint32_t choose_row(struct ledger *l)
{
	struct tasks *t = &l->tasks;
	int found;

	for (;; t->hand_peak = t->hand_peak * 2 + 1) {
		found = 0;
		for (uint32_t n = TASKS_FIXED; n < t->capacity; n++) {
			uint32_t row = t->hand;

			if (++t->hand == t->capacity)
				t->hand = TASKS_FIXED;
			if (!may_go(l, row))
				continue;
			if (t->row[row].pages.peak <= t->hand_peak)
				return row;
			found = 1;
		}
		if (!found)
			return 0;
	}
}

/* What the process still holds, slab and page cache mostly, goes to "(other)"
 * with its row. */
static void fold_into_other(struct ledger *l, uint32_t row)
{
	count_fold(&l->tasks.row[TASK_OTHER].pages, &l->tasks.row[row].pages,
		   l->epoch);
	owners_drop_task(&l->owners, &l->tasks, row, TASK_OTHER);
}

static uint32_t take_row(struct ledger *l)
{
	struct tasks *t = &l->tasks;
	uint32_t row = tasks_take(t);

	if (row)
		return row;
	row = t->exited ? choose_row(l) : 0;
	if (!row) {
		t->full++;
		return 0;
	}
	tasks_unhash(t, row);
	t->exited--;
	t->recycled++;
	if (t->row[row].pages.peak > t->recycled_peak)
		t->recycled_peak = t->row[row].pages.peak;
	fold_into_other(l, row);
	return row;
}

static void exit_row(struct ledger *l, uint32_t row)
{
	window_close(l, row, 0);
	if (l->tasks.row[row].state == TASK_LIVE)
		tasks_exit(&l->tasks, row);
}

/* The number is another task's from now on. */
static void replace_row(struct ledger *l, uint32_t row)
{
	exit_row(l, row);
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

/* Row of a number, which is of this process: if another's, that one's exit was
 * lost. */
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
	l->tasks.row[process].threads++;	/* not to be taken for it */
	row = take_row(l);
	l->tasks.row[process].threads--;
	if (row)
		tasks_insert(&l->tasks, row, tid, tgid, process, time_ns);
	return row;
}

/* Who has exited does nothing of this any more: the fork was lost. */
uint32_t task_of(struct ledger *l, const struct event *e)
{
	uint32_t row = find_number(l, e->tid, e->tgid);

	if (row && l->tasks.row[row].state == TASK_LIVE)
		return row;
	if (row)
		replace_row(l, row);
	return make_task(l, e->tid, e->tgid, e->time_ns);
}

/* A thread needs no row of its own for this. */
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

int task_fork(struct ledger *l, const struct event *e)
{
	uint32_t old = tasks_find(&l->tasks, e->tid);
	uint32_t parent, row;

	if (old)
		replace_row(l, old);
	row = make_task(l, e->tid, e->tgid, e->time_ns);
	if (!row)
		return -1;
	parent = tasks_find(&l->tasks, e->parent_tid);
	if (parent) {
		parent = l->tasks.row[parent].process;
		set_comm(&l->tasks.row[row], l->tasks.row[parent].comm);
	}
	l->tasks.row[row].parent_tgid = e->parent_tgid;
	return 1;
}

int task_exit(struct ledger *l, const struct event *e)
{
	uint32_t row = tasks_find(&l->tasks, e->tid);

	if (!row || l->tasks.row[row].state != TASK_LIVE)
		return 0;
	exit_row(l, row);
	return 1;
}

int task_comm(struct ledger *l, const struct event *e)
{
	uint32_t row = task_of(l, e);
	struct task *k = &l->tasks.row[row];

	if (!row)
		return -1;
	set_comm(k, e->name);
	if (e->type == EVENT_TASK) {
		k->parent_tgid = e->parent_tgid;
		k->rss_start_pages = (uint32_t)e->rss_pages;
	}
	return 1;
}
