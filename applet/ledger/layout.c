/* SPDX-License-Identifier: MIT */
/*
 * Divides one budget among tables by fixed shares.
 *
 * The page table comes first. A flat page table, 1/1024 of RAM, takes an eighth
 * of the default budget. If it does not fit half of the budget, a hash gets
 * that half. The rings and the other tables share the rest; the shares below
 * were measured in boots of Debian kernels. The rings take half. The ring of
 * each CPU is a power of two, which would waste up to half of this share: so
 * the ring is rounded up if all rings then fit three fifths of the rest, and
 * the other tables get less. A kernel that does not preempt runs a system call
 * to its end before the tracer gets the CPU: there the rings take up to three
 * quarters.
 */
#include <errno.h>
#include <stddef.h>
#include "ledger/ledger.h"

/* Shares of the rest behind the page table. Together they are less than all, so
 * that there is slack for rounding. */
#define RINGS_PER_MILLE 480u

#define PAGES_FLOOR_BYTES 4096u
#define SYMBOL_ROW_BYTES 64u	/* struct symbol of report/report.h, symbols */
#define AREA_ROW_BYTES (sizeof(struct area) + 8)
/* An owner's initcall, and its share of the table of initcalls. */
#define INITCALL_BYTES (2 + (sizeof(struct initcall) + 15) / 16)

/* row_bytes includes the row itself; its buckets, up to twice as many as rows;
 * for a node, its part of the cache; a word of the report's scratch; for a
 * task, its built-in owner; and the areas of vmalloc, whose number depends on
 * modules and tasks. With fewer rows than the floor a report would be
 * useless. */
static const struct share {
	uint16_t offset;	/* in struct layout */
	uint16_t per_mille, row_bytes, floor_rows;
} shares[] = {
	{ offsetof(struct layout, modules), 40, sizeof(struct module) +
	  MODULE_RANGES_PER_ROW * sizeof(struct module_range) +
	  AREAS_PER_MODULE * AREA_ROW_BYTES + sizeof(struct caller) + 16, 16 },
	{ offsetof(struct layout, nodes), 220,
	  sizeof(struct stack_node) + 20, 512 },
	{ offsetof(struct layout, tasks), 95,
	  sizeof(struct task) + sizeof(struct owner) + 20 + AREA_ROW_BYTES +
	  INITCALL_BYTES, 64 },
	{ offsetof(struct layout, owners), 95,
	  sizeof(struct owner) + 12 + INITCALL_BYTES, 256 },
	{ offsetof(struct layout, symbols), 60, SYMBOL_ROW_BYTES, 64 },
};

#define ROWS_MAX (1u << 26)

uint64_t layout_bytes(const struct layout *l, const struct ram *ram)
{
	uint32_t scratch = l->nodes > l->owners ? l->nodes : l->owners;

	return pages_bytes(ram, l->pages_bytes, l->flat_bytes) +
	       l->ring_bytes + stacks_bytes(l->nodes) +
	       owners_bytes(l->owners) + tasks_bytes(l->tasks) +
	       modules_bytes(l->modules) + areas_bytes(l->modules, l->tasks) +
	       timeline_bytes() + initcalls_bytes(l->owners) +
	       slab_bytes(l->slab_bytes, l->modules) +
	       (l->history ? history_bytes(l->modules, l->tasks) : 0) +
	       (uint64_t)l->symbols * SYMBOL_ROW_BYTES +
	       (uint64_t)scratch * sizeof(uint32_t);
}

/* Each module needs a root of the stacks, each task an owner. */
void layout_for_samples(struct layout *l)
{
	l->pages_bytes = PAGES_FLOOR_BYTES;
	l->nodes = l->modules + 1;
	l->owners = l->tasks + 1;
	l->ring_bytes = l->slab_bytes = 0;
}

/* With objects of slab, a module row has sums; with a history, the rows of
 * modules and tasks have HISTORY_ROW_BYTES. */
