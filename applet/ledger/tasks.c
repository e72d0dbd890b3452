/* Tasks, rows and their ends: see tasks.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "hash.h"
#include "tasks.h"

uint64_t tasks_bytes(uint32_t rows)
{
	return (uint64_t)rows * sizeof(struct task) +
	       (uint64_t)hash_buckets(rows) * sizeof(uint32_t);
}

static void fix_row(struct tasks *t, uint32_t row, const char *name)
{
	struct task *k = &t->row[row];

	k->process = row;
	k->state = TASK_LIVE;
	memcpy(k->comm, name, strlen(name));
}

int tasks_init(struct tasks *t, struct arena *a, uint32_t rows)
{
	uint32_t buckets = hash_buckets(rows);

	if (rows <= TASKS_FIXED)
		return -EINVAL;
	*t = (struct tasks){
		.capacity = rows, .used = TASKS_FIXED, .hand = TASKS_FIXED,
		.bucket_mask = buckets - 1,
	};
	t->row = arena_take(a, rows, sizeof(*t->row));
	t->bucket = arena_take(a, buckets, sizeof(*t->bucket));
	if (!t->row || !t->bucket)
		return -ENOMEM;
	fix_row(t, TASK_OTHER, "(other)");
	fix_row(t, TASK_IRQ, "(irq)");
	return 0;
}

static uint32_t *bucket_of(const struct tasks *t, uint32_t tid)
{
	return &t->bucket[hash_mix(tid, 0) & t->bucket_mask];
}

uint32_t tasks_find(const struct tasks *t, uint32_t tid)
{
	uint32_t row = *bucket_of(t, tid);

	while (row && t->row[row].tid != tid)
		row = t->row[row].next;
	return row;
}

int task_is_idle(const struct task *k)
{
	return k->state == TASK_EXITED && !k->pages.now && !k->threads;
}

/* The hand goes round until it meets an idle row no larger than what was
 * dropped before; a round without one doubles what may be dropped. */
static uint32_t recycle(struct tasks *t)
{
	if (!t->idle)
		return 0;
	for (;; t->hand_peak = t->hand_peak * 2 + 1) {
		for (uint32_t n = TASKS_FIXED; n < t->capacity; n++) {
			uint32_t row = t->hand;
			const struct task *k = &t->row[row];

			if (++t->hand == t->capacity)
				t->hand = TASKS_FIXED;
			if (task_is_idle(k) && k->pages.peak <= t->hand_peak)
				return row;
		}
	}
}

uint32_t tasks_take(struct tasks *t, int *recycled)
{
	uint32_t row = t->unused;

	*recycled = 0;
	if (row) {
		t->unused = t->row[row].next;
		return row;
	}
	if (t->used < t->capacity)
		return t->used++;
	row = recycle(t);
	if (!row) {
		t->full++;
		return 0;
	}
	*recycled = 1;
	t->idle--;
	t->recycled++;
	if (t->row[row].pages.peak > t->recycled_peak)
		t->recycled_peak = t->row[row].pages.peak;
	return row;
}

void tasks_insert(struct tasks *t, uint32_t row, uint32_t tid, uint32_t tgid,
		  uint32_t process, uint64_t time_ns)
{
	uint32_t *head = bucket_of(t, tid);

	t->row[row] = (struct task){
		.tid = tid, .tgid = tgid, .process = process,
		.start_ns = time_ns, .next = *head, .state = TASK_LIVE,
	};
	*head = row;
	if (process != row)
		t->row[process].threads++;
}

/* A process keeps its row; a thread's row has nothing to keep. */
void tasks_exit(struct tasks *t, uint32_t row)
{
	struct task *k = &t->row[row];
	uint32_t *link = bucket_of(t, k->tid);

	while (*link != row)
		link = &t->row[*link].next;
	*link = k->next;
	k->next = 0;
	k->loading = 0;
	if (k->process == row) {
		k->state = TASK_EXITED;
		t->idle += (uint32_t)task_is_idle(k);
		return;
	}
	t->row[k->process].threads--;
	t->idle += (uint32_t)task_is_idle(&t->row[k->process]);
	k->state = TASK_UNUSED;
	k->next = t->unused;
	t->unused = row;
}
