/* SPDX-License-Identifier: MIT */
/*
 * What becomes of each text of cases/texts, as kernels write them and as no
 * kernel does (readers.h). Each is in memory of its exact size. Some are cut
 * off anywhere: the rest becomes nothing, or the beginning of what becomes of
 * the whole.
 */
#include "cases.h"
#include "readers.h"

static const char *outcome(const struct reader *r, const char *text, size_t len)
{
	static char out[OUTCOME_BYTES];
	char *copy = exact(text, len);

	out[0] = '\0';
	reader_read(r, copy, len, out);
	free(copy);
	return *out ? out : "none";
}

static void test_cut(const struct reader *r, const struct cases *c)
{
	size_t wrong = 0;

	for (size_t len = 0; len < c->len; len++) {
		const char *got = outcome(r, c->text, len);

		wrong += strcmp(got, "none") &&
			 strncmp(got, c->want, strlen(got));
	}
	tap_ok(!wrong, "%s: cut off anywhere: '%s'", c->reader, c->shown);
}

int main(void)
{
	struct cases c = { .file = NULL };

	while (next_case(&c, "texts")) {
		const struct reader *r = readers;

		while (strcmp(r->name, c.reader))
			must(++r < readers + ARRAY_LEN(readers));
		case_is(&c, outcome(r, c.text, c.len));
		if (r->is_cut && strcmp(c.want, "none"))
			test_cut(r, &c);
	}
	return tap_plan_done();
}