static uint32_t share_rows(const struct share *s, uint64_t mille_bytes,
			   const struct layout *l)
{
	const int is_module = s->offset == offsetof(struct layout, modules);
	const int ends = is_module ||
			 s->offset == offsetof(struct layout, tasks);
	const uint64_t row_bytes = s->row_bytes +
		(is_module && l->slab_bytes ? sizeof(struct object_sums) : 0) +
		(ends && l->history ? HISTORY_ROW_BYTES : 0);
	uint64_t rows = mille_bytes * s->per_mille / row_bytes;

	if (rows > ROWS_MAX)
		return ROWS_MAX;
	return rows < s->floor_rows ? s->floor_rows : (uint32_t)rows;
}

/* Each ring gets the largest power of two so that all rings fit their most. */
static uint64_t large_rings(uint64_t left, const struct layout_rings *r)
{
	uint64_t bytes = r->count;

	while (bytes * 2 <= left / 1000 * r->most_per_mille)
		bytes *= 2;
	return bytes;
}

/* A boot has ten events of objects for each event of a page, at times 20 MiB a
 * second, and a host may stop a virtual CPU for more than a tenth of a
 * second. */
uint64_t layout_slab_rings(const struct layout *want)
{
	return want->ring_bytes ? 0 : want->slab_bytes;
}

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t layout_flat_beside(const struct ram *ram, uint64_t total_bytes,
			    uint32_t page_size)
{
	const uint64_t bytes = pages_flat_bytes(ram);

	if (ram_pages(ram) > 2 * total_bytes / page_size)
		return bytes <= total_bytes / OFFLINE_DIVISOR ? bytes : 0;
	return bytes > BUDGET_CEILING_BYTES / 2 && bytes <= FLAT_CEILING_BYTES ?
	       bytes : 0;
}

/* RAM is a little less than a power of two, and so is the flat table. If it
 * becomes a hash (tables.h, pages), rounding up doubles the slots. */
static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGES_FLOOR_BYTES - 1) / PAGES_FLOOR_BYTES *
	       PAGES_FLOOR_BYTES;
}

int layout_divide(struct layout *l, const struct layout *want,
		  const struct ram *ram, uint64_t budget_bytes,
		  const struct layout_rings *rings)
{
	const uint64_t flat = whole_pages(pages_flat_bytes(ram));
	uint64_t left = budget_bytes;
	uint64_t tables = UINT64_MAX;
	const uint64_t fixed = timeline_bytes() + initcalls_bytes(0) +
			       (want->history ? history_bytes(0, 0) : 0);
	const uint64_t slab = want->slab_bytes + layout_slab_rings(want);

	*l = *want;
	left -= smaller_of(slab, left);
	if (!l->pages_bytes)
		l->pages_bytes = flat < left / 2 ? flat : left / 2;
	if (l->pages_bytes < PAGES_FLOOR_BYTES)
		l->pages_bytes = PAGES_FLOOR_BYTES;
	left -= smaller_of(l->pages_bytes, left);
	left -= smaller_of(fixed, left);
	if (rings && !l->ring_bytes) {
		l->ring_bytes = large_rings(left, rings);
		tables = (left - l->ring_bytes) / (1000 - RINGS_PER_MILLE);
	}
	left /= 1000;
	if (!l->ring_bytes)
		l->ring_bytes = left * RINGS_PER_MILLE;
	if (!want->ring_bytes)
		l->ring_bytes += layout_slab_rings(want);
	if (tables < left)
		left = tables;
	for (const struct share *s = shares; s < shares + ARRAY_LEN(shares);
	     s++) {
		uint32_t *rows = (uint32_t *)((char *)l + s->offset);

		if (!*rows)
			*rows = share_rows(s, left, l);
	}
	if (!want->owners)
		l->owners += l->tasks;
	if (l->nodes <= l->modules || l->owners <= l->tasks)
		return -EINVAL;
	return layout_bytes(l, ram) > budget_bytes && !want->nodes &&
	       !want->tasks && !want->modules && !want->pages_bytes &&
	       !want->ring_bytes ? -ENOMEM : 0;
}
