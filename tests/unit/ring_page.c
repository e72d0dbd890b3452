/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/ring_page.c: pages made by hand, with entries of all types,
 * and a page of a real kernel (6.1), whose entries were counted by another
 * program.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "ring_fixture.h"
#include "tap.h"

#define PAGE 4096u

static const char page_text[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char event_text[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n"
	"\ttime_delta  :   27 bits\n"
	"\tarray       :   32 bits\n\n"
	"\tpadding     : type == 29\n"
	"\ttime_extend : type == 30\n"
	"\ttime_stamp : type == 31\n"
	"\tdata max type_len  == 28\n";

static void layout(struct ring_layout *l)
{
	ring_layout_parse(l, TOLD(page_text), TOLD(event_text));
}

static void test_layout(void)
{
	static const char narrow[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield: char data;\toffset:12;\tsize:4084;\tsigned:0;";
	struct ring_layout l;

	tap_ok(!ring_layout_parse(&l, TOLD(page_text), TOLD(event_text)) &&
	       l.time.offset == 0 && l.commit.offset == 8 &&
	       l.commit.size == 8 && l.data == 16 && l.data_max == 28 &&
	       l.padding == 29 && l.time_extend == 30 && l.time_stamp == 31,
	       "the layout of a machine with 64 bits");
	tap_ok(!ring_layout_parse(&l, TOLD(narrow), TOLD(event_text)) &&
	       l.commit.size == 4 && l.data == 12, "and with 32 bits");
	tap_ok(ring_layout_parse(&l, TOLD(page_text), TOLD("")) == -EINVAL &&
	       ring_layout_parse(&l, TOLD(""), TOLD(event_text)) == -EINVAL &&
	       ring_layout_parse(&l, TOLD(page_text),
				 TOLD("\ttype_len : 6 bits\n")) == -EINVAL,
	       "texts that do not tell it");
	tap_ok(ring_layout_parse(&l, TOLD(page_text), event_text,
				 sizeof(event_text) - 5) == -EINVAL,
	       "a number that is cut off");
}

/* All entries of the page, as a text "TIME+LENGTH:FIRST-BYTE …", and what came
 * last. */
static const char *entries(uint64_t *missed)
{
	static char text[400];
	struct ring_layout l;
	struct ring_page p;
	struct ring_entry e;
	size_t len = 0;
	int more;

	layout(&l);
	text[0] = '\0';
	more = ring_page_open(&p, &l, page, sizeof(page));
	*missed = p.is_missed ? p.missed : UINT64_MAX;
	if (more)
		return "no page";
	while ((more = ring_page_next(&p, &e)) > 0)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%llu+%zu:%u ",
					(unsigned long long)e.time_ns, e.len,
					e.len ? e.data[0] : 0);
	snprintf(text + len, sizeof(text) - len, more ? "torn" : "end");
	if (ring_page_next(&p, &e))
		return "more after the end";
	return text;
}

static void test_types(void)
{
	const unsigned char data[] = { 7, 0, 1, 2, 3, 4, 5, 6 };
	uint64_t missed;

	begin_page();
	put_head(2, 0);
	put(data, 8);
	put_head(1, 5);
	put(data, 4);
	put_head(0, 10);		/* a length of its own */
	put_u32(12);
	put(data, 8);
	put_head(30, 3);		/* 2 * 2^27 + 3 later */
	put_u32(2);
	put_head(1, 1);
	put(data, 4);
	put_head(29, 4);		/* discarded, of 8 bytes */
	put_u32(12);
	put(data, 8);
	put_head(29, 1);		/* discarded, and not later */
	put_u32(4);
	put_head(1, 2);
	put(data, 4);
	put_head(29, 0);		/* the rest is empty */
	put_u32(1);
	commit_page(1000, 0);
	tap_ok(!strcmp(entries(&missed), "1000+8:7 1005+4:7 1015+8:7 "
		       "268436475+4:7 268436481+4:7 end") &&
	       missed == UINT64_MAX, "entries of all types, in time");
	begin_page();
	commit_page(5, 0);
	tap_ok(!strcmp(entries(&missed), "end"), "an empty page");
}

static void test_stamps(void)
{
	const uint64_t upper = UINT64_C(3) << 59;
	uint64_t missed;

	begin_page();
	put_head(31, 7);
	put_u32(1);
	put_head(1, 1);
	put_u32(9);
	commit_page(1000, 0);
	tap_ok(!strcmp(entries(&missed), "134217736+4:9 end"),
	       "an absolute stamp");
	commit_page(upper + 1000, 0);
	tap_ok(!strcmp(entries(&missed), "1729382257044488200+4:9 end"),
	       "its upper bits are those of the page");
	commit_page(upper + (UINT64_C(1) << 58), 0);
	tap_ok(!strcmp(entries(&missed), "2305843009347911688+4:9 end"),
	       "or one more, if the others have begun again");
}

static void test_missed(void)
{
	const uint64_t count = 123456789012345;
	uint64_t missed;

	begin_page();
	put_head(1, 0);
	put_u32(9);
	commit_page(10, UINT64_C(1) << 31);
	tap_ok(!strcmp(entries(&missed), "10+4:9 end") && missed == 0,
	       "entries are missing before the page");
	memcpy(page + 16 + filled, &count, sizeof(count));
	commit_page(10, UINT64_C(3) << 30);
	tap_ok(!strcmp(entries(&missed), "10+4:9 end") && missed == count,
	       "so many");
	begin_page();
	filled = PAGE - 16;
	commit_page(10, UINT64_C(3) << 30);
	entries(&missed);
	tap_ok(missed == 0, "the number has no room: it is not read");
}

static void test_torn(void)
{
	static const struct {
		uint32_t type, words;	/* of the last entry; its words */
		uint32_t word[2];
		const char *what;
	} t[] = {
		{ 5, 1, { 9 }, "an entry beyond the end" },
		{ 0, 1, { 3 }, "a length of less than its own" },
		{ 0, 2, { UINT32_MAX, 1 }, "a length that wraps" },
		{ 30, 0, { 0 }, "a stamp that is cut off" },
	};
	uint64_t missed;

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		begin_page();
		put_head(1, 0);
		put_u32(9);
		put_head(t[i].type, 0);
		put(t[i].word, t[i].words * 4);
		commit_page(10, 0);
		tap_ok(!strcmp(entries(&missed), "10+4:9 torn"), "%s",
		       t[i].what);
	}
	begin_page();
	put("abc", 3);
	commit_page(10, 0);
	tap_ok(!strcmp(entries(&missed), "torn"), "half a word");
	filled = PAGE - 15;
	commit_page(10, 0);
	tap_ok(!strcmp(entries(&missed), "no page"),
	       "more than the page holds");
}

/* The numbers are those that a program in another language found in it. */
static void test_real(void)
{
	FILE *file = fopen("tests/fuzz/corpus/ring_page/debian-6.1", "rb");
	struct ring_layout l;
	struct ring_page p;
	struct ring_entry e;
	unsigned int stacks = 0, pages = 0;
	uint64_t pfn, pfns = 0;
	int more;

	tap_ok(file && fgetc(file) == 'P' &&
	       fread(page, 1, PAGE, file) == PAGE, "a page of Linux 6.1");
	if (file)
		fclose(file);
	layout(&l);
	tap_ok(!ring_page_open(&p, &l, page, PAGE), "is one");
	while ((more = ring_page_next(&p, &e)) > 0) {
		stacks += e.data[0] == 4;
		if (e.data[0] == 4 || e.len < 16)
			continue;
		memcpy(&pfn, e.data + 8, sizeof(pfn));
		pfns += pfn;
		pages++;
	}
	tap_ok(!more && stacks == 27 && pages == 28 && pfns == 668228 &&
	       p.time_ns == 9911124126, "all of its entries: %u stacks, %u pages, "
	       "%llu, %llu", stacks, pages, (unsigned long long)pfns,
	       (unsigned long long)p.time_ns);
}

int main(void)
{
	test_layout();
	test_types();
	test_stamps();
	test_missed();
	test_torn();
	test_real();
	return tap_plan_done();
}
