/* SPDX-License-Identifier: MIT */
/*
 * source/ftrace/: tasks by their tracepoints; rings read from files that hold
 * pages as trace_pipe_raw gives them, merged by time, each event with its own
 * stack and no other's.
 */
#include <sys/mman.h>
#include "formats.h"
#include "ring_fixture.h"
#include "source/ftrace/ftrace.h"
#include "tap.h"

#define PAGE 256u	/* small, so that stacks begin the next one */
#define ALLOC_ID 500u
#define FREE_ID 501u
#define STACK_ID 4u
#define RINGS 2u

static int parse(struct ftrace_tasks *t, enum task_event which,
		 const char *file)
{
	const char *text = format_text(file);

	return task_parse(&t->point[which], which, text, strlen(text));
}

/* What an entry of so many bytes becomes, seen by task 5. */
static int decode(const struct ftrace_tasks *t, uint16_t id,
		  const unsigned char *raw, size_t len, struct event *e)
{
	*e = (struct event){ .tid = 5 };
	return task_decode(t, id, raw, len, e);
}

static void test_tasks(void)
{
	struct ftrace_tasks tasks = { 0 };
	unsigned char raw[64] = { 127 };
	const uint32_t pid = 77, loc = 20 | 30u << 16;
	const uint64_t thread = 0x10000 | 0x100, process = 0x11;
	struct event e;

	tap_ok(!parse(&tasks, TASK_NEW, "task_newtask-6.1") &&
	       !parse(&tasks, TASK_EXECUTES, "sched_process_exec-6.1") &&
	       parse(&tasks, TASK_EXITS, "no-flags") ==
	       -EINVAL && !tasks.point[TASK_EXITS].id,
	       "formats, and one that is not known");
	memcpy(raw + 8, &pid, 4);
	memcpy(raw + 32, &thread, 8);
	tap_ok(decode(&tasks, 127, raw, 40, &e) == 1 &&
	       e.type == EVENT_FORK && e.tid == 77 && e.parent_tid == 5 &&
	       !e.tgid && !e.parent_tgid && e.flags == EVENT_THREAD,
	       "a thread, whose process its parent tells");
	memcpy(raw + 32, &process, 8);
	tap_ok(decode(&tasks, 127, raw, 40, &e) == 1 && e.tgid == 77 &&
	       e.tid == 77 && e.parent_tid == 5 && !e.flags, "a process");
	tap_ok(decode(&tasks, 127, raw, 39, &e) == -EINVAL,
	       "one that is cut off");
	memset(raw, 0, sizeof(raw));
	memcpy(raw + 8, &loc, 4);
	memcpy(raw + 12, &pid, 4);
	memcpy(raw + 20, "/usr/bin/a-name-of-20-letters", 30);
	tap_ok(decode(&tasks, 307, raw, 50, &e) == 1 &&
	       e.type == EVENT_COMM && e.flags == EVENT_EXEC && e.tid == 77 &&
	       !strcmp(e.name, "a-name-of-20-le"),
	       "an exec names it by the file, as the kernel does");
	tap_ok(!decode(&tasks, 308, raw, 50, &e) &&
	       !decode(&tasks, 0, raw, 50, &e), "no such event");
}

/* A source of two rings, whose pages are written here. An allocation has a
 * stack. */
static struct ftrace source;
static struct ftrace_ring rings[RINGS];
static struct merge_entry heap[RINGS];
static unsigned char pages[RINGS][PAGE];
static off_t written[RINGS];

static void make_source(void)
{
	const char *text;

	memset(&source, 0, sizeof(source));
	memset(written, 0, sizeof(written));
	source.layout = ring_layout_64;
	text = format_text("kernel_stack-6.1");
	stack_parse(&source.stack, text, strlen(text));
	source.ring = rings;
	source.merge.heap = heap;
	source.rings = RINGS;
	source.page_bytes = PAGE;
	source.source.frames = CHAIN_FRAMES_MAX;
	source.source.rings = 1;
	source.source.ring_bytes = 100 * PAGE;
	for (uint32_t i = 0; i < RINGS; i++)
		rings[i] = (struct ftrace_ring){
			.fd = memfd_create("ring", 0), .stats_fd = -1,
			.page = pages[i], .pages = 50,
		};
	for (uint32_t i = 0; i < 2; i++)
		source.points.point[i ? TP_FREE : TP_ALLOC] = (struct point){
			.id = i ? FREE_ID : ALLOC_ID,
			.type = i ? EVENT_FREE : EVENT_ALLOC,
			.flags = { 2, 1, 0, 0 }, .order = { 16, 4, 0, 0 },
			.number = { 8, 8, 0, 0 },
		};
}

enum kind { FREE, ALLOC, TOUCH, LONG, SHORT, OTHER, STACK };

