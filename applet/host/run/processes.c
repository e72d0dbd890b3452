/* SPDX-License-Identifier: MIT */
/* Rows of processes: see run.h, processes. */
#include "report/report.h"
#include "host/run/run.h"

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

/* A ranking whose items are rows of processes. */
struct process_order {
	struct ranking ranking;		/* first: before() gets it */
	const struct processes *processes;
	int by;
};

static int before(const struct ranking *r, uint32_t a, uint32_t b)
{
	const struct process_order *o = (const struct process_order *)r;
	const struct process *x = &o->processes->row[a];
	const struct process *y = &o->processes->row[b];

	if (o->by & BY_TREE_PEAK && x->at_peak_pages != y->at_peak_pages)
		return x->at_peak_pages > y->at_peak_pages;
	if (o->by & BY_SIZE && x->rss_kib != y->rss_kib)
		return x->rss_kib > y->rss_kib;
	if (o->by & BY_SIZE && x->peak_pages != y->peak_pages)
		return x->peak_pages > y->peak_pages;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns;
	return a < b;
}

uint32_t processes_sort(const struct processes *p, int by, uint32_t *item,
			uint32_t most)
{
	struct process_order o = {
		.ranking = {
			.item = item, .capacity = most, .before = before,
		},
		.processes = p, .by = by,
	};

	for (uint32_t i = 1; i < p->used; i++)
		if (p->row[i].known & IN_TREE)
			ranking_offer(&o.ranking, i);
	ranking_sort(&o.ranking);
	return o.ranking.kept;
}
