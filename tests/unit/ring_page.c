/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/ring_page.c: pages made by hand, with entries of all types,
 * and a page of a real kernel (6.1), whose entries were counted by another
 * program.
 */
#include "base/readfile.h"
#include "ring_fixture.h"
#include "tap.h"

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
static int has_entries(const char *want)
{
	char text[400] = "";
	struct ring_page p;
	struct ring_entry e;
	size_t len = 0;
	int more;

	if (ring_page_open(&p, &ring_layout_64, page, sizeof(page)))
		return !strcmp(want, "no page") && !ring_page_next(&p, &e);
	if (p.is_missed)
		len = (size_t)sprintf(text, "missed %llu, ",
				      (unsigned long long)p.missed);
	while ((more = ring_page_next(&p, &e)) > 0)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%llu+%zu:%u ",
					(unsigned long long)e.time_ns, e.len,
					e.len ? e.data[0] : 0);
	snprintf(text + len, sizeof(text) - len, more ? "torn" : "end");
	if (strcmp(text, want))
		printf("# %s\n", text);
	return !strcmp(text, want) && !ring_page_next(&p, &e);
}

#define MISSED (UINT64_C(1) << 31)
#define MISSED_STORED (UINT64_C(3) << 30)
#define UPPER (UINT64_C(3) << 59)

static void test_pages(void)
{
	static const struct {
		uint64_t time_ns, flags;
		size_t bytes;
		uint32_t word[20];
		const char *want, *what;
	} t[] = {
		{ 1000, 0, 80, {
			RING_ENTRY(2, 0), 7, 8,
			RING_ENTRY(1, 5), 7,
			RING_ENTRY(0, 10), 12, 7, 8,	/* its own length */
			RING_ENTRY(30, 3), 2,	/* 2 * 2^27 + 3 later */
			RING_ENTRY(1, 1), 7,
			RING_ENTRY(29, 4), 8, 7,	/* discarded */
			RING_ENTRY(29, 1), 4,	/* and not later */
			RING_ENTRY(1, 2), 7,
		  }, "1000+8:7 1005+4:7 1015+8:7 268436475+4:7 268436481+4:7 "
		  "end", "entries of all types, in time" },
		{ 1000, 0, 24, {
			RING_ENTRY(1, 0), 7,
			RING_ENTRY(29, 0), 1,	/* the rest is empty */
			RING_ENTRY(1, 0), 7,
		  }, "1000+4:7 end", "an empty rest" },
		{ 5, 0, 0, { 0 }, "end", "an empty page" },
		{ 1000, 0, 16, { RING_ENTRY(31, 7), 1, RING_ENTRY(1, 1), 9 },
		  "134217736+4:9 end", "an absolute stamp" },
		{ UPPER + 1000, 0, 16,
		  { RING_ENTRY(31, 7), 1, RING_ENTRY(1, 1), 9 },
		  "1729382257044488200+4:9 end",
		  "its upper bits are those of the page" },
		{ UPPER + (UINT64_C(1) << 58), 0, 16,
		  { RING_ENTRY(31, 7), 1, RING_ENTRY(1, 1), 9 },
		  "2305843009347911688+4:9 end",
		  "or one more, if the others have begun again" },
		{ 10, MISSED, 8, { RING_ENTRY(1, 0), 9 },
		  "missed 0, 10+4:9 end",
		  "entries are missing before the page" },
		{ 10, MISSED_STORED, 8,
		  { RING_ENTRY(1, 0), 9, 0x860ddf79, 0x7048 },
		  "missed 123456789012345, 10+4:9 end", "so many" },
		{ 10, MISSED_STORED, PAGE - 16, { 0 }, "missed 0, torn",
		  "the number has no room: it is not read" },
		{ 10, 0, 12, { RING_ENTRY(1, 0), 9, RING_ENTRY(5, 0) },
		  "10+4:9 torn", "an entry beyond the end" },
		{ 10, 0, 16, { RING_ENTRY(1, 0), 9, RING_ENTRY(0, 0), 3 },
		  "10+4:9 torn", "a length of less than its own" },
		{ 10, 0, 20,
		  { RING_ENTRY(1, 0), 9, RING_ENTRY(0, 0), UINT32_MAX, 1 },
		  "10+4:9 torn", "a length that wraps" },
		{ 10, 0, 12, { RING_ENTRY(1, 0), 9, RING_ENTRY(30, 0) },
		  "10+4:9 torn", "a stamp that is cut off" },
		{ 10, 0, 3, { 0x636261 }, "torn", "half a word" },
		{ 10, 0, PAGE - 15, { 0 }, "no page",
		  "more than the page holds" },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		begin_page();
		put(t[i].word, sizeof(t[i].word));
		filled = t[i].bytes;
		commit_page(t[i].time_ns, t[i].flags);
		tap_ok(has_entries(t[i].want), "%s", t[i].what);
	}
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
	test_layout();
	test_pages();
	test_real();
	return tap_plan_done();
}
