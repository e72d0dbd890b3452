/* SPDX-License-Identifier: MIT */
/*
 * base/number.c: all of the text is the number, in range, or the value stays as
 * it was.
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

#define U64 UINT64_MAX

static const struct {
	const char *text;
	unsigned int base;	/* 0: a size */
	uint64_t value;
} numbers[] = {
	{ "0", 10, 0 }, { "1", 10, 1 }, { "007", 10, 7 },
	{ "18446744073709551615", 10, U64 },
	{ "000000000000000000000000000005", 10, 5 },
	{ "fF0aA9", 16, 0xff0aa9 }, { "ffffffffffffffff", 16, U64 },
	{ "10", 0, 10 }, { "10k", 0, 10240 }, { "10K", 0, 10240 },
	{ "3m", 0, 3u << 20 }, { "3M", 0, 3u << 20 },
	{ "2g", 0, UINT64_C(2) << 30 }, { "2G", 0, UINT64_C(2) << 30 },
	{ "17179869183G", 0, UINT64_C(17179869183) << 30 },
	{ "18014398509481983K", 0, U64 - 1023 },
	{ "18446744073709551615", 0, U64 },
};

static const struct {
	unsigned int base;
	int error;
	const char *text[12];
} refused[] = {
	{ 10, -EINVAL, { "", " 1", "1 ", "1\n", "+1", "-1", "0x10", "1a", "1:",
			 "1/", "99999999999999999999999x" } },
	{ 16, -EINVAL, { "0x10", "1:", "1g", "1@", "1`" } },
	{ 0, -EINVAL, { "K", "", "1T", "1KB", "1KK", "1 K" } },
	{ 10, -ERANGE, { "18446744073709551616", "18446744073709551620",
			 "28446744073709551615", "99999999999999999999999" } },
	{ 16, -ERANGE, { "10000000000000000" } },
	{ 0, -ERANGE, { "17179869184G", "18014398509481984K" } },
};

static void parses(const char *given, unsigned int base, uint64_t min,
		   uint64_t max, int wanted, uint64_t wanted_value)
{
	size_t len = strlen(given);
	char *text = exact(given, len);
	uint64_t value = BEFORE;
	int error = base ? parse_u64(text, len, base, min, max, &value) :
			   parse_size(text, len, min, max, &value);

	free(text);
	tap_ok(error == wanted && value == (error ? BEFORE : wanted_value),
	       "'%s' base %u: %d, %" PRIu64, given, base, error, value);
}

static void test_texts(void)
{
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		parses(numbers[i].text, numbers[i].base, 0, U64, 0,
		       numbers[i].value);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		for (const char *const *text = refused[i].text; *text; text++)
			parses(*text, refused[i].base, 0, U64,
			       refused[i].error, 0);
}

static void test_bounds(void)
{
	parses("4", 10, 5, 7, -ERANGE, 0);
	parses("5", 10, 5, 7, 0, 5);
	parses("7", 10, 5, 7, 0, 7);
	parses("8", 10, 5, 7, -ERANGE, 0);
	parses("3K", 0, 4096, 8192, -ERANGE, 0);
	parses("4K", 0, 4096, 8192, 0, 4096);
	parses("8K", 0, 4096, 8192, 0, 8192);
	parses("9K", 0, 4096, 8192, -ERANGE, 0);
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
static void test_round(void)
{
	struct random r = { 1 };
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		uint64_t value = random_u64(&r) >> random_below(&r, 64), got;
		char text[32];
		int len = snprintf(text, sizeof(text), "%" PRIu64, value);

		wrong += parse_u64(text, (size_t)len, 10, value, value, &got) ||
			 got != value;
		len = snprintf(text, sizeof(text), "%" PRIx64, value);
		got = BEFORE;
		wrong += parse_u64(text, (size_t)len, 16, value, value, &got) ||
			 got != value;
	}
	tap_ok(!wrong, "20000 random numbers are read back: %u wrong", wrong);
}

int main(void)
{
	test_texts();
	test_bounds();
	test_bytes();
	test_round();
	return tap_plan_done();
}
