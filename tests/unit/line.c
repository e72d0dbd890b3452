/* SPDX-License-Identifier: MIT */
/*
 * report/line.c: what each mark of a template prints, signs and ends of
 * numbers too, and that a line takes no more than it has room for.
 */
#include <string.h>
#include "report/line.h"
#include "tap.h"

static void is(const char *template, uint64_t value, const char *wanted)
{
	char text[LINE_BYTES];
	struct line l = { .page_kib = 4, .text = text };

	line_fill(&l, template, &value);
	tap_ok(l.len == strlen(wanted) && !memcmp(l.text, wanted, l.len),
	       "%s of %llx: %s", template, (unsigned long long)value, wanted);
	if (l.len != strlen(wanted) || memcmp(l.text, wanted, l.len))
		printf("# got %.*s\n", (int)l.len, l.text);
}

static void test_signed(void)
{
	is("%i", 0, "0");
	is("%i", 5, "5");
	is("%i", (uint64_t)-5, "-5");
	is("%i", INT64_MAX, "9223372036854775807");
	is("%i", (uint64_t)INT64_MIN + 1, "-9223372036854775807");
	is("%i", UINT64_MAX, "-1");
	is("%u", UINT64_MAX, "18446744073709551615");
	is("%q", 0, "0");
	is("%q", 3, "12K");
	is("%q", (uint64_t)-3, "-12K");
	is("%q", (uint64_t)-256, "-1.0M");
	is("%q", (uint64_t)-6860, "-26.8M");
	is("%q", UINT64_MAX, "-4K");
	is("%q", (uint64_t)INT64_MIN + 1, "-17592186044416.0G");
	is("%p", UINT64_MAX, "17592186044416.0G");
}

static void test_others(void)
{
	is("%p", 256, "1.0M");
	is("%k", 1023, "1023K");
	is("%k", 0, "0");
	is("%b", 1535, "1K");
	is("%b", 1536, "2K");
	is("%t", 7200000000, "+7.20 s");
	is("%d", 4999999, "0.00 s");
	is("%d", 5000000, "0.01 s");
	is("%d", UINT64_MAX, "18446744073.71 s");
	is("%x", UINT64_MAX, "0xffffffffffffffff");
	is("%u%%", 95, "95%");
	is("100%%", 95, "100%");
}

static void test_unknown(void)
{
	static const char *const marks[] = {
		"%u", "%x", "%p", "%k", "%b", "%i", "%q", "%t", "%d", "%m",
	};

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		is(marks[i], UNKNOWN, "null");
	is("%m", (uint64_t)-1, "0.0");
	is("%m", 971, "97.1");
}

static void test_many(void)
{
	const uint64_t v[] = { 1, (uint64_t)-2, (uint64_t)-3, 4 };
	char text[LINE_BYTES];
	struct line l = { .page_kib = 4, .text = text };

	line_fill(&l, "%u %i %q %u%%", v);
	tap_ok(l.len == 12 && !memcmp(l.text, "1 -2 -12K 4%", 12),
	       "each mark has its value, a per cent sign none");
	line_fill(&l, "no marks 100%%", NULL);
	tap_ok(l.len == 25, "no value is asked for without one");
	for (int i = 0; i < 600; i++)
		line_fill(&l, "%i", &v[1]);
	tap_ok(l.len == LINE_BYTES - 1, "a line has an end");
}

int main(void)
{
	test_signed();
	test_others();
	test_unknown();
	test_many();
	return tap_plan_done();
}