/* An entry whose first number is a pfn or a frame. `time_ns` 0: there is
 * none. */
struct written {
	uint64_t time_ns;
	uint32_t tid;
	uint8_t flags;
	enum kind kind;
	uint64_t number;
};

static void put_entry(const struct written *e, uint64_t last_ns)
{
	static const struct {
		uint16_t id;
		uint32_t gfp;
		size_t len;	/* behind the common fields */
	} kinds[] = {
		[FREE] = { FREE_ID, 0, 16 }, [ALLOC] = { ALLOC_ID, 5, 16 },
		[TOUCH] = { ALLOC_ID, 7, 16 },
		/* kmem_cache_alloc with the cache's name has > 64 bytes. */
		[LONG] = { ALLOC_ID, 0, 88 }, [SHORT] = { ALLOC_ID, 0, 8 },
		[OTHER] = { 77, 0, 16 }, [STACK] = { STACK_ID, 0, 24 },
	};
	const uint64_t gfp = (uint64_t)kinds[e->kind].gfp << 32;
	const uint64_t plain[11] = { e->number, gfp };
	const uint64_t stack[3] = { 2, e->number, e->number + 1 };

	put_event((uint32_t)(e->time_ns - last_ns), kinds[e->kind].id,
		  e->flags, e->tid, e->kind == STACK ? stack : plain,
		  kinds[e->kind].len);
}

static void end_page(uint32_t ring, uint64_t time_ns)
{
	commit_page(time_ns, 0);
	must(pwrite(rings[ring].fd, page, PAGE, written[ring]) ==
	     (ssize_t)PAGE);
	written[ring] += PAGE;	/* where it is read does not move */
}

static void write_page(uint32_t ring, const struct written *e)
{
	const uint64_t time_ns = e->time_ns;

	begin_page();
	for (uint64_t last_ns = time_ns; e->time_ns; e++) {
		put_entry(e, last_ns);
		last_ns = e->time_ns;
	}
	end_page(ring, time_ns);
}

/* All events before the horizon: "time:pfn:innermost frame". */
static const char *drained(uint64_t horizon_ns)
{
	static char text[2000];
	size_t len = 0;
	struct event e;

	memset(&e, 0x5a, sizeof(e));
	text[0] = '\0';
	ftrace_begin(&source.source, horizon_ns);
	while (ftrace_next(&source.source, &e))
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%llu:%llu:%llu ",
			(unsigned long long)e.time_ns,
			(unsigned long long)(e.type == EVENT_REJECTED ? 0 :
					     e.pfn),
			(unsigned long long)(e.chain_len ? e.chain[0] : 0));
	return text;
}

static void is(uint64_t horizon_ns, const char *want, const char *what)
{
	const char *got = drained(horizon_ns);

	tap_ok(!strcmp(got, want), "%s", what);
	if (strcmp(got, want))
		printf("# %s\n", got);
}

/* A page of a ring, then a drain, if they are there; of the source before, or
 * of a new one, in which first touches have a stack or not. */
