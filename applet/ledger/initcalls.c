/* SPDX-License-Identifier: MIT */
/* The table of initcalls: see tables.h, initcalls. */
#include <stddef.h>
#include "ledger/tables.h"

#define OWNERS_PER_ROW 16u
#define ROWS_LEAST 32u
#define ROWS_MOST 2048u

static uint32_t rows_for(uint32_t owners)
{
	const uint32_t rows = owners / OWNERS_PER_ROW + ROWS_LEAST;

	return rows < ROWS_MOST ? rows : ROWS_MOST;
}

uint64_t initcalls_bytes(uint32_t owners)
{
	return (uint64_t)rows_for(owners) * sizeof(struct initcall) +
	       (uint64_t)owners * sizeof(uint16_t);
}

int initcalls_init(struct initcalls *c, struct arena *a, uint32_t owners,
		   uint16_t **of_owner)
{
	c->capacity = rows_for(owners);
	c->used = INITCALLS_FIXED;
	c->row = arena_take(a, c->capacity, sizeof(*c->row));
	*of_owner = arena_take(a, owners, sizeof(**of_owner));
	return a->failed;
}

uint64_t initcalls_frame(const struct initcalls *c, const uint64_t *chain,
			 uint32_t len)
{
	if (!c->caller_bytes)
		return 0;
	for (uint32_t i = 1; i < len; i++)
		if (chain[i] - 1 - c->caller < c->caller_bytes)
			return chain[i - 1];
	return 0;
}

/* Is the address in the function of this row? */
static int has(const struct initcall *i, uint64_t addr)
{
	return i->size_bytes && addr - i->base < i->size_bytes;
}

/* Searches from the newest row: initcalls run one after the other. */
uint32_t initcalls_find(const struct initcalls *c, uint32_t module,
			uint64_t base, uint64_t addr)
{
	for (uint32_t n = c->used; n-- > INITCALLS_FIXED;) {
		const struct initcall *i = &c->row[n];

		if (!i->addr || i->module != module)
			continue;
		if (module || (base && (i->base == base || has(i, base))) ||
		    (addr && (i->addr == addr || has(i, addr - 1))))
			return n;
	}
	return 0;
}

/* base + 1, because a look-up of the first byte would find the function before:
 * see report/report.h, symbols. */
uint32_t initcalls_enter(struct initcalls *c, uint32_t module, uint64_t base,
			 uint64_t addr)
{
	uint32_t row = initcalls_find(c, module, base, addr);

	if (row)
		return row;
	if (c->used == c->capacity)
		return INITCALL_OTHER;
	c->row[c->used] = (struct initcall){
		.base = base, .addr = addr ? addr : base + 1, .module = module,
	};
	return c->used++;
}

static uint32_t limit_of(const struct initcall *i)
{
	return i->limit > i->pages.peak ? i->limit : i->pages.peak;
}

static uint32_t add_limits(uint32_t a, uint32_t b)
{
	return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static void join(struct initcall *to, struct initcall *from, uint32_t epoch)
{
	struct count *c = &to->pages;

	to->limit = add_limits(limit_of(to), limit_of(from));
	to->run_ns += from->run_ns;
	to->runs += from->runs;
	if (from->pages.peak > c->peak)
		c->peak = from->pages.peak;
	count_fold(c, &from->pages, epoch);
	*from = (struct initcall){ 0 };
}

static void renumber(struct initcalls *c, uint16_t *of_owner, uint32_t owners,
		     uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < c->runs; i++)
		if (c->run[i].row == from)
			c->run[i].row = to;
	for (uint32_t i = 0; i < owners; i++)
		if ((of_owner[i] & ~INITCALL_BY_EVENT) == from)
			of_owner[i] = (uint16_t)(of_owner[i] ^ from ^ to);
}

uint32_t initcalls_join(struct initcalls *c, uint64_t base, uint64_t size_bytes,
			uint32_t epoch, uint16_t *of_owner, uint32_t owners)
{
	uint32_t first = 0;

	for (uint32_t n = INITCALLS_FIXED; n < c->used; n++) {
		struct initcall *i = &c->row[n];

		if (!i->addr || i->module || i->addr - 1 - base >= size_bytes)
			continue;
		if (first) {
			join(&c->row[first], i, epoch);
			renumber(c, of_owner, owners, n, first);
			continue;
		}
		first = n;
		i->base = base;
		i->size_bytes = (uint32_t)size_bytes;
	}
	return first;
}

void initcalls_forget_module(struct initcalls *c, uint32_t module,
			     uint32_t heir)
{
	for (uint32_t n = INITCALLS_FIXED; n < c->used; n++)
		if (c->row[n].module == module)
			c->row[n].module = heir;
}

void initcalls_end_all(struct initcalls *c)
{
	c->runs = 0;
}

struct initcall_run *initcalls_running(struct initcalls *c, uint32_t tid)
{
	for (uint32_t n = c->runs; n-- > 0;)
		if (c->run[n].tid == tid)
			return &c->run[n];
	return NULL;
}
