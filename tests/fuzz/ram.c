/* SPDX-License-Identifier: MIT */
/*
 * Any text as what a machine says of its memory. source/proc/ram_map.c, lines of
 * /proc/iomem: the ranges it takes have pages, lie within what pfns there can be,
 * and are never too many; the ledger can lay out what they say. ram_read.c: of the
 * first two bytes, the numbers of cells, the rest is "reg", each number and pair
 * is the one that a plain reading finds. ram*.c, all of it (tests/unit/
 * ram_machine.h), then the account: a part has a name and a size, and the rows of
 * the report add up to what is installed.
 */
#include "fuzz.h"
#include "../unit/ram_machine.h"
#include "ledger/tables.h"
#include "report/parts.h"

/* --- ram_map.c --- */

static void check(const struct ram *ram, uint32_t page_size)
{
	struct pages p = { 0 };

	must(ram->count <= RAM_RANGES_MAX);
	for (uint32_t i = 0; i < ram->count; i++) {
		const struct ram_range *r = &ram->range[i];

		must(r->count_pages > 0);
		must(r->first_pfn + r->count_pages <= UINT64_MAX / page_size);
	}
	if (!ram->count ||
	    pages_init(&p, arena_fresh(1 << 16), ram, 1 << 15, 0))
		return;
	for (uint32_t i = 0; i < ram->count; i++) {
		const struct ram_range *r = &ram->range[i];

		must(pages_swap(&p, r->first_pfn + r->count_pages - 1, 0) >= 0
		     || pages_flat_bytes(ram) > UINT32_MAX);
	}
}

static void lines(const uint8_t *data, size_t size, uint32_t page_size)
{
	struct input t = { .at = data, .left = size };
	struct ram ram = { .count = 0 };

	while (input_line(&t)) {
		const uint32_t before = ram.count;
		const int taken = iomem_line(&ram, t.line, t.len, page_size);

		must(taken == 0 || taken == 1);
		must(ram.count == before ||
		     ram.count == before + (uint32_t)taken);
		must(!taken || ram.count);
	}
	check(&ram, page_size);
}

void fuzz_iomem(const uint8_t *data, size_t size)
{
	lines(data, size, 4096);
	lines(data, size, 65536);
}

/* --- ram_read.c --- */

/* 128 bits, so that whatever four cells hold fits. */
static unsigned __int128 plain(const unsigned char *at, uint32_t cells)
{
	unsigned __int128 value = 0;

	for (uint32_t i = 0; i < cells * 4; i++)
		value = value * 256 + at[i];
	return value;
}

/* As large as there are cells; an error leaves the value as it was. */
static void number(const unsigned char *at, size_t len, uint32_t cells)
{
	uint64_t value = 7;
	const int error = dt_number(at, len, cells, &value);

	if (!cells || cells > 4 || len < cells * 4)
		must(error == -EINVAL);
	else if (plain(at, cells) > UINT64_MAX)
		must(error == -ERANGE);
	else
		must(!error && value == plain(at, cells));
	must(!error || value == 7);
}

static void pairs(const unsigned char *reg, size_t len, uint32_t address_cells,
		  uint32_t size_cells)
{
	const size_t each = (address_cells + size_cells) * 4;
	const int possible = address_cells && address_cells < 5 &&
			     size_cells && size_cells < 5;
	uint64_t base, bytes;

	for (uint32_t i = 0; i < 64; i++) {
		const unsigned char *at = reg + i * each;
		int error = dt_pair(reg, len, address_cells, size_cells, i,
				    &base, &bytes);

		if (!possible) {
			must(error == -EINVAL);
		} else if ((i + 1) * each > len) {
			must(error == -ENOENT);
		} else if (error) {
			must(error == -ERANGE &&
			     (plain(at, address_cells) > UINT64_MAX ||
			      plain(at + address_cells * 4, size_cells) >
			      UINT64_MAX));
		} else {
			must(base == plain(at, address_cells));
			must(bytes == plain(at + address_cells * 4,
					    size_cells));
		}
	}
}

void fuzz_dt_cells(const uint8_t *data, size_t size)
{
	if (size < 2)
		return;
	number(data + 2, size - 2, data[0]);
	pairs(data + 2, size - 2, data[0], data[1]);
}

/* --- all of it --- */

struct listener {
	struct event_out out;	/* first: it takes events */
	struct ledger ledger;
};

static void hear(struct event_out *o, const struct event *e)
{
	struct listener *l = (struct listener *)o;

	if (e->type == EVENT_FIGURE)
		return;
	must(e->type == EVENT_RAM && e->size);
	must(memchr(e->name, 0, RAM_NAME_BYTES) != NULL);
	must((e->flags & ~(RAM_GROUP_MASK | RAM_WITHIN)) == 0);
	if (ram_rows_add(&l->ledger.ram, e) < 0)
		must(l->ledger.ram.used == RAM_ROWS_MAX);
}

static void account(struct listener *l)
{
	struct session n = { .page_size = 4096, .mem_total_kib = 200000 };
	struct report r = { .ledger = &l->ledger, .session = &n };
	uint64_t value[FIGURES] = { 0 };
	struct ram_account a;
	int64_t sum = 0;

	l->ledger.memory_sampled = 1;
	l->ledger.free_now_pages = 20000;
	if (!ram_account(&r, value, &a))
		return;
	must(a.parts <= ARRAY_LEN(a.part));
	for (uint32_t i = 0; i < a.parts; i++) {
		must(a.part[i].kib != 0);
		must(!i || a.part[i].group >= a.part[i - 1].group);
		sum += a.part[i].within ? 0 : a.part[i].kib;
	}
	must(sum == a.installed_kib);
}

void fuzz_ram(const uint8_t *data, size_t size)
{
	static struct ram_machine m;
	static struct listener l;

	l = (struct listener){ .out.event = hear };
	ram_machine_read(&m, &l.out, (const char *)data, size);
	account(&l);
}