static const struct step {
	enum { SAME, NEW, SPLIT } source;
	uint32_t ring;
	struct written page[6];
	uint64_t horizon_ns;
	const char *want, *what;
} steps[] = {
	{ NEW, 0, { { 100, 7, 0, FREE, 1 }, { 300, 7, 0, FREE, 3 } },
	  0, NULL, NULL },
	{ SAME, 1, { { 200, 7, 0, ALLOC, 2 }, { 210, 7, 0, STACK, 0x2000 },
		     { 400, 7, 0, ALLOC, 4 }, { 410, 7, 0, STACK, 0x4000 } },
	  350, "100:1:0 200:2:8192 300:3:0 ", "two rings, by time" },
	{ SAME, 1, { { 0 } }, 1000, "400:4:16384 ",
	  "what is younger comes later" },
	{ SAME, 1, { { 0 } }, 1000, "", "then there is nothing" },

	{ NEW, 1, { { 100, 7, 0, ALLOC, 1 }, { 110, 7, 0x10, ALLOC, 2 },
		    { 120, 7, 0x10, STACK, 0x2000 },
		    { 130, 7, 0, STACK, 0x1000 } },
	  1000, "100:1:4096 110:2:8192 ",
	  "an interrupt between an event and its stack" },
	{ NEW, 1, { { 100, 7, 0, ALLOC, 1 }, { 110, 7, 0, ALLOC, 2 },
		    { 120, 7, 0, STACK, 0x2000 }, { 130, 8, 0, ALLOC, 3 },
		    { 140, 9, 0, STACK, 0x3000 } },
	  1000, "100:1:0 110:2:8192 130:3:0 ",
	  "a stack that is lost: none rather than another's" },
	{ NEW, 1, { { 100, 7, 0, ALLOC, 1 } }, 0, NULL, NULL },
	{ SAME, 1, { { 150, 7, 4, STACK, 0x1000 }, { 160, 7, 0, ALLOC, 2 } },
	  155, "100:1:4096 ", "the stack begins the next page" },
	{ SAME, 1, { { 0 } }, 1000, "160:2:0 ", "which goes on" },
	{ SAME, 1, { { 200, 7, 0, STACK, 0x2000 } }, 1000, "",
	  "a stack that comes too late is nobody's" },
	{ NEW, 1, { { 100, 7, 0, LONG, 1 } }, 0, NULL, NULL },
	{ SAME, 1, { { 150, 7, 0, STACK, 0x1000 } }, 1000, "100:1:4096 ",
	  "the stack of a long entry, in the next page" },

	/* At the end of a page nothing is waited for. */
	{ SPLIT, 1, { { 100, 7, 0, ALLOC, 2 }, { 110, 7, 0, STACK, 0x2000 },
		      { 120, 7, 0, TOUCH, 1 } }, 0, NULL, NULL },
	{ SAME, 1, { { 150, 7, 0, STACK, 0x1000 } }, 130,
	  "100:2:8192 120:1:0 ", "a first touch takes no stack" },
	{ SPLIT, 1, { { 100, 7, 0, FREE, 1 } }, 0, NULL, NULL },
	{ SAME, 1, { { 150, 7, 0, STACK, 0x1000 } }, 130, "100:1:0 ",
	  "nor does a free" },

	{ NEW, 0, { { 100, 7, 0, SHORT, 1 }, { 110, 7, 0, OTHER, 5 },
		    { 120, 7, 0, FREE, 6 } }, 1000, "100:0:0 120:6:0 ",
	  "a short one is rejected, an unknown one left out" },
};

static void test_steps(void)
{
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		const struct step *s = &steps[i];

		if (s->source != SAME)
			make_source();
		if (s->source == SPLIT) {
			source.source.split = 1;
			source.points.gfp_flags = (struct field){ 20, 4, 0, 0 };
			for (int bit = 0; bit < 3; bit++)
				source.points.anon[bit] = 1u << bit;
		}
		if (s->page[0].time_ns)
			write_page(s->ring, s->page);
		if (s->want)
			is(s->horizon_ns, s->want, s->what);
		if (s->horizon_ns == 350)
			tap_ok(source.source.pending, "what is younger waits");
	}
}

static const struct written free_1[] = { { 100, 7, 0, FREE, 1 }, { 0 } };

static void test_torn(void)
{
	make_source();
	begin_page();
	put_entry(free_1, 100);
	put_u32(0x05050505);
	end_page(0, 100);
	is(1000, "100:1:0 ", "a torn page ends there");
	tap_ok(source.source.stalls == 1, "and is counted");
}

static void test_lost(void)
{
	static const char stats[] =
		"entries: 5\noverrun: 3\ncommit overrun: 0\n"
		"bytes: 100\noldest event ts:     9.8\nnow ts:   9.9\n"
		"dropped events: 40\nread events: 0\n";
	struct event e;

	make_source();
	rings[0].stats_fd = memfd_create("stats", 0);
	must(write(rings[0].stats_fd, stats, sizeof(stats) - 1) >= 0);
	tap_ok(ftrace_ring_lost(&rings[0]) == 43, "a ring's statistics");
	rings[0].overflown = 1;
	ftrace_begin(&source.source, 1000);
	tap_ok(ftrace_next(&source.source, &e) == 1 && e.type == EVENT_LOST &&
	       e.lost == 43 && !ftrace_next(&source.source, &e),
	       "the stream tells it");
	rings[0].overflown = 1;
	ftrace_begin(&source.source, 1000);
	tap_ok(!ftrace_next(&source.source, &e), "once");
}

static void fill_ring(uint32_t ring, uint32_t count)
{
	while (count--)
		write_page(ring, free_1);
}

/* How full the fullest ring was tells whether the tracer gets too little of a
 * CPU. */
static void test_fill(void)
{
	make_source();
	fill_ring(0, 5);
	fill_ring(1, 2);
	drained(1000);
	tap_ok(source.source.used_bytes == 10 * PAGE && !rings[0].overflown,
	       "5 of 50 pages: a tenth of all rings of a CPU");
	drained(1000);
	tap_ok(!source.source.used_bytes, "in the next drain none");
	fill_ring(1, 60);
	drained(1000);
	tap_ok(source.source.used_bytes == 100 * PAGE && rings[1].overflown &&
	       !rings[0].overflown, "never more than full, and then the ring "
	       "may have dropped some");
}

int main(void)
{
	test_tasks();
	test_steps();
	test_torn();
	test_lost();
	test_fill();
	return tap_plan_done();
}
