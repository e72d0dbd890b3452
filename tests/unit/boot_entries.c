/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/boot_entries.c: events and their call chains, which come as
 * entries of their own; interrupts in between; entries that are too short.
 */
#include "formats.h"
#include "ring_fixture.h"
#include "source/tracefs/boot_entries.h"
#include "tap.h"

#define HARDIRQ 0x08

enum { STACK = 4, START = 22, FINISH = 21, ALLOC = 40, FREE = 41, OTHER = 50 };

static struct tracefs points;
static struct boot_formats formats;

/* A page event: pfn at 8, order at 16. */
static struct point page_point(uint32_t id, uint32_t type)
{
	return (struct point){
		.id = id, .type = type, .flags = { .offset = 2, .size = 1 },
		.number = { .offset = 8, .size = 8 },
		.order = { .offset = 16, .size = 4 },
	};
}

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

static void page_event(uint16_t id, uint8_t flags, uint32_t tid, uint64_t pfn)
{
	put_event(1, id, flags, tid, (const uint64_t[]){ pfn, 0 }, 16);
}

static void stack(uint8_t flags, uint32_t tid, uint64_t a, uint64_t c)
{
	put_event(1, STACK, flags, tid, (const uint64_t[]){ 2, a, c }, 24);
}

static struct ring_page open(void)
{
	struct ring_page p;

	commit_page(0, 0);
	ring_page_open(&p, &formats.layout, page, RING_HEAD + filled);
	return p;
}

/* The next event of the page with its chain; what boot_find_chain() said. */
static int next(struct ring_page *p, struct event *e)
{
	struct ring_entry raw;
	uint64_t context;

	while (ring_page_next(p, &raw) > 0)
		if (boot_decode(&formats, &raw, e, &context) > 0)
			return boot_find_chain(&formats, *p, context, e);
	return -1;
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

static void test_chains(void)
{
	struct ring_page p;
	struct event e;

	begin();
	page_event(ALLOC, 0, 7, 100);
	stack(0, 7, 0x1010, 0x2020);
	page_event(ALLOC, 0, 7, 101);
	page_event(ALLOC, HARDIRQ, 7, 102);	/* before 101's stack */
	stack(HARDIRQ, 7, 0x5010, 0x3030);
	stack(0, 7, 0x5080, 0x4040);
	page_event(ALLOC, 0, 7, 103);	/* without one */
	page_event(ALLOC, 0, 8, 104);
	p = open();
	tap_ok(next(&p, &e) == 1 && e.pfn == 100 && e.tid == 7 &&
	       e.chain_len == 2 && e.chain[0] == 0x1010 &&
	       e.chain[1] == 0x2020 && e.time_ns == 1, "an event, its chain");
	tap_ok(next(&p, &e) == 1 && e.pfn == 101 && e.chain_len == 1 &&
	       e.chain[0] == 0x4040,
	       "an interrupt in between; the tracing function is left out");
	tap_ok(next(&p, &e) == 1 && e.pfn == 102 && e.flags & EVENT_IRQ &&
	       e.chain_len == 1 && e.chain[0] == 0x3030, "the interrupt's");
	tap_ok(next(&p, &e) == 0 && e.pfn == 103 && !e.chain_len,
	       "none in this page: another task's event says nothing");
	tap_ok(next(&p, &e) == 0 && e.pfn == 104, "the last one");
	tap_ok(next(&p, &e) == -1, "the end");
}

static void test_others(void)
{
	static const uint64_t kept[] = { 0xc200, 0 };
	struct ring_page p;
	struct event e;

	begin();
	put_event(1, START, 0, 1, kept, 8);
	page_event(FREE, 0, 1, 200);
	put_event(1, OTHER, 0, 1, kept, 16);
	put_event(1, FINISH, 0, 1, kept, 16);
	p = open();
	tap_ok(next(&p, &e) == 1 && e.type == EVENT_INITCALL_START &&
	       e.base == 0xc200 && e.tid == 1, "an initcall starts");
	tap_ok(next(&p, &e) == 1 && e.type == EVENT_FREE && e.pfn == 200,
	       "a page is freed");
	tap_ok(next(&p, &e) == 0 && e.type == EVENT_INITCALL_FINISH,
	       "an entry not known is passed; the initcall ends");
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
	test_formats();
	test_chains();
	test_others();
	test_short();
	return tap_plan_done();
}
