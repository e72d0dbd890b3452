/* SPDX-License-Identifier: MIT */
/*
 * The sizes of a replay's tables are the recorded ones, so that a table that
 * overflowed then overflows now. --mem divides its budget anew; --pages,
 * --stacks, --tasks and --modules set the size of one table each. The file is
 * not trusted.
 */
#include <errno.h>
#include "ledger/ledger.h"
#include "record/record.h"

/* The most that a file may claim: products of larger numbers would not fit 32
 * bits. */
#define ROWS_MOST (1u << 24)
#define SYMBOLS_MOST (1u << 20)	/* more than --mem=1G gives */
#define PAGES_LEAST_BYTES 4096u

/* NULL, or a text that says what cannot be. */
static const char *problem_of(const struct layout *l)
{
	if (l->nodes <= l->modules)
		return "tables with no more stacks than modules";
	return l->pages_bytes >= PAGES_LEAST_BYTES &&
	       l->pages_bytes <= REPLAY_ARENA_BYTES &&
	       l->nodes <= ROWS_MOST && l->modules > MODULES_FIXED &&
	       l->owners <= ROWS_MOST && l->owners > l->tasks &&
	       l->tasks > TASKS_FIXED &&
	       l->slab_bytes <= REPLAY_ARENA_BYTES &&
	       l->symbols <= SYMBOLS_MOST ?
	       NULL : "tables too large or too small";
}

const char *replay_layout(const struct config *c, struct trace_header *h)
{
	const struct layout want = {
		.pages_bytes = c->pages_bytes, .ring_bytes = c->ring_bytes,
		.nodes = c->stacks, .tasks = c->tasks, .modules = c->modules,
	};
	struct layout *l = &h->layout;
	const uint64_t slab = c->slab_bytes > 1 ? c->slab_bytes :
			      l->slab_bytes;

	if (c->mem_bytes) {
		if (layout_divide(l, &want, &h->ram, c->mem_bytes, 0) == -ENOMEM)
			return "tables larger than --mem";
	} else {
		if (want.pages_bytes)
			l->pages_bytes = want.pages_bytes;
		if (want.nodes)
			l->nodes = want.nodes;
		if (want.modules)
			l->modules = want.modules;
		if (want.tasks) {
			l->owners += want.tasks - l->tasks;
			l->tasks = want.tasks;
		}
	}
	/* Besides --mem, as when it was recorded. */
	l->slab_bytes = slab;
	return problem_of(l);
}
