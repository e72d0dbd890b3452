/* SPDX-License-Identifier: MIT */
/* Kernel modules and the ranges of their text: see tables.h, modules. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "base/base.h"
#include "ledger/tables.h"
#include "limits.h"

uint64_t modules_bytes(uint32_t rows)
{
	return rows * (sizeof(struct module) +
		       MODULE_RANGES_PER_ROW * sizeof(struct module_range)) +
	       hash_bytes(rows) + idle_bytes(rows);
}

int modules_init(struct modules *m, struct arena *a, uint32_t rows)
{
	if (rows <= MODULES_FIXED)
		return -EINVAL;
	m->capacity = rows;
	m->used = MODULES_FIXED;
	m->ranges_capacity = rows * MODULE_RANGES_PER_ROW;
	m->row = arena_take(a, rows, sizeof(*m->row));
	m->range = arena_take(a, m->ranges_capacity, sizeof(*m->range));
	hash_init(&m->hash, a, rows);
	idle_init(&m->idle, a, MODULES_FIXED, rows);
	if (a->failed)
		return a->failed;
	memcpy(m->row[MODULE_NONE].name, "(no module)", 12);
	memcpy(m->row[MODULE_OTHER].name, "(other)", 8);
	m->row[MODULE_NONE].state = MODULE_LIVE;
	m->row[MODULE_OTHER].state = MODULE_LIVE;
	return 0;
}

static uint32_t *bucket_of(const struct modules *m, const char *name)
{
	return hash_bucket(&m->hash, text_hash(TEXT_HASH_BEGIN, name,
					       strlen(name)), 0);
}

uint32_t modules_find(const struct modules *m, const char *name)
{
	uint32_t row = *bucket_of(m, name);

	while (row && strcmp(m->row[row].name, name))
		row = m->row[row].next;
	return row;
}

/* module_dir() stays "". */
void modules_begin(struct modules *m, uint32_t row, const char *name)
{
	struct module *k = &m->row[row];
	uint32_t *head = bucket_of(m, name);

	strcpy(k->name, name);
	k->state = MODULE_LIVE;
	k->next = *head;
	*head = row;
}

void modules_end(struct modules *m, uint32_t row, enum module_state state)
{
	struct module *k = &m->row[row];
	uint32_t *link = bucket_of(m, k->name);

	while (*link && *link != row)
		link = &m->row[*link].next;
	if (*link)
		*link = k->next;
	k->state = (uint8_t)state;
	modules_note_idle(m, row);
}

void modules_note_idle(struct modules *m, uint32_t row)
{
	idle_set(&m->idle, row, module_may_go(&m->row[row]));
}

uint32_t modules_without_dir(const struct modules *m, const char *name)
{
	const size_t len = length_to(name, ' ');

	for (uint32_t i = MODULES_FIXED; name[len] && name[len + 1] &&
	     i < m->used; i++)
		if (!memcmp(m->row[i].name, name, len) && !m->row[i].name[len] &&
		    !*module_dir(&m->row[i]))
			return i;
	return 0;
}

/* Removes the ranges of `row`, and the parts of other ranges that the new range
 * will cover. */
static void clear_way(struct modules *m, uint32_t row, uint64_t base,
		      uint64_t end)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < m->ranges; i++) {
		struct module_range *r = &m->range[i];

		if (r->row == row || (r->base >= base && r->base < end))
			continue;
		if (r->base < base && r->end > base)
			r->end = base;
		m->range[kept++] = *r;
	}
	m->ranges = kept;
}

/* Modules with live objects are recycled after all others. */
static uint64_t weight(const struct module *k)
{
	return (uint64_t)(k->objects != 0) << 32 | k->held_peak;
}

