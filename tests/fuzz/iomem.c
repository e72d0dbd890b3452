/* SPDX-License-Identifier: MIT */
/*
 * source/proc/ram_map.c on any text as lines of /proc/iomem: the ranges it takes
 * have pages, lie within what pfns there can be, and are never too many; the
 * ledger can lay out what they say.
 */
#include "fuzz.h"
#include "ledger/tables.h"
#include "source/proc/proc.h"

static void check(const struct ram *ram, uint32_t page_size)
{
	static _Alignas(64) unsigned char memory[1 << 16];
	struct arena a;
	struct pages p = { 0 };

	must(ram->count <= RAM_RANGES_MAX);
	for (uint32_t i = 0; i < ram->count; i++) {
		const struct ram_range *r = &ram->range[i];

		must(r->count_pages > 0);
		must(r->first_pfn + r->count_pages <= UINT64_MAX / page_size);
	}
	memset(memory, 0, sizeof(memory));
	arena_init(&a, memory, sizeof(memory));
	if (!ram->count || pages_init(&p, &a, ram, sizeof(memory) / 2, 0))
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
