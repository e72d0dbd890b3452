/* SPDX-License-Identifier: MIT */
/* Rows of processes: see processes.h. */
#include <string.h>
#include "run/processes.h"

uint64_t processes_bytes(uint32_t rows)
{
	return (uint64_t)rows * (sizeof(struct process) + sizeof(uint32_t)) +
	       hash_bytes(rows) + 256;
}

int processes_init(struct processes *p, struct arena *a, uint32_t rows)
{
	p->capacity = rows;
	p->used = 1;
	p->row = arena_take(a, rows, sizeof(*p->row));
	p->order = arena_take(a, rows, sizeof(*p->order));
	hash_init(&p->hash, a, rows);
	return a->failed;
}

uint32_t processes_find(const struct processes *p, uint32_t pid)
{
	uint32_t row = *hash_bucket(&p->hash, pid, 0);

	while (row && p->row[row].pid != pid)
		row = p->row[row].next;
	return row;
}

uint32_t processes_add(struct processes *p, uint32_t pid, uint32_t parent,
		       uint64_t start_ns)
{
	uint32_t *head = hash_bucket(&p->hash, pid, 0);
	uint32_t row = p->used;

	if (row >= p->capacity) {
		p->full++;
		return 0;
	}
	p->used++;
	p->row[row] = (struct process){
		.pid = pid, .parent = parent, .start_ns = start_ns,
		.next = *head,
	};
	*head = row;
	return row;
}

/* The process that had this pid at that time. It must have lived then: a process
 * that still runs, and has no row, may have its pid by now. */
static uint32_t find_at(const struct processes *p, uint32_t pid, uint64_t ns)
{
	uint32_t row = *hash_bucket(&p->hash, pid, 0);

	while (row && (p->row[row].pid != pid || p->row[row].start_ns > ns ||
		       p->row[row].end_ns < ns))
		row = p->row[row].next;
	return row;
}

/* A round marks at least the children of those that were marked; there are as
 * many rounds as generations, at most. */
void processes_mark_tree(struct processes *p, uint32_t root, uint32_t reaper)
{
	int more = 1;

	while (more) {
		more = 0;
		for (uint32_t i = 1; i < p->used; i++) {
			struct process *k = &p->row[i];
			const uint32_t of = find_at(p, k->parent, k->end_ns);

			if (k->known & IN_TREE ||
			    (k->pid != root && k->parent != reaper &&
			     (!of || !(p->row[of].known & IN_TREE))))
				continue;
			k->known |= IN_TREE;
			more = 1;
		}
	}
}

static int is_before(const struct processes *p, uint32_t a, uint32_t b,
		     int by_size)
{
	const struct process *x = &p->row[a], *y = &p->row[b];

	if (by_size && x->rss_kib != y->rss_kib)
		return x->rss_kib > y->rss_kib;
	if (by_size && x->peak_pages != y->peak_pages)
		return x->peak_pages > y->peak_pages;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns;
	return a < b;
}

/* Moves the row at `at` down in a heap of `count` rows, whose first row is the
 * last one in order. */
static void sift(struct processes *p, uint32_t at, uint32_t count, int by_size)
{
	uint32_t *o = p->order;

	for (;;) {
		uint32_t child = 2 * at + 1, row = o[at];

		if (child >= count)
			return;
		if (child + 1 < count &&
		    is_before(p, o[child], o[child + 1], by_size))
			child++;
		if (!is_before(p, row, o[child], by_size))
			return;
		o[at] = o[child];
		o[child] = row;
		at = child;
	}
}

uint32_t processes_sort(struct processes *p, int by_size)
{
	uint32_t count = 0;

	for (uint32_t i = 1; i < p->used; i++)
		if (p->row[i].known & IN_TREE)
			p->order[count++] = i;
	for (uint32_t i = count / 2; i--;)
		sift(p, i, count, by_size);
	for (uint32_t i = count; i > 1;) {
		const uint32_t last = p->order[0];

		p->order[0] = p->order[--i];
		p->order[i] = last;
		sift(p, 0, i, by_size);
	}
	return count;
}
