/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/ring_page.c: pages made by hand, with entries of all types,
 * and a page of a real kernel (6.1), whose entries were counted by another
 * program. source/ftrace/before.c: events and their call chains, which come as
 * entries of their own; interrupts in between; entries that are too short
 * (cases/ring_page).
 */
#include <inttypes.h>
#include <sys/mman.h>
#include "base/system.h"
#include "cases.h"
#include "formats.h"
#include "ring_fixture.h"
#include "source/ftrace/ftrace.h"
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

/* --- before.c --- */

#define HARDIRQ 0x08

enum { STACK = 4, START = 22, FINISH = 21, ALLOC = 40, FREE = 41, OTHER = 50 };

static struct ftrace reader;
static struct before before;

static void begin(void)
{
	static unsigned char read[PAGE];
	static struct ftrace_ring ring;
	static struct merge_entry heap;
	const char *text;

	ring = (struct ftrace_ring){
		.page = read, .pages = 1, .stats_fd = -1,
		.fd = memfd_create("ring", 0),
	};
	reader = (struct ftrace){
		.layout = ring_layout_64, .ring = &ring, .merge.heap = &heap,
		.rings = 1, .page_bytes = PAGE,
		.source.frames = CHAIN_FRAMES_MAX,
	};
	before = (struct before){
		.reader = &reader, .tracer = 0x5000, .tracer_bytes = 0x100,
	};
	reader.points.point[TP_ALLOC] = page_point(ALLOC, EVENT_ALLOC);
	reader.points.point[TP_FREE] = page_point(FREE, EVENT_FREE);
	text = format_text("kernel_stack-6.1");
	stack_parse(&reader.stack, text, strlen(text));
	must(!format_point(&reader.points.point[TP_BOOT_INITCALL],
			   TP_BOOT_INITCALL, "initcall_start-7.2"));
	must(!format_point(&reader.points.point[TP_INITCALL],
			   TP_BOOT_INITCALL, "initcall_finish-7.2"));
	reader.points.point[TP_INITCALL].type = EVENT_INITCALL_FINISH;
	begin_page();
}

static void begin_reading(void)
{
	commit_page(0, 0);
	must(pwrite(reader.ring->fd, page, RING_HEAD + filled, 0) >= 0);
	before_begin(&before);
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

/* All events of the page and their times, with their chains. */
static void test_entries(struct cases *c)
{
	static const char *const types[] = {
		[EVENT_ALLOC] = "alloc", [EVENT_FREE] = "free",
		[EVENT_INITCALL_START] = "start",
		[EVENT_INITCALL_FINISH] = "finish",
	};
	char out[OUTCOME_BYTES] = "";
	struct event e;

	begin();
	put_text(c->text);
	begin_reading();
	while (before_next(&before, &e)) {
		append(out, "%s%" PRIu64 ": %s%s %u %" PRIx64,
		       *out ? ", " : "", e.time_ns,
		       e.flags & EVENT_IRQ ? "irq " : "", types[e.type], e.tid,
		       e.type <= EVENT_FREE ? e.pfn : e.base);
		for (uint32_t i = 0; i < e.chain_len; i++)
			append(out, " %" PRIx64, e.chain[i]);
	}
	must(!before.bad);
	case_is(c, out);
}

static void test_formats(void)
{
	struct point p;

	begin();
	tap_ok(reader.stack.id == STACK &&
	       reader.points.point[TP_BOOT_INITCALL].id == START &&
	       reader.points.point[TP_INITCALL].id == FINISH &&
	       reader.points.point[TP_INITCALL].number.offset == 8,
	       "the formats");
	tap_ok(stack_parse(&reader.stack, TOLD("ID: 4\n")) == -EINVAL &&
	       !reader.stack.id, "a stack without frames is none");
	tap_ok(point_parse(&p, TP_BOOT_INITCALL, TOLD("ID: 30\n")) &&
	       !p.id, "nor an initcall without a function");
}

/* An entry, of which only the first word is there; and an allocation without
 * its order. */
static void test_short(void)
{
	struct event e;

	begin();
	put_u32(RING_ENTRY(1, 1));
	put_u32(ALLOC);
	put_event(1, ALLOC, 0, 1, (uint64_t[]){ 9 }, 4);
	begin_reading();
	tap_ok(!before_next(&before, &e) && before.bad == 2,
	       "less than the head of an entry, and less than its fields");
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
