/* SPDX-License-Identifier: MIT */
/*
 * source/proc/dt_cells.c: numbers of one to four cells. Pairs are compared with
 * a plain reading by tests/fuzz/dt_cells.c.
 */
#include <errno.h>
#include "limits.h"
#include "source/proc/dt_cells.h"
#include "exact.h"
#include "tap.h"

int main(void)
{
	static const unsigned char reg[] = {
		0, 0, 0, 0, 0x4d, 0, 0, 0, 0, 0, 0, 0, 0, 0x30, 0, 0,
		0, 0, 0, 1, 0x4d, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0,
	};
	static const struct {
		size_t at, len;
		uint32_t cells;
		int error;
		uint64_t value;
		const char *name;
	} t[] = {
		{ 0, 4, 1, 0, 0, "one cell" },
		{ 0, 8, 2, 0, 0x4d000000, "two cells" },
		{ 4, 4, 1, 0, 0x4d000000, "the first byte is the highest" },
		{ 0, 12, 3, 0, 0x4d00000000000000, "three that 64 bits hold" },
		{ 16, 12, 3, -ERANGE, 7, "three that they do not hold" },
		{ 16, 16, 4, -ERANGE, 7, "nor four" },
		{ 0, 3, 1, -EINVAL, 7, "too few bytes for one cell" },
		{ 0, 7, 2, -EINVAL, 7, "for two" },
		{ 0, 0, 1, -EINVAL, 7, "no bytes" },
		{ 0, 8, 0, -EINVAL, 7, "no cell" },
		{ 0, 32, 5, -EINVAL, 7, "five cells" },
	};
	uint64_t bytes, value;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		value = 7;
		tap_ok(dt_number(exact_once(reg + t[i].at, t[i].len), t[i].len,
				 t[i].cells, &value) == t[i].error &&
		       value == t[i].value, "%s", t[i].name);
	}
	tap_ok(dt_pair(reg, 32, 0, 2, 0, &value, &bytes) == -EINVAL &&
	       dt_pair(reg, 32, 2, 0, 0, &value, &bytes) == -EINVAL,
	       "a pair of no cells");
	return tap_plan_done();
}
