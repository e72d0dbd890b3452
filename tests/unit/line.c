/* SPDX-License-Identifier: MIT */
/*
 * report/line.c: what each mark of a template prints, signs and ends of
 * numbers too, and that a line takes no more than it has room for.
 */
#include "report/line.h"
#include "cases.h"

/* "%k of 1024". */
static void test_mark(const struct cases *c)
{
	char template[16] = "", number[32] = "", text[LINE_BYTES] = "";
	struct line l = { .page_kib = 4, .text = text };
	uint64_t value;

	must(sscanf(c->text, "%15s of %31s", template, number) == 2);
	value = !strcmp(number, "unknown") ? UNKNOWN :
		number[0] == '-' ? (uint64_t)strtoll(number, NULL, 10) :
				   strtoull(number, NULL, 10);
	line_fill(&l, template, &value);
	must(l.len == strlen(text));
	case_is(c, text);
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

static void test_right(void)
{
	char text[LINE_BYTES] = "";
	struct line l = { .page_kib = 4, .text = text };

	line_str(&l, "name");
	line_figure(&l, 10, "%p", 3);
	tap_ok(!strcmp(text, "name   12K"), "a figure ends at its column");
	line_figure(&l, 12, "%p", 256);
	tap_ok(!strcmp(text + 10, " 1.0M") && l.len == 15,
	       "behind a space, if there is no room before the column");
	line_figure(&l, 20, "-", 0);
	tap_ok(!strcmp(text + 15, "    -") && l.len == 20, "a word");
	while (l.len < LINE_BYTES - 5)
		line_char(&l, 'x');
	line_figure(&l, LINE_BYTES + 99, "%u", 1234567);
	tap_ok(l.len == LINE_BYTES - 1 &&
	       !strcmp(text + LINE_BYTES - 5, "1234"),
	       "no more than the line has room for");
}

int main(void)
{
	struct cases c = { .file = NULL };

	while (next_case(&c, "line"))
		test_mark(&c);
	test_right();
	test_many();
	return tap_plan_done();
}
