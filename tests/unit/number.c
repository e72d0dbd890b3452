/* SPDX-License-Identifier: MIT */
/*
 * base/number.c: all of the text is the number, in range, or the value stays as it
 * was.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "limits.h"
#include "base/number.h"
#include "exact.h"
#include "random.h"
#include "tap.h"

#define BEFORE 0x5a5a5a5a5a5a5a5au

struct line {
	const char *text;
	unsigned int base;	/* 0: a size */
	uint64_t min, max;
	int error;
	uint64_t value;
};

#define U64 UINT64_MAX

static const struct line lines[] = {
	{ "0", 10, 0, U64, 0, 0 },
	{ "1", 10, 0, U64, 0, 1 },
	{ "007", 10, 0, U64, 0, 7 },
	{ "18446744073709551615", 10, 0, U64, 0, U64 },
	{ "18446744073709551616", 10, 0, U64, -ERANGE, 0 },
	{ "18446744073709551620", 10, 0, U64, -ERANGE, 0 },
	{ "28446744073709551615", 10, 0, U64, -ERANGE, 0 },
	{ "99999999999999999999999", 10, 0, U64, -ERANGE, 0 },
	{ "000000000000000000000000000005", 10, 0, U64, 0, 5 },
	{ "", 10, 0, U64, -EINVAL, 0 },
	{ " 1", 10, 0, U64, -EINVAL, 0 },
	{ "1 ", 10, 0, U64, -EINVAL, 0 },
	{ "1\n", 10, 0, U64, -EINVAL, 0 },
	{ "+1", 10, 0, U64, -EINVAL, 0 },
	{ "-1", 10, 0, U64, -EINVAL, 0 },
	{ "0x10", 10, 0, U64, -EINVAL, 0 },
	{ "0x10", 16, 0, U64, -EINVAL, 0 },
	{ "1a", 10, 0, U64, -EINVAL, 0 },
	{ "1:", 10, 0, U64, -EINVAL, 0 },
	{ "1/", 10, 0, U64, -EINVAL, 0 },
	{ "1:", 16, 0, U64, -EINVAL, 0 },
	{ "1g", 16, 0, U64, -EINVAL, 0 },
	{ "1@", 16, 0, U64, -EINVAL, 0 },
	{ "1`", 16, 0, U64, -EINVAL, 0 },
	{ "fF0aA9", 16, 0, U64, 0, 0xff0aa9 },
	{ "ffffffffffffffff", 16, 0, U64, 0, U64 },
	{ "10000000000000000", 16, 0, U64, -ERANGE, 0 },
	{ "99999999999999999999999x", 10, 0, U64, -EINVAL, 0 },
	{ "4", 10, 5, 7, -ERANGE, 0 },
	{ "5", 10, 5, 7, 0, 5 },
	{ "7", 10, 5, 7, 0, 7 },
	{ "8", 10, 5, 7, -ERANGE, 0 },
	{ "10", 0, 0, U64, 0, 10 },
	{ "10k", 0, 0, U64, 0, 10240 },
	{ "10K", 0, 0, U64, 0, 10240 },
	{ "3m", 0, 0, U64, 0, 3u << 20 },
	{ "3M", 0, 0, U64, 0, 3u << 20 },
	{ "2g", 0, 0, U64, 0, UINT64_C(2) << 30 },
	{ "2G", 0, 0, U64, 0, UINT64_C(2) << 30 },
	{ "17179869183G", 0, 0, U64, 0, UINT64_C(17179869183) << 30 },
	{ "17179869184G", 0, 0, U64, -ERANGE, 0 },
	{ "18014398509481983K", 0, 0, U64, 0, U64 - 1023 },
	{ "18014398509481984K", 0, 0, U64, -ERANGE, 0 },
	{ "18446744073709551615", 0, 0, U64, 0, U64 },
	{ "K", 0, 0, U64, -EINVAL, 0 },
	{ "", 0, 0, U64, -EINVAL, 0 },
	{ "1T", 0, 0, U64, -EINVAL, 0 },
	{ "1KB", 0, 0, U64, -EINVAL, 0 },
	{ "1KK", 0, 0, U64, -EINVAL, 0 },
	{ "1 K", 0, 0, U64, -EINVAL, 0 },
	{ "4K", 0, 4096, 8192, 0, 4096 },
	{ "8K", 0, 4096, 8192, 0, 8192 },
	{ "3K", 0, 4096, 8192, -ERANGE, 0 },
	{ "9K", 0, 4096, 8192, -ERANGE, 0 },
};

static int parse(const struct line *l, uint64_t *value)
{
	size_t len = strlen(l->text);
	char *text = exact(l->text, len);
	int error;

	error = l->base ? parse_u64(text, len, l->base, l->min, l->max,
				    value) :
		parse_size(text, len, l->min, l->max, value);
	free(text);
	return error;
}

static void test_lines(void)
{
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		const struct line *l = &lines[i];
		uint64_t value = BEFORE;
		int error = parse(l, &value);

		tap_ok(error == l->error &&
		       value == (error ? BEFORE : l->value),
		       "'%s' base %u: %d, %" PRIu64, l->text, l->base,
		       error, value);
	}
}

/* Every byte behind a digit: a digit of the base, or refused. */
static void test_bytes(void)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	uint32_t wrong = 0;

	for (int byte = 0; byte < 256; byte++) {
		const char text[2] = { '1', (char)byte };
		const char *at = memchr(digits, byte, sizeof(digits) - 1);
		uint64_t value;

		wrong += (parse_u64(text, 2, 16, 0, UINT64_MAX, &value) == 0)
			 != (at != NULL);
		wrong += (parse_u64(text, 2, 10, 0, UINT64_MAX, &value) == 0)
			 != (at && at < digits + 10);
	}
	tap_ok(!wrong, "any byte as a digit: %u wrong", wrong);
}

/* What the C library prints is read back. */
static void test_round(uint64_t seed)
{
	struct random r = { seed };
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		uint64_t value = random_u64(&r) >> random_below(&r, 64);
		uint64_t got[2] = { BEFORE, BEFORE };
		char text[32];
		int len = snprintf(text, sizeof(text), "%" PRIu64, value);

		wrong += parse_u64(text, (size_t)len, 10, value, value,
				   &got[0]) || got[0] != value;
		len = snprintf(text, sizeof(text), "%" PRIx64, value);
		wrong += parse_u64(text, (size_t)len, 16, value, value,
				   &got[1]) || got[1] != value;
	}
	tap_ok(!wrong, "20000 random numbers are read back: %u wrong", wrong);
}

int main(void)
{
	test_lines();
	test_bytes();
	test_round(1);
	return tap_plan_done();
}
