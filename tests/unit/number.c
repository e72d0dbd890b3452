/* SPDX-License-Identifier: MIT */
/*
 * base/number.c: all of the text is the number, in range, or the value stays as
 * it was.
 */
#include <inttypes.h>
#include "limits.h"
#include "base/number.h"
#include "cases.h"
#include "exact.h"
#include "random.h"

#define BEFORE 0x5a5a5a5a5a5a5a5au

/* What a reader of cases/number takes. */
static const struct range {
	const char *name;
	unsigned int base;	/* 0: a size */
	uint64_t min, max;
} ranges[] = {
	{ "decimal", 10, 0, UINT64_MAX }, { "hexadecimal", 16, 0, UINT64_MAX },
	{ "size", 0, 0, UINT64_MAX }, { "5 to 7", 10, 5, 7 },
	{ "4K to 8K", 0, 4096, 8192 },
};

static void test_case(const struct cases *c)
{
	const struct range *r = ranges;
	char *text = exact(c->text, c->len), got[32];
	uint64_t value = BEFORE;
	int error;

	while (strcmp(r->name, c->reader))
		must(++r < ranges + ARRAY_LEN(ranges));
	error = r->base ? parse_u64(text, c->len, r->base, r->min, r->max,
				    &value) :
			  parse_size(text, c->len, r->min, r->max, &value);
	free(text);
	snprintf(got, sizeof(got), "%" PRIu64, value);
	case_is(c, !error ? got : value != BEFORE ? "changed" :
		   error == -ERANGE ? "out of range" : "none");
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
	struct cases c = { .file = NULL };

	while (next_case(&c, "number"))
		test_case(&c);
	test_bytes();
	test_round();
	return tap_plan_done();
}
