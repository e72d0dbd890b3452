/* SPDX-License-Identifier: MIT */
/*
 * Strict numbers: the whole text must be a number in range, otherwise *value
 * keeps its old value. A sign, white space or a prefix is refused: the C
 * library's functions accept all three and ignore what follows the number.
 */
#include <errno.h>
#include "base/base.h"

static unsigned int digit_value(char c)
{
	unsigned int digit = (unsigned int)c - '0';

	if (digit <= 9)
		return digit;
	digit = ((unsigned int)c | ('a' - 'A')) - 'a';
	return digit < 6 ? digit + 10 : UINT32_MAX;
}

int parse_digits(const char *text, size_t *len, unsigned int base,
		 uint64_t *value)
{
	int too_large = 0;
	size_t i = 0;

	for (*value = 0; i < *len; i++) {
		unsigned int digit = digit_value(text[i]);

		if (digit >= base)
			break;
		too_large |= __builtin_mul_overflow(*value, base, value);
		too_large |= __builtin_add_overflow(*value, digit, value);
	}
	*len = i;
	return too_large ? -ERANGE : i ? 0 : -EINVAL;
}

int parse_u64(const char *text, size_t len, unsigned int base, uint64_t min,
	      uint64_t max, uint64_t *value)
{
	size_t digits = len;
	uint64_t sum;
	int error = parse_digits(text, &digits, base, &sum);

	if (digits != len)
		return -EINVAL;
	if (!error && (sum < min || sum > max))
		error = -ERANGE;
	if (!error)
		*value = sum;
	return error;
}

/* The bounds are for the whole value. Divided by the letter's unit, they bound
 * the number before the letter: min is rounded up, max is rounded down. */
int parse_size(const char *text, size_t len, uint64_t min, uint64_t max,
	       uint64_t *value)
{
	unsigned int shift = 0;
	int error;

	if (len > 0) {
		char letter = text[len - 1] | ('a' - 'A');

		shift = letter == 'k' ? 10 : letter == 'm' ? 20 :
			letter == 'g' ? 30 : 0;
		len -= shift != 0;
	}
	min = min ? ((min - 1) >> shift) + 1 : 0;
	error = parse_u64(text, len, 10, min, max >> shift, value);
	if (!error)
		*value <<= shift;
	return error;
}
