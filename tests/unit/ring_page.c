/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/ring_page.c: pages made by hand, with entries of all types,
 * and a page of a real kernel (6.1), whose entries were counted by another
 * program. before_read.c: events and their call chains, which come as entries
 * of their own; interrupts in between; entries that are too short
 * (cases/ring_page).
 */
#include <inttypes.h>
#include "base/system.h"
#include "cases.h"
#include "formats.h"
#include "ring_fixture.h"
#include "source/tracefs/tracefs.h"

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

/* --- before_read.c --- */

#define HARDIRQ 0x08

enum { STACK = 4, START = 22, FINISH = 21, ALLOC = 40, FREE = 41, OTHER = 50 };

static struct tracefs points;
static struct boot_formats formats;

static void begin(void)
{
	const char *text;

	memset(&points, 0, sizeof(points));
	points.point[TP_ALLOC] = page_point(ALLOC, EVENT_ALLOC);
	points.point[TP_FREE] = page_point(FREE, EVENT_FREE);
	formats = (struct boot_formats){
		.points = &points, .layout = ring_layout_64,
		.tracer = 0x5000, .tracer_bytes = 0x100,
	};
	text = format_text("kernel_stack-6.1");
	stack_parse(&formats.stack, text, strlen(text));
	text = format_text("initcall_start-7.2");
	boot_initcall_parse(&formats, text, strlen(text), 0);
	text = format_text("initcall_finish-7.2");
	boot_initcall_parse(&formats, text, strlen(text), 1);
	begin_page();
}

/* "[irq ]KIND TID NUMBER [NUMBER], ...": a pfn, a function, or two frames. */
static void put_text(const char *text)
{
	static const struct {
		const char *name;
		uint16_t id;
		size_t len;
	} kinds[] = {
		{ "alloc", ALLOC, 16 }, { "free", FREE, 16 },
		{ "stack", STACK, 24 }, { "start", START, 8 },
		{ "finish", FINISH, 16 }, { "other", OTHER, 16 },
	};

	while (text) {
		const int irq = !strncmp(text, "irq ", 4);
		unsigned long long a, c = 0;
		unsigned int tid, i = 0;
		char kind[8];

		must(sscanf(text + 4 * irq, "%7s %u %llx %llx", kind, &tid, &a,
			    &c) >= 3);
		while (strcmp(kinds[i].name, kind))
			must(++i < ARRAY_LEN(kinds));
		put_event(1, kinds[i].id, irq ? HARDIRQ : 0, tid,
			  kinds[i].id == STACK ? (uint64_t[]){ 2, a, c } :
						 (uint64_t[]){ a, 0, 0 },
			  kinds[i].len);
		text = strchr(text, ',');
		text += text ? 2 : 0;
	}
}

/* All events of the page and their times, with their chains or a "?". */
static void test_entries(struct cases *c)
{
	static const char *const types[] = {
		[EVENT_ALLOC] = "alloc", [EVENT_FREE] = "free",
		[EVENT_INITCALL_START] = "start",
		[EVENT_INITCALL_FINISH] = "finish",
	};
	char out[OUTCOME_BYTES] = "";
	struct ring_page p;
	struct ring_entry raw;
	uint64_t context;
	struct event e;

	begin();
	put_text(c->text);
	commit_page(0, 0);
	ring_page_open(&p, &formats.layout, page, RING_HEAD + filled);
	while (ring_page_next(&p, &raw) > 0) {
		if (boot_decode(&formats, &raw, &e, &context) <= 0)
			continue;
		append(out, "%s%" PRIu64 ": %s%s %u %" PRIx64,
		       *out ? ", " : "", e.time_ns,
		       e.flags & EVENT_IRQ ? "irq " : "", types[e.type], e.tid,
		       e.type <= EVENT_FREE ? e.pfn : e.base);
		append(out, "%s", boot_find_chain(&formats, p, context, &e) ?
				  "" : " ?");
		for (uint32_t i = 0; i < e.chain_len; i++)
			append(out, " %" PRIx64, e.chain[i]);
	}
	case_is(c, out);
}

static void test_formats(void)
{
	begin();
	tap_ok(formats.stack.id == STACK && formats.start_id == START &&
	       formats.finish_id == FINISH &&
	       formats.finish.offset == 8, "the formats");
	tap_ok(stack_parse(&formats.stack, TOLD("ID: 4\n")) == -EINVAL &&
	       !formats.stack.id, "a stack without frames is none");
	boot_initcall_parse(&formats, TOLD("ID: 30\n"), 0);
	tap_ok(!formats.start_id, "nor an initcall without a function");
}

static void test_short(void)
{
	static const unsigned char data[] = { ALLOC, 0, 0, 0, 1, 0, 0, 0, 9 };
	struct ring_entry raw = { .data = data, .len = 7 };
	uint64_t context;
	struct event e;

	begin();
	tap_ok(boot_decode(&formats, &raw, &e, &context) == -EINVAL,
	       "less than the head of an entry");
	raw.len = sizeof(data);
	tap_ok(boot_decode(&formats, &raw, &e, &context) == -EINVAL,
	       "less than its fields");
}

int main(void)
{
	each_case("ring_page", "page", test_page);
	each_case("ring_page", "events", test_entries);
	test_layout();
	test_real();
	test_formats();
	test_short();
	return tap_plan_done();
}
