/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/boot_entries.c: events and their call chains, which come as
 * entries of their own; interrupts in between; entries that are too short.
 */
#include <errno.h>
#include <string.h>
#include "source/tracefs/boot_entries.h"
#include "tap.h"

#define TOLD(text) text, sizeof(text) - 1
#define HARDIRQ 0x08

enum { STACK = 4, START = 30, FINISH = 31, ALLOC = 40, FREE = 41, OTHER = 50 };

static const char stack_text[] =
	"name: kernel_stack\nID: 4\nformat:\n"
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n";
static const char start_text[] =
	"name: initcall_start\nID: 30\nformat:\n"
	"\tfield:initcall_t func;\toffset:8;\tsize:8;\tsigned:0;\n";
static const char finish_text[] =
	"name: initcall_finish\nID: 31\nformat:\n"
	"\tfield:initcall_t func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int ret;\toffset:16;\tsize:4;\tsigned:1;\n";

struct bench {
	struct tracefs points;
	struct boot_formats formats;
	unsigned char page[1024];
	size_t filled;
};

/* A page event: pfn at 8, order at 16. */
static struct point page_point(uint32_t id, uint32_t type)
{
	return (struct point){
		.id = id, .type = type, .flags = { .offset = 2, .size = 1 },
		.number = { .offset = 8, .size = 8 },
		.order = { .offset = 16, .size = 4 },
	};
}

static void begin(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->points.point[TP_ALLOC] = page_point(ALLOC, EVENT_ALLOC);
	b->points.point[TP_FREE] = page_point(FREE, EVENT_FREE);
	b->formats = (struct boot_formats){
		.points = &b->points,
		.layout = {
			.time = { .size = 8 },
			.commit = { .offset = 8, .size = 8 }, .data = 16,
			.data_max = 28, .padding = 29, .time_extend = 30,
			.time_stamp = 31,
		},
		.tracer = 0x5000, .tracer_bytes = 0x100,
	};
	stack_parse(&b->formats.stack, TOLD(stack_text));
	boot_initcall_parse(&b->formats, TOLD(start_text), 0);
	boot_initcall_parse(&b->formats, TOLD(finish_text), 1);
}

static void put(struct bench *b, const void *data, size_t len)
{
	memcpy(b->page + 16 + b->filled, data, len);
	b->filled += len;
}

/* An entry of 8 bytes of head, and words. */
static void entry(struct bench *b, uint16_t id, uint8_t flags, uint32_t tid,
		  const uint64_t *words, uint32_t count)
{
	const uint32_t head[2] = { 1u << 5, 4 + 8 + count * 8 };
	const uint8_t low[4] = { (uint8_t)id, (uint8_t)(id >> 8), flags, 0 };

	put(b, head, sizeof(head));
	put(b, low, sizeof(low));
	put(b, &tid, sizeof(tid));
	put(b, words, count * 8);
}

static void page_event(struct bench *b, uint16_t id, uint8_t flags,
		       uint32_t tid, uint64_t pfn)
{
	entry(b, id, flags, tid, (const uint64_t[]){ pfn, 0 }, 2);
}

static void stack(struct bench *b, uint8_t flags, uint32_t tid, uint64_t a,
		  uint64_t c)
{
	entry(b, STACK, flags, tid, (const uint64_t[]){ 2, a, c }, 3);
}

static struct ring_page open(struct bench *b)
{
	const uint64_t bytes = b->filled;
	struct ring_page p;

	memcpy(b->page + 8, &bytes, 8);
	ring_page_open(&p, &b->formats.layout, b->page, 16 + b->filled);
	return p;
}

/* The next event of the page with its chain; what boot_find_chain() said. */
static int next(const struct bench *b, struct ring_page *p, struct event *e)
{
	struct ring_entry raw;
	uint64_t context;

	while (ring_page_next(p, &raw) > 0)
		if (boot_decode(&b->formats, &raw, e, &context) > 0)
			return boot_find_chain(&b->formats, *p, context, e);
	return -1;
}

