/* SPDX-License-Identifier: MIT */
/* Values: see config.h, value. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "config/config.h"

int value_within(const char *bounds, const char *value, size_t len,
		 uint32_t *number)
{
	const size_t first = length_to(bounds, ' ');
	const char *last = bounds + first + sizeof("to ");
	const size_t last_len = strlen(last);
	uint64_t min = 0, max = 0, n = 0;
	int error;

	parse_size(bounds, first, 0, UINT32_MAX, &min);
	parse_size(last, last_len, 0, UINT32_MAX, &max);
	error = last[last_len - 1] > '9' ?
		parse_size(value, len, min, max, &n) :
		parse_u64(value, len, 10, min, max, &n);
	*number = (uint32_t)n;
	return error;
}

int value_keyword(const char *words, const char *value, size_t len)
{
	for (int i = 0;; i++) {
		const size_t word = length_to(words, '|');

		if (word == len && !memcmp(words, value, len))
			return i;
		words += word;
		if (!*words++)
			return -EINVAL;
	}
}
