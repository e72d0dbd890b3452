/* SPDX-License-Identifier: MIT */
/*
 * source/proc/ram_tree.c on any bytes: of the first two of them, the numbers of
 * cells; the rest is "reg". Each number and pair is the one that a plain reading
 * finds.
 */
#include <errno.h>
#include "fuzz.h"
#include "source/proc/proc.h"

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
