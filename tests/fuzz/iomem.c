/* SPDX-License-Identifier: MIT */
/*
 * source/proc/iomem.c on any text as lines of /proc/iomem: the ranges it takes
 * have pages, lie within what pfns there can be, and are never too many; the
 * ledger can lay out what they say.
 */
#include <stdlib.h>
#include <string.h>
#include "must.h"
#include "ledger/pages.h"
#include "source/proc/proc.h"

static void line(struct ram *ram, const uint8_t *bytes, size_t len,
		 uint32_t page_size)
{
	char *copy = malloc(len ? len : 1);
	uint32_t before = ram->count;
	int taken;

	must(copy != NULL);
	memcpy(copy, bytes, len);
	taken = iomem_line(ram, copy, len, page_size);
	must(taken == 0 || taken == 1);
	must(ram->count == before || ram->count == before + (uint32_t)taken);
	must(!taken || ram->count);
	free(copy);
}

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
	struct ram ram = { .count = 0 };

	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t len = end ? (size_t)(end - data) : size;

		line(&ram, data, len, page_size);
		data += len + (end != NULL);
		size -= len + (end != NULL);
	}
	check(&ram, page_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lines(data, size, 4096);
	lines(data, size, 65536);
	return 0;
}