static uint32_t recycle(struct modules *m)
{
	const struct module *k = m->row;
	uint32_t best = 0, row = idle_next(&m->idle, MODULES_FIXED);

	for (uint32_t i = 0; i < RECYCLE_CHOICE && row; i++) {
		if (!best || weight(&k[row]) < weight(&k[best]))
			best = row;
		row = idle_next(&m->idle, row + 1);
	}
	if (best)
		idle_recycled(&m->idle, best, k[best].held_peak);
	return best;
}

uint32_t modules_take(struct modules *m, int *recycled)
{
	uint32_t row;

	*recycled = 0;
	if (m->used < m->capacity)
		return m->used++;
	row = recycle(m);
	if (!row) {
		m->full++;
		return MODULE_OTHER;
	}
	*recycled = 1;
	idle_set(&m->idle, row, 0);
	clear_way(m, row, 0, 0);
	return row;
}

/* The first range that ends after `addr`. */
static uint32_t range_after(const struct modules *m, uint64_t addr)
{
	uint32_t low = 0, high = m->ranges;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->range[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct module_range *modules_range_at(const struct modules *m,
					    uint64_t addr)
{
	uint32_t i;

	if (!m->ranges || addr < m->range[0].base ||
	    addr >= m->range[m->ranges - 1].end)
		return NULL;
	i = range_after(m, addr);
	return m->range[i].base <= addr ? &m->range[i] : NULL;
}

int modules_have_text(const struct modules *m, uint64_t base, uint64_t end)
{
	const uint32_t i = range_after(m, base);

	return i < m->ranges && m->range[i].base < end;
}

uint32_t modules_at(const struct modules *m, uint64_t addr)
{
	const struct module_range *r = modules_range_at(m, addr);

	return r ? r->row : 0;
}

/* drm, drm_shmem_helper, ttm ... allocate the buffers of a GPU for its
 * driver. */
static int is_helper(const char *name)
{
	return !memcmp(name, "drm", 3) || !memcmp(name, "ttm", 3);
}

/* The row of the module whose code runs at this address, or 0. The code of a
 * removed module does not run, and neither does init text after the load: other
 * code, whose range is not known yet, must be there. */
static uint32_t runs_at(const struct modules *m, uint64_t addr)
{
	const struct module_range *r = modules_range_at(m, addr);
	const struct module *k = r ? &m->row[r->row] : NULL;

	return k && k->state < MODULE_FAILED && !(r->init && k->init_over) ?
	       r->row : 0;
}

/* A return address may be the first byte behind a function, and so the first
 * byte behind a module; so the byte before it is looked up. */
uint32_t modules_on(const struct modules *m, const uint64_t *chain,
		    uint32_t len)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < len; i++) {
		const uint32_t row = runs_at(m, chain[i] - 1);

		if (row && !is_helper(m->row[row].name))
			return row;
		first = first ? first : row;
	}
	return first;
}

/* The base is exact. The size may be too large: since 6.4 the text is one of
 * several parts of a module, and the kernel gives only the sum of their
 * sizes. */
uint64_t modules_range_end(const struct modules *m, uint64_t base,
			   uint64_t end)
{
	for (uint32_t i = 0; i < m->ranges; i++) {
		const struct module_range *r = &m->range[i];

		if (r->base > base && r->base < end && !r->init &&
		    m->row[r->row].state == MODULE_LIVE)
			end = r->base;
	}
	return end;
}

void modules_add_range(struct modules *m, uint32_t row, uint64_t base,
		       uint64_t size_bytes, uint32_t init)
{
	uint64_t end = base + size_bytes;
	uint32_t at;

	if (end <= base)
		return;
	end = modules_range_end(m, base, end);
	clear_way(m, MODULE_NONE, base, end);
	if (m->ranges == m->ranges_capacity) {
		m->ranges_full++;
		return;
	}
	at = range_after(m, base);
	memmove(&m->range[at + 1], &m->range[at],
		(m->ranges - at) * sizeof(*m->range));
	m->range[at] = (struct module_range){ base, end, row, init };
	m->ranges++;
}
