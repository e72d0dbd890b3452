/* See rank.h. */
#include <string.h>
#include "rank.h"

const struct count *row_count(const struct ledger *l, enum table t,
			      uint32_t row)
{
	return t == TABLE_MODULES ? &l->modules.row[row].pages :
				    &l->tasks.row[row].pages;
}

static int before_row(const struct order *o, uint32_t a, uint32_t b)
{
	const struct ledger *l = o->ledger;
	uint32_t peak_a = row_count(l, o->table, a)->peak;
	uint32_t peak_b = row_count(l, o->table, b)->peak;
	size_t size;
	int sign;

	if (peak_a != peak_b)
		return peak_a > peak_b;
	sign = strcmp(row_name(l, o->table, a, &size),
		      row_name(l, o->table, b, &size));
	if (sign)
		return sign < 0;
	if (o->table == TABLE_TASKS && l->tasks.row[a].tid !=
				       l->tasks.row[b].tid)
		return l->tasks.row[a].tid < l->tasks.row[b].tid;
	return a < b;
}

void stack_pages(const struct order *o, uint32_t i, uint32_t *now,
		 uint32_t *peak)
{
	const struct ledger *l = o->ledger;

	if (o->table == TABLE_MODULES) {
		*now = l->stacks.node[i].now;
		*peak = l->stacks.node[i].peak;
	} else {
		*now = l->owners.row[i].now;
		*peak = l->owners.row[i].peak;
	}
}

static int before_stack(const struct order *o, uint32_t a, uint32_t b)
{
	uint32_t now_a, now_b, peak_a, peak_b;

	stack_pages(o, a, &now_a, &peak_a);
	stack_pages(o, b, &now_b, &peak_b);
	if (peak_a != peak_b)
		return peak_a > peak_b;
	return now_a != now_b ? now_a > now_b : a < b;
}

static int item_before(const struct order *o, uint32_t a, uint32_t b)
{
	return o->stacks ? before_stack(o, a, b) : before_row(o, a, b);
}

static int heap_before(const struct heap *h, uint32_t i, uint32_t j)
{
	const uint32_t *item = h->items;

	return item_before(h->context, item[i], item[j]);
}

static void heap_swap(const struct heap *h, uint32_t i, uint32_t j)
{
	uint32_t *item = h->items, kept = item[i];

	item[i] = item[j];
	item[j] = kept;
}

void ranking_start(struct ranking *k, const struct order *o, uint32_t *items,
		   uint32_t room, uint32_t most)
{
	*k = (struct ranking){
		.order = *o, .capacity = room < most ? room : most,
	};
	k->heap = (struct heap){
		.before = heap_before, .swap = heap_swap, .items = items,
		.context = &k->order,
	};
}

void ranking_offer(struct ranking *k, uint32_t item)
{
	uint32_t *items = k->heap.items;

	k->offered++;
	if (k->heap.count < k->capacity) {
		items[k->heap.count] = item;
		heap_up(&k->heap, k->heap.count++);
	} else if (k->capacity && item_before(&k->order, item, items[0])) {
		items[0] = item;
		heap_down(&k->heap, k->heap.count);
	}
}
