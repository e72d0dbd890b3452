/*
 * One budget, divided among tables by fixed shares.
 *
 * The page table comes first: flat, at 1/1024 of RAM, it takes an eighth of
 * the default budget; where it does not fit half of it, a hash gets that half.
 * What is left goes to the rings and to the other tables in the shares below,
 * set from boots of Debian kernels. The rings take half: they are rounded down
 * to a power of two a CPU, and a kernel without preemption can fill 256 KiB
 * before the tracer gets to run.
 */
#include <errno.h>
#include "ledger.h"

/* Per mille of what the page table leaves; the rest is slack for rounding. */
#define RINGS_SHARE 480u
#define NODES_SHARE 220u
#define OWNERS_SHARE 95u
#define TASKS_SHARE 80u
#define MODULES_SHARE 40u
#define SYMBOLS_SHARE 60u

/* Rows below which a report says nothing: the floor. */
#define NODES_FLOOR 512u
#define OWNERS_FLOOR 256u
#define TASKS_FLOOR 64u
#define MODULES_FLOOR 16u
#define SYMBOLS_FLOOR 64u
#define PAGES_FLOOR_BYTES 4096u

#define SYMBOL_ROW_BYTES 64u	/* struct symbol of report/symbols.h */
#define ROWS_MAX (1u << 26)

static uint32_t rows(uint64_t bytes, uint32_t per_mille, uint64_t row_bytes,
		     uint32_t floor_rows)
{
	uint64_t n = bytes / 1000 * per_mille / row_bytes;

	if (n > ROWS_MAX)
		n = ROWS_MAX;
	return n < floor_rows ? floor_rows : (uint32_t)n;
}

static uint32_t row_or(uint32_t wanted, uint32_t share)
{
	return wanted ? wanted : share;
}

uint64_t layout_bytes(const struct layout *l, const struct ram *ram)
{
	uint64_t flat = pages_flat_bytes(ram);
	uint32_t scratch = l->nodes > l->owners ? l->nodes : l->owners;

	return (flat < l->pages_bytes ? flat : l->pages_bytes) +
	       l->ring_bytes + stacks_bytes(l->nodes) +
	       owners_bytes(l->owners) + tasks_bytes(l->tasks) +
	       modules_bytes(l->modules) + areas_bytes(l->modules) +
	       timeline_bytes() +
	       (uint64_t)l->symbols * SYMBOL_ROW_BYTES +
	       (uint64_t)scratch * sizeof(uint32_t);
}

int layout_divide(struct layout *l, const struct layout *want,
		  const struct ram *ram, uint64_t budget_bytes)
{
	uint64_t flat = pages_flat_bytes(ram), left = budget_bytes;

	*l = *want;
	if (!l->pages_bytes)
		l->pages_bytes = flat < left / 2 ? flat : left / 2;
	if (l->pages_bytes < PAGES_FLOOR_BYTES)
		l->pages_bytes = PAGES_FLOOR_BYTES;
	left -= l->pages_bytes < left ? l->pages_bytes : left;
	left -= timeline_bytes() < left ? timeline_bytes() : left;
	if (!l->ring_bytes)
		l->ring_bytes = left / 1000 * RINGS_SHARE;
	/* Beside a row: its buckets, up to twice as many as rows; a node's
	 * part of the cache; a word of the report's scratch; and a task's own
	 * owner. */
	l->modules = row_or(want->modules,
			    rows(left, MODULES_SHARE,
				 sizeof(struct module) +
				 MODULE_RANGES_PER_ROW *
				 sizeof(struct module_range) + areas_bytes(1),
				 MODULES_FLOOR));
	l->nodes = row_or(want->nodes,
			  rows(left, NODES_SHARE,
			       sizeof(struct stack_node) + 20, NODES_FLOOR));
	l->tasks = row_or(want->tasks,
			  rows(left, TASKS_SHARE, sizeof(struct task) +
			       sizeof(struct owner) + 20, TASKS_FLOOR));
	l->owners = row_or(want->owners,
			   l->tasks + rows(left, OWNERS_SHARE,
					   sizeof(struct owner) + 12,
					   OWNERS_FLOOR));
	l->symbols = row_or(want->symbols,
			    rows(left, SYMBOLS_SHARE, SYMBOL_ROW_BYTES,
				 SYMBOLS_FLOOR));
	if (l->nodes <= l->modules || l->owners <= l->tasks)
		return -EINVAL;
	return layout_bytes(l, ram) > budget_bytes && !want->nodes &&
	       !want->tasks && !want->modules && !want->pages_bytes &&
	       !want->ring_bytes ? -ENOMEM : 0;
}
