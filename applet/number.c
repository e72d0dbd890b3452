/*
 * Strict numbers: all of the text is the number, and it is in range, or the
 * value is left alone. No sign, no white space, no prefix; the C library's
 * functions take all three and stop where they please.
 */
#include <errno.h>
#include "number.h"

static unsigned int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned int)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned int)(c - 'A') + 10;
	return UINT32_MAX;
}

/* A number of `shift` binary digits more than its text says. */
static int parse_shifted(const char *text, size_t len, unsigned int base,
			 unsigned int shift, uint64_t min, uint64_t max,
			 uint64_t *value)
{
	const uint64_t limit = UINT64_MAX >> shift;
	int too_large = 0;
	uint64_t sum = 0;

	if (len == 0)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		unsigned int digit = digit_value(text[i]);

		if (digit >= base)
			return -EINVAL;
		if (sum > (limit - digit) / base)
			too_large = 1;
		else
			sum = sum * base + digit;
	}
	sum <<= shift;
	if (too_large || sum < min || sum > max)
		return -ERANGE;
	*value = sum;
	return 0;
}

int parse_u64(const char *text, size_t len, unsigned int base, uint64_t min,
	      uint64_t max, uint64_t *value)
{
	return parse_shifted(text, len, base, 0, min, max, value);
}

int parse_size(const char *text, size_t len, uint64_t min, uint64_t max,
	       uint64_t *value)
{
	unsigned int shift = 0;

	if (len > 0) {
		switch (text[len - 1]) {
		case 'k': case 'K': shift = 10; break;
		case 'm': case 'M': shift = 20; break;
		case 'g': case 'G': shift = 30; break;
		}
		len -= shift != 0;
	}
	return parse_shifted(text, len, 10, shift, min, max, value);
}
