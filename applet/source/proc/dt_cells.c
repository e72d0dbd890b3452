/* SPDX-License-Identifier: MIT */
/* Cells of a device tree: see proc.h, dt cells. */
#include <errno.h>
#include "source/proc/proc.h"

#define CELL_BYTES 4u
#define CELLS_MAX 4u

int dt_number(const unsigned char *at, size_t len, uint32_t cells,
	      uint64_t *value)
{
	uint64_t number = 0;

	if (!cells || cells > CELLS_MAX || len < cells * CELL_BYTES)
		return -EINVAL;
	for (uint32_t i = 0; i < cells * CELL_BYTES; i++) {
		if (number >> 56)
			return -ERANGE;
		number = number << 8 | at[i];
	}
	*value = number;
	return 0;
}

int dt_pair(const unsigned char *reg, size_t len, uint32_t address_cells,
	    uint32_t size_cells, uint32_t pair, uint64_t *base,
	    uint64_t *bytes)
{
	size_t base_bytes, each, at;
	int error;

	if (!address_cells || address_cells > CELLS_MAX || !size_cells ||
	    size_cells > CELLS_MAX)
		return -EINVAL;
	base_bytes = (size_t)address_cells * CELL_BYTES;
	each = base_bytes + (size_t)size_cells * CELL_BYTES;
	if (pair >= len / each)
		return -ENOENT;
	at = pair * each;
	error = dt_number(reg + at, len - at, address_cells, base);
	if (!error)
		error = dt_number(reg + at + base_bytes, len - at - base_bytes,
				  size_cells, bytes);
	return error;
}
