/* SPDX-License-Identifier: MIT */
/*
 * What becomes of each text of cases/texts, as kernels write them and as no
 * kernel does (readers.h). Each is in memory of its exact size. Some are cut
 * off anywhere: the rest becomes nothing, or the beginning of what becomes of
 * the whole.
 *
 * source/proc/zones.c: what is free and for whom, huge pages and swap
 * (cases/zones); how both are kept in mind: triggers.c.
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

/* --- zones.c --- */

/* What is free, and for whom: all of it in parts; what any user may have. */
static void words_of_zones(int fd, char *out)
{
	struct zones z;

	proc_zones(fd, &z);
	if (!z.known)
		return;
	must(z.free_pages == z.own_pages + z.kept_pages + z.reserve_pages +
			     z.apart_pages + z.cma_pages + z.high_pages);
	append(out, "own %u, kept %u, reserve %u, apart %u, cma %u, high %u; "
	       "any %u, min %u", (unsigned int)z.own_pages,
	       (unsigned int)z.kept_pages, (unsigned int)z.reserve_pages,
	       (unsigned int)z.apart_pages, (unsigned int)z.cma_pages,
	       (unsigned int)z.high_pages, (unsigned int)z.any_pages,
	       (unsigned int)z.min_pages);
}

static void hear(struct event_out *o, const struct event *e)
{
	char *text = ((struct listener *)o)->text;

	if (e->type == EVENT_FIGURE)
		append(text, "%s %u", e->name, (unsigned int)(e->size >> 10));
	else if (e->type == EVENT_KEPT)
		append(text, ", %s %u", e->name, (unsigned int)e->pages);
}

static void test_zones(struct cases *c)
{
	char out[OUTCOME_BYTES] = "";
	struct listener l = { .out.event = hear, .text = out };
	const int fd = open_text(c->text);

	if (!strcmp(c->reader, "zones"))
		words_of_zones(fd, out);
	else
		proc_emit_available(fd, fd, &l.out, 1, 4096);
	case_is(c, *out ? out : "none");
	close(fd);
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
	each_case("zones", NULL, test_zones);
	return tap_plan_done();
}
