/* SPDX-License-Identifier: MIT */
/*
 * source/ftrace/: tasks by their tracepoints; rings read from files that hold
 * pages as trace_pipe_raw gives them, merged by time, each event with its own
 * stack and no other's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ring_fixture.h"
#include "source/ftrace/ftrace.h"
#include "tap.h"

#define PAGE 256u	/* small, so that stacks begin the next one */
#define ALLOC_ID 500u
#define FREE_ID 501u
#define STACK_ID 4u
#define RINGS 2u

static const char new_text[] =
	"name: task_newtask\nID: 127\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:1;\n"
	"\tfield:unsigned long clone_flags;\toffset:32;\tsize:8;\tsigned:0;\n";
static const char exec_text[] =
	"name: sched_process_exec\nID: 307\nformat:\n"
	"\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n";

static int parse(struct ftrace_tasks *t, enum task_event which,
		 const char *text)
{
	return task_parse(&t->point[which], which, text, strlen(text));
}

static void test_tasks(void)
{
	struct ftrace_tasks tasks = { 0 };
	unsigned char raw[64] = { 127 };
	const uint32_t pid = 77, loc = 20 | 30u << 16;
	uint64_t flags = 0x10000 | 0x100;
	struct event e = { .tid = 5 };

	tap_ok(!parse(&tasks, TASK_NEW, new_text) &&
	       !parse(&tasks, TASK_EXECUTES, exec_text) &&
	       parse(&tasks, TASK_EXITS, "name: x\nID: 9\nformat:\n") ==
	       -EINVAL && !tasks.point[TASK_EXITS].id,
	       "formats, and one that is not known");
	memcpy(raw + 8, &pid, 4);
	memcpy(raw + 32, &flags, 8);
	tap_ok(task_decode(&tasks, 127, raw, 40, &e) == 1 &&
	       e.type == EVENT_FORK && e.tid == 77 && e.parent_tid == 5 &&
	       !e.tgid && !e.parent_tgid && e.flags == EVENT_THREAD,
	       "a thread, whose process its parent tells");
	flags = 0x11;
	memcpy(raw + 32, &flags, 8);
	e = (struct event){ .tid = 5 };
	tap_ok(task_decode(&tasks, 127, raw, 40, &e) == 1 && e.tgid == 77 &&
	       e.tid == 77 && e.parent_tid == 5 && !e.flags, "a process");
	tap_ok(task_decode(&tasks, 127, raw, 39, &e) == -EINVAL,
	       "one that is cut off");
	memset(raw, 0, sizeof(raw));
	memcpy(raw + 8, &loc, 4);
	memcpy(raw + 12, &pid, 4);
	memcpy(raw + 20, "/usr/bin/a-name-of-20-letters", 30);
	e = (struct event){ .tid = 5 };
	tap_ok(task_decode(&tasks, 307, raw, 50, &e) == 1 &&
	       e.type == EVENT_COMM && e.flags == EVENT_EXEC && e.tid == 77 &&
	       !strcmp(e.name, "a-name-of-20-le"),
	       "an exec names it by the file, as the kernel does");
	tap_ok(!task_decode(&tasks, 308, raw, 50, &e) &&
	       !task_decode(&tasks, 0, raw, 50, &e), "no such event");
}

/* A source of two rings, whose pages are written here. An allocation has a
 * stack. */
static struct ftrace source;
static struct ftrace_ring rings[RINGS];
static struct merge_entry heap[RINGS];
static unsigned char pages[RINGS][PAGE];
static uint64_t page_ns, last_ns;
static off_t written[RINGS];