static void test_formats(struct bench *b)
{
	begin(b);
	tap_ok(b->formats.stack.id == STACK && b->formats.start_id == START &&
	       b->formats.finish_id == FINISH &&
	       b->formats.finish.offset == 8, "the formats");
	tap_ok(stack_parse(&b->formats.stack, TOLD("ID: 4\n")) == -EINVAL &&
	       !b->formats.stack.id, "a stack without frames is none");
	boot_initcall_parse(&b->formats, TOLD("ID: 30\n"), 0);
	tap_ok(!b->formats.start_id, "nor an initcall without a function");
}

static void test_chains(struct bench *b)
{
	struct ring_page p;
	struct event e;

	begin(b);
	page_event(b, ALLOC, 0, 7, 100);
	stack(b, 0, 7, 0x1010, 0x2020);
	page_event(b, ALLOC, 0, 7, 101);
	page_event(b, ALLOC, HARDIRQ, 7, 102);	/* before 101's stack */
	stack(b, HARDIRQ, 7, 0x5010, 0x3030);
	stack(b, 0, 7, 0x5080, 0x4040);
	page_event(b, ALLOC, 0, 7, 103);	/* without one */
	page_event(b, ALLOC, 0, 8, 104);
	p = open(b);
	tap_ok(next(b, &p, &e) == 1 && e.pfn == 100 && e.tid == 7 &&
	       e.chain_len == 2 && e.chain[0] == 0x1010 &&
	       e.chain[1] == 0x2020 && e.time_ns == 1, "an event, its chain");
	tap_ok(next(b, &p, &e) == 1 && e.pfn == 101 && e.chain_len == 1 &&
	       e.chain[0] == 0x4040,
	       "an interrupt in between; the tracing function is left out");
	tap_ok(next(b, &p, &e) == 1 && e.pfn == 102 && e.flags & EVENT_IRQ &&
	       e.chain_len == 1 && e.chain[0] == 0x3030, "the interrupt's");
	tap_ok(next(b, &p, &e) == 0 && e.pfn == 103 && !e.chain_len,
	       "none in this page: another task's event says nothing");
	tap_ok(next(b, &p, &e) == 0 && e.pfn == 104, "the last one");
	tap_ok(next(b, &p, &e) == -1, "the end");
}

static void test_others(struct bench *b)
{
	static const uint64_t kept[] = { 0xc200, 0 };
	struct ring_page p;
	struct event e;

	begin(b);
	entry(b, START, 0, 1, kept, 1);
	page_event(b, FREE, 0, 1, 200);
	entry(b, OTHER, 0, 1, kept, 2);
	entry(b, FINISH, 0, 1, kept, 2);
	p = open(b);
	tap_ok(next(b, &p, &e) == 1 && e.type == EVENT_INITCALL_START &&
	       e.base == 0xc200 && e.tid == 1, "an initcall starts");
	tap_ok(next(b, &p, &e) == 1 && e.type == EVENT_FREE && e.pfn == 200,
	       "a page is freed");
	tap_ok(next(b, &p, &e) == 0 && e.type == EVENT_INITCALL_FINISH,
	       "an entry not known is passed; the initcall ends");
}

static void test_short(struct bench *b)
{
	static const unsigned char data[] = { ALLOC, 0, 0, 0, 1, 0, 0, 0, 9 };
	struct ring_entry raw = { .data = data, .len = 7 };
	uint64_t context;
	struct event e;

	begin(b);
	tap_ok(boot_decode(&b->formats, &raw, &e, &context) == -EINVAL,
	       "less than the head of an entry");
	raw.len = sizeof(data);
	tap_ok(boot_decode(&b->formats, &raw, &e, &context) == -EINVAL,
	       "less than its fields");
}

int main(void)
{
	static struct bench bench;

	test_formats(&bench);
	test_chains(&bench);
	test_others(&bench);
	test_short(&bench);
	return tap_plan_done();
}
