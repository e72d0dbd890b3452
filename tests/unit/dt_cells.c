/* SPDX-License-Identifier: MIT */
/* source/proc/dt_cells.c: numbers of one to four cells, and pairs of them. */
#include <errno.h>
#include "source/proc/dt_cells.h"
#include "exact.h"
#include "tap.h"

static const unsigned char reg[] = {
	0, 0, 0, 0, 0x4d, 0, 0, 0, 0, 0, 0, 0, 0, 0x30, 0, 0,
	0, 0, 0, 1, 0x4d, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0,
};

static int number(size_t len, uint32_t cells, uint64_t *value)
{
	unsigned char *copy = exact(reg, len);
	int error = dt_number(copy, len, cells, value);

	free(copy);
	return error;
}

static int pair(size_t len, uint32_t address_cells, uint32_t size_cells,
		uint32_t which, uint64_t *base, uint64_t *bytes)
{
	unsigned char *copy = exact(reg, len);
	int error = dt_pair(copy, len, address_cells, size_cells, which, base,
			    bytes);

	free(copy);
	return error;
}

int main(void)
{
	static const unsigned char large[16] = { 0, 0, 0, 1 };
	uint64_t v = 7, b = 7;

	tap_ok(!number(4, 1, &v) && v == 0, "one cell");
	tap_ok(!number(8, 2, &v) && v == 0x4d000000, "two cells");
	tap_ok(!dt_number(reg + 4, 4, 1, &v) && v == 0x4d000000,
	       "the first byte is the highest");
	tap_ok(!number(12, 3, &v) && v == 0x4d00000000000000,
	       "three cells that 64 bits hold");
	v = 7;
	tap_ok(dt_number(large, 12, 3, &v) == -ERANGE && v == 7 &&
	       dt_number(large, 16, 4, &v) == -ERANGE && v == 7,
	       "more than 64 bits");
	tap_ok(number(3, 1, &v) == -EINVAL && number(7, 2, &v) == -EINVAL &&
	       number(0, 1, &v) == -EINVAL && number(8, 0, &v) == -EINVAL &&
	       number(32, 5, &v) == -EINVAL && v == 7,
	       "too few bytes, and no such number of cells");
	tap_ok(!pair(32, 2, 2, 0, &v, &b) && v == 0x4d000000 && b == 0x300000,
	       "a pair");
	tap_ok(!pair(32, 2, 2, 1, &v, &b) && v == 0x14d400000 && b == 0x100000,
	       "the second one");
	tap_ok(pair(32, 2, 2, 2, &v, &b) == -ENOENT &&
	       pair(31, 2, 2, 1, &v, &b) == -ENOENT &&
	       pair(0, 2, 2, 0, &v, &b) == -ENOENT &&
	       pair(32, 2, 2, UINT32_MAX, &v, &b) == -ENOENT, "no more");
	tap_ok(!pair(32, 1, 1, 0, &v, &b) && v == 0 && b == 0x4d000000,
	       "of one cell each");
	tap_ok(!pair(32, 2, 1, 0, &v, &b) && v == 0x4d000000 && b == 0,
	       "of unequal numbers of cells");
	tap_ok(pair(32, 0, 2, 0, &v, &b) == -EINVAL &&
	       pair(32, 2, 0, 0, &v, &b) == -EINVAL &&
	       pair(32, 5, 1, 0, &v, &b) == -EINVAL &&
	       pair(32, 1, UINT32_MAX, 0, &v, &b) == -EINVAL,
	       "no such number of cells");
	return tap_plan_done();
}
