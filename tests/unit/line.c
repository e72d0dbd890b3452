/* SPDX-License-Identifier: MIT */
/*
 * report/line.c: what each mark of a template prints, signs and ends of
 * numbers too, and that a line takes no more than it has room for.
 */
#include <string.h>
#include "report/line.h"
#include "tap.h"

static void test_marks(void)
{
	static const struct {
		const char *template;
		uint64_t value;
		const char *wanted;
	} t[] = {
		{ "%i", 0, "0" }, { "%i", 5, "5" },
		{ "%i", (uint64_t)-5, "-5" },
		{ "%i", INT64_MAX, "9223372036854775807" },
		{ "%i", (uint64_t)INT64_MIN + 1, "-9223372036854775807" },
		{ "%i", UINT64_MAX, "-1" },
		{ "%u", UINT64_MAX, "18446744073709551615" },
		{ "%q", 0, "0" }, { "%q", 3, "12K" },
		{ "%q", (uint64_t)-3, "-12K" },
		{ "%q", (uint64_t)-256, "-1.0M" },
		{ "%q", (uint64_t)-6860, "-26.8M" },
		{ "%q", UINT64_MAX, "-4K" },
		{ "%q", (uint64_t)INT64_MIN + 1, "-17592186044416.0G" },
		{ "%p", UINT64_MAX, "17592186044416.0G" },
		{ "%p", 256, "1.0M" },
		{ "%k", 0, "0" }, { "%k", 1023, "1023K" },
		{ "%k", 1024, "1.0M" }, { "%k", 1075, "1.0M" },
		{ "%k", 1076, "1.1M" }, { "%k", 2047, "2.0M" },
		{ "%k", 10239999, "10000.0M" },
		{ "%k", 10240000, "9.8G" },
		{ "%k", UINT64_MAX, "17592186044416.0G" },
		{ "%b", 1535, "1K" }, { "%b", 1536, "2K" },
		{ "%t", 7200000000, "+7.20 s" }, { "%d", 4999999, "0.00 s" },
		{ "%d", 5000000, "0.01 s" },
		{ "%d", UINT64_MAX, "18446744073.71 s" },
		{ "%x", UINT64_MAX, "0xffffffffffffffff" },
		{ "%u%%", 95, "95%" }, { "100%%", 95, "100%" },
		{ "%u", UNKNOWN, "null" }, { "%x", UNKNOWN, "null" },
		{ "%p", UNKNOWN, "null" }, { "%k", UNKNOWN, "null" },
		{ "%b", UNKNOWN, "null" }, { "%i", UNKNOWN, "null" },
		{ "%q", UNKNOWN, "null" }, { "%t", UNKNOWN, "null" },
		{ "%d", UNKNOWN, "null" }, { "%m", UNKNOWN, "null" },
		{ "%m", (uint64_t)-1, "0.0" }, { "%m", 971, "97.1" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		char text[LINE_BYTES] = "";
		struct line l = { .page_kib = 4, .text = text };

		line_fill(&l, t[i].template, &t[i].value);
		tap_ok(l.len == strlen(t[i].wanted) &&
		       !strcmp(text, t[i].wanted), "%s: %s is to be %s",
		       t[i].template, text, t[i].wanted);
	}
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
	test_marks();
	test_many();
	return tap_plan_done();
}
