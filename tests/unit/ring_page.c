/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/ring_page.c: pages made by hand, with entries of all types,
 * and a page of a real kernel (6.1), whose entries were counted by another
 * program (cases/ring_page).
 */
#include "cases.h"
#include "ring_fixture.h"

#define PAGE 4096u

/* NULL: it is refused. */
static void is_layout(const char *head, const char *event, size_t len,
		      const char *want, const char *what)
{
	struct ring_layout l = { .data = 0 };
	const int error = ring_layout_parse(&l, head, strlen(head), event, len);
	char got[64];

	snprintf(got, sizeof(got), "%u %u+%u %u %u %u %u %u", l.time.offset,
		 l.commit.offset, l.commit.size, l.data, l.data_max, l.padding,
		 l.time_extend, l.time_stamp);
	tap_ok(want ? !error && !strcmp(got, want) : error == -EINVAL,
	       "layout: %s: %s", what, got);
}

static void test_layout(void)
{
	static const char narrow[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield: char data;\toffset:12;\tsize:4084;\tsigned:0;";
	const char *event, *const wide = ring_headers(&event);
	const size_t len = strlen(event);

	is_layout(wide, event, len, "0 8+8 16 28 29 30 31", "of 64 bits");
	is_layout(narrow, event, len, "0 8+4 12 28 29 30 31", "of 32 bits");
	is_layout(wide, "", 0, NULL, "no types");
	is_layout("", event, len, NULL, "no page");
	is_layout(wide, TOLD("\ttype_len : 6 bits\n"), NULL, "odd types");
	is_layout(wide, event, len - 4, NULL, "a number that is cut off");
}

/* How many entries are missing before the page; all that it has, as a text
 * "TIME+LENGTH:FIRST-BYTE …"; and what came last. */
static const char *entries(void)
{
	static char text[OUTCOME_BYTES];
	struct ring_page p;
	struct ring_entry e;
	int more = 0;

	text[0] = '\0';
	if (ring_page_open(&p, &ring_layout_64, page, sizeof(page))) {
		must(!ring_page_next(&p, &e));
		return "none";
	}
	if (p.is_missed)
		append(text, "missed %llu, ", (unsigned long long)p.missed);
	while ((more = ring_page_next(&p, &e)) > 0)
		append(text, "%llu+%zu:%u ", (unsigned long long)e.time_ns,
		       e.len, e.len ? e.data[0] : 0);
	must(!ring_page_next(&p, &e));
	append(text, more ? "torn" : "end");
	return text;
}

/* "TIME, FLAGS, BYTES: WORDS": of a page so many bytes are committed. The first
 * word of an entry is TYPE+DELTA. */
static void test_page(struct cases *c)
{
	unsigned long long time_ns, flags;
	size_t bytes;
	int len;

	must(sscanf(c->text, "%llu, %llx, %zu: %n", &time_ns, &flags, &bytes,
		    &len) == 3);
	begin_page();
	for (char *at = (char *)c->text + len; *at; at += strspn(at, " ")) {
		const uint32_t word = (uint32_t)strtoul(at, &at, 10);

		put_u32(*at == '+' ? RING_ENTRY(word, strtoul(at + 1, &at, 10)) :
				     word);
	}
	filled = bytes;
	commit_page(time_ns, flags);
	case_is(c, entries());
}

/* The numbers are those that a program in another language found in it. */
static void test_real(void)
{
	static char file[PAGE + 2];	/* behind a 'P' */
	struct ring_page p;
	struct ring_entry e;
	unsigned int stacks = 0, pages = 0;
	uint64_t pfn, pfns = 0;
	int more;

	tap_ok(readfile("tests/fuzz/corpus/ring_page/debian-6.1", file,
			sizeof(file)) == PAGE + 1 &&
	       !ring_page_open(&p, &ring_layout_64,
			       (unsigned char *)file + 1, PAGE),
	       "a page of Linux 6.1");
	while ((more = ring_page_next(&p, &e)) > 0) {
		stacks += e.data[0] == 4;
		if (e.data[0] == 4 || e.len < 16)
			continue;
		memcpy(&pfn, e.data + 8, sizeof(pfn));
		pfns += pfn;
		pages++;
	}
	tap_ok(!more && stacks == 27 && pages == 28 && pfns == 668228 &&
	       p.time_ns == 9911124126, "all of its entries: %u stacks, "
	       "%u pages, %llu, %llu", stacks, pages, (unsigned long long)pfns,
	       (unsigned long long)p.time_ns);
}

int main(void)
{
	each_case("ring_page", NULL, test_page);
	test_layout();
	test_real();
	return tap_plan_done();
}