static void make_source(void)
{
	memset(&source, 0, sizeof(source));
	memset(written, 0, sizeof(written));
	source.layout = ring_layout_64;
	stack_parse(&source.stack, stack_text, sizeof(stack_text) - 1);
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

static void begin_at(uint64_t time_ns)
{
	begin_page();
	page_ns = last_ns = time_ns;
}

static void end_page(uint32_t ring)
{
	commit_page(page_ns, 0);
	if (pwrite(rings[ring].fd, page, PAGE, written[ring]) != (ssize_t)PAGE)
		abort();
	written[ring] += PAGE;	/* where it is read does not move */
}

static void put_entry(uint64_t time_ns, uint32_t tid, uint8_t flags,
		      uint16_t id, const void *rest, size_t len)
{
	put_event((uint32_t)(time_ns - last_ns), id, flags, tid, rest, len);
	last_ns = time_ns;
}

static void put_page(uint64_t time_ns, uint32_t tid, uint8_t flags,
		     uint16_t id, uint64_t pfn)
{
	uint64_t rest[2] = { pfn, 0 };

	put_entry(time_ns, tid, flags, id, rest, 12);
}

static void put_stack(uint64_t time_ns, uint32_t tid, uint8_t flags,
		      uint64_t addr)
{
	uint64_t rest[3] = { 2, addr, addr + 1 };

	put_entry(time_ns, tid, flags, STACK_ID, rest, sizeof(rest));
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

static void test_merge(void)
{
	make_source();
	begin_at(100);
	put_page(100, 7, 0, FREE_ID, 1);
	put_page(300, 7, 0, FREE_ID, 3);
	end_page(0);
	begin_at(200);
	put_page(200, 7, 0, ALLOC_ID, 2);
	put_stack(210, 7, 0, 0x2000);
	put_page(400, 7, 0, ALLOC_ID, 4);
	put_stack(410, 7, 0, 0x4000);
	end_page(1);
	is(350, "100:1:0 200:2:8192 300:3:0 ", "two rings, by time");
	tap_ok(source.source.pending, "what is younger waits");
	is(1000, "400:4:16384 ", "and comes later");
	is(1000, "", "then there is nothing");
}

static void test_stacks(void)
{
	make_source();
	begin_at(100);
	put_page(100, 7, 0, ALLOC_ID, 1);
	put_page(110, 7, 0x10, ALLOC_ID, 2);
	put_stack(120, 7, 0x10, 0x2000);
	put_stack(130, 7, 0, 0x1000);
	end_page(1);
	is(1000, "100:1:4096 110:2:8192 ",
	   "an interrupt between an event and its stack");
	make_source();
	begin_at(100);
	put_page(100, 7, 0, ALLOC_ID, 1);
	put_page(110, 7, 0, ALLOC_ID, 2);
	put_stack(120, 7, 0, 0x2000);
	put_page(130, 8, 0, ALLOC_ID, 3);
	put_stack(140, 9, 0, 0x3000);
	end_page(1);
	is(1000, "100:1:0 110:2:8192 130:3:0 ",
	   "a stack that is lost: none rather than another's");
	make_source();
	begin_at(100);
	put_page(100, 7, 0, ALLOC_ID, 1);
	end_page(1);
	begin_at(150);
	put_stack(150, 7, 0x04, 0x1000);
	put_page(160, 7, 0, ALLOC_ID, 2);
	end_page(1);
	is(155, "100:1:4096 ", "the stack begins the next page");
	is(1000, "160:2:0 ", "which goes on");
	begin_at(200);
	put_stack(200, 7, 0, 0x2000);
	end_page(1);
	is(1000, "", "a stack that comes too late is nobody's");
}

/* kmem_cache_alloc with the cache's name has more than 64 bytes. */
static void test_long_entry(void)
{
	uint64_t rest[11] = { 1 };

	make_source();
	begin_at(100);
	put_entry(100, 7, 0, ALLOC_ID, rest, sizeof(rest));
	end_page(1);
	begin_at(150);
	put_stack(150, 7, 0, 0x1000);
	end_page(1);
	is(1000, "100:1:4096 ", "the stack of a long entry, in the next page");
}

/* A first touch has no stack: at the end of a page nothing is waited for. */
static void test_first_touches(void)
{
	uint64_t touch[] = { 1, (uint64_t)7 << 32 }, other[] = { 2,
		(uint64_t)5 << 32 };

	make_source();
	source.source.split = 1;
	source.points.gfp_flags = (struct field){ 20, 4, 0, 0 };
	for (int i = 0; i < 3; i++)
		source.points.anon[i] = 1u << i;
	begin_at(100);
	put_entry(100, 7, 0, ALLOC_ID, other, sizeof(other));
	put_stack(110, 7, 0, 0x2000);
	put_entry(120, 7, 0, ALLOC_ID, touch, sizeof(touch));
	end_page(1);
	begin_at(150);
	put_stack(150, 7, 0, 0x1000);
	end_page(1);
	is(130, "100:2:8192 120:1:0 ", "a first touch takes no stack");
	make_source();
	source.source.split = 1;
	begin_at(100);
	put_page(100, 7, 0, FREE_ID, 1);
	end_page(1);
	begin_at(150);
	put_stack(150, 7, 0, 0x1000);
	end_page(1);
	is(130, "100:1:0 ", "nor does a free");
}

static void test_wrong(void)
{
	make_source();
	begin_at(100);
	put_entry(100, 7, 0, ALLOC_ID, "\1\0\0\0\0\0\0\0", 8);
	put_page(110, 7, 0, 77, 5);
	put_page(120, 7, 0, FREE_ID, 6);
	end_page(0);
	is(1000, "100:0:0 120:6:0 ", "a short one is rejected, an unknown one "
	   "left out");
	make_source();
	begin_at(100);
	put_page(100, 7, 0, FREE_ID, 1);
	put_u32(0x05050505);
	end_page(0);
	is(1000, "100:1:0 ", "a torn page ends there");
	tap_ok(source.source.stalls == 1, "and is counted");
}

static void test_lost(void)
{
	static const char stats[] = "entries: 5\noverrun: 3\ncommit overrun: 0\n"
		"bytes: 100\noldest event ts:     9.8\nnow ts:   9.9\n"
		"dropped events: 40\nread events: 0\n";
	struct event e;

	make_source();
	rings[0].stats_fd = memfd_create("stats", 0);
	if (write(rings[0].stats_fd, stats, sizeof(stats) - 1) < 0)
		abort();
	tap_ok(ftrace_ring_lost(&rings[0]) == 43, "lost by a ring's statistics");
	rings[0].overflown = 1;
	ftrace_begin(&source.source, 1000);
	tap_ok(ftrace_next(&source.source, &e) == 1 && e.type == EVENT_LOST &&
	       e.lost == 43 && !ftrace_next(&source.source, &e), "the stream tells it");
	rings[0].overflown = 1;
	ftrace_begin(&source.source, 1000);
	tap_ok(!ftrace_next(&source.source, &e), "once");
}

static void fill_ring(uint32_t ring, uint32_t count)
{
	while (count--) {
		begin_at(100);
		put_page(100, 7, 0, FREE_ID, 1);
		end_page(ring);
	}
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
	test_merge();
	test_stacks();
	test_long_entry();
	test_first_touches();
	test_wrong();
	test_lost();
	test_fill();
	return tap_plan_done();
}
