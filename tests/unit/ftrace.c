/* SPDX-License-Identifier: MIT */
/*
 * source/ftrace/: tasks by their tracepoints (cases/tasks); rings read from files
 * that hold pages as trace_pipe_raw gives them, merged by time, each event with its
 * own stack and no other's (cases/ftrace). before.c: the same of the kernel's
 * buffer, interrupts in between; entries that are too short.
 */
#include <inttypes.h>
#include <sys/mman.h>
#include "cases.h"
#include "formats.h"
#include "ring_fixture.h"
#include "source/ftrace/ftrace.h"

#define PAGE 256u	/* small, so that stacks begin the next one */
#define ALLOC_ID 500u
#define FREE_ID 501u
#define STACK_ID 4u
#define START_ID 22u
#define FINISH_ID 21u
#define RINGS 2u

static int parse(struct ftrace_tasks *t, enum task_event which,
		 const char *file)
{
	const char *text = format_text(file);

	return task_parse(&t->point[which], which, text, strlen(text));
}

static struct ftrace_tasks tasks;

static void test_task_formats(void)
{
	tap_ok(!parse(&tasks, TASK_NEW, "task_newtask-6.1") &&
	       !parse(&tasks, TASK_EXECUTES, "sched_process_exec-6.1") &&
	       !parse(&tasks, TASK_RENAMED, "task_rename-6.18") &&
	       parse(&tasks, TASK_EXITS, "no-flags") ==
	       -EINVAL && !tasks.point[TASK_EXITS].id,
	       "formats, and one that is not known");
}

/* "ID, BYTES: WORDS": what an entry becomes, seen by task 5. */
static void test_task(struct cases *c)
{
	struct event e = { .tid = 5 };
	unsigned int id, len;
	unsigned char raw[160];
	char got[120];
	int result;

	must(sscanf(c->text, "%u, %u:", &id, &len) == 2);
	raw_of(strstr(c->text, ": ") + 2, raw);
	result = task_decode(&tasks, (uint16_t)id, raw, len, &e);
	must(result >= 0 || result == -EINVAL);
	snprintf(got, sizeof(got), "%s%u/%u of %u/%u%s%s%s%s",
		 e.type == EVENT_FORK ? "" : e.type == EVENT_COMM ? "name " :
		 "? ", e.tid, e.tgid, e.parent_tid, e.parent_tgid,
		 *e.name ? " " : "", e.name,
		 e.flags & EVENT_THREAD ? ", a thread" : "",
		 e.flags & EVENT_EXEC ? ", an exec" : "");
	case_is(c, result == 1 ? got : result ? "none" : "passed over");
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
	source.points.point[TP_ALLOC] = page_point(ALLOC_ID, EVENT_ALLOC);
	source.points.point[TP_FREE] = page_point(FREE_ID, EVENT_FREE);
	must(!format_point(&source.points.point[TP_BOOT_INITCALL],
			   TP_BOOT_INITCALL, "initcall_start-7.2"));
	must(!format_point(&source.points.point[TP_INITCALL],
			   TP_BOOT_INITCALL, "initcall_finish-7.2"));
	source.points.point[TP_INITCALL].type = EVENT_INITCALL_FINISH;
}

/* "TIME KIND NUMBER[/SECOND] [by TID] [in FLAGS], ...": entries of a page; the
 * number is a pfn, a frame, a function, or a word as such. The first time. */
static uint64_t put_text(const char *text)
{
	static const struct {
		const char *name;
		uint16_t id;
		uint32_t gfp;
		size_t len;	/* behind the common fields */
	} kinds[] = {
		{ "free", FREE_ID, 0, 16 }, { "alloc", ALLOC_ID, 5, 16 },
		{ "touch", ALLOC_ID, 7, 16 },
		/* kmem_cache_alloc with the cache's name has > 64 bytes. */
		{ "long", ALLOC_ID, 0, 88 }, { "short", ALLOC_ID, 0, 8 },
		{ "other", 77, 0, 16 }, { "stack", STACK_ID, 0, 24 },
		{ "start", START_ID, 0, 8 }, { "finish", FINISH_ID, 0, 16 },
		{ "cut", ALLOC_ID, 0, 4 }, { "word", 0, 0, 0 },
	};
	uint64_t first_ns = 0, last_ns = 0, time_ns, number, second, gfp;
	unsigned int tid, flags, i;
	char kind[8];

	for (; text; text = strchr(text + 1, ',')) {
		const char *const rest = text + (*text == ',');

		must(sscanf(rest, "%" SCNu64 " %7s %" SCNx64, &time_ns, kind,
			    &number) == 3);
		second = number + 1;
		tid = 7;
		flags = 0;
		sscanf(rest, "%*u %*s %*x/%" SCNx64, &second);
		sscanf(rest, "%*u %*s %*[0-9a-f/] by %u", &tid);
		sscanf(rest, "%*u %*s %*[0-9a-f/] in %x", &flags);
		for (i = 0; strcmp(kinds[i].name, kind);)
			must(++i < ARRAY_LEN(kinds));
		first_ns = first_ns ? first_ns : time_ns;
		last_ns = last_ns ? last_ns : time_ns;
		if (!kinds[i].id) {
			put_u32((uint32_t)number);
			continue;
		}
		gfp = (uint64_t)kinds[i].gfp << 32;
		put_event((uint32_t)(time_ns - last_ns), kinds[i].id,
			  (uint8_t)flags, tid, kinds[i].id == STACK_ID ?
			  (uint64_t[11]){ 2, number, second } :
			  (uint64_t[11]){ number, gfp }, kinds[i].len);
		last_ns = time_ns;
	}
	return first_ns;
}

static void end_page(uint32_t ring, uint64_t time_ns)
{
	commit_page(time_ns, 0);
	must(pwrite(rings[ring].fd, page, PAGE, written[ring]) ==
	     (ssize_t)PAGE);
	written[ring] += PAGE;	/* where it is read does not move */
}

/* "RING: ENTRIES": a page of a ring. */
static void write_text(const char *text)
{
	begin_page();
	end_page((uint32_t)*text - '0', put_text(text + 2));
}

/* All events before the horizon: "time:pfn:innermost frame". */
static const char *drained(uint64_t horizon_ns)
{
	static char text[OUTCOME_BYTES];
	struct event e;

	memset(&e, 0x5a, sizeof(e));
	text[0] = '\0';
	ftrace_begin(&source.source, horizon_ns);
	while (ftrace_next(&source.source, &e))
		if (e.type == EVENT_LOST)
			append(text, "%slost %" PRIu64, *text ? " " : "",
			       e.lost);
		else
			append(text, "%s%" PRIu64 ":%" PRIu64 ":%" PRIu64,
			       *text ? " " : "", e.time_ns,
			       e.type == EVENT_REJECTED ? 0 : e.pfn,
			       e.chain_len ? e.chain[0] : 0);
	if (source.source.stalls)
		append(text, ", stalls %u", (unsigned int)
		       source.source.stalls);
	if (source.source.pending)
		append(text, " and more");
	return text;
}

/* All that source/ftrace/before.c makes of what was written, with chains. */
static void words_of_before(char *out)
{
	static const char *const types[] = {
		[EVENT_ALLOC] = "alloc", [EVENT_FREE] = "free",
		[EVENT_INITCALL_START] = "start",
		[EVENT_INITCALL_FINISH] = "finish",
	};
	struct before before = {
		.reader = &source, .tracer = 0x5000, .tracer_bytes = 0x100,
	};
	struct event e;

	before_begin(&before);
	while (before_next(&before, &e)) {
		append(out, "%s%" PRIu64 ": %s%s %u %" PRIx64,
		       *out ? ", " : "", e.time_ns,
		       e.flags & EVENT_IRQ ? "irq " : "", types[e.type], e.tid,
		       e.type <= EVENT_FREE ? e.pfn : e.base);
		for (uint32_t i = 0; i < e.chain_len; i++)
			append(out, " %" PRIx64, e.chain[i]);
	}
	if (before.bad)
		append(out, "%sbad %u", *out ? ", " : "",
		       (unsigned int)before.bad);
}

/* How full the fullest ring was tells whether the tracer gets too little of a
 * CPU; of a full one, some may have been dropped. */
static void words_of_rings(char *out)
{
	append(out, "; used %" PRIu64 "%s%s",
	       (uint64_t)source.source.used_bytes / PAGE,
	       rings[0].overflown ? ", 0 overflown" : "",
	       rings[1].overflown ? ", 1 overflown" : "");
}

/* Ring 0 lost so much, with what this says, and entries nobody can read. */
static void words_of_lost(const char *stats, char *out)
{
	uint64_t lost;

	if (*stats) {
		rings[0].stats_fd = memfd_create("stats", 0);
		must(write(rings[0].stats_fd, stats, strlen(stats)) > 0);
	}
	lost = ftrace_ring_lost(&source, &rings[0]);
	append(out, "%s%" PRIu64 " lost, skipped %" PRIu64, *out ? "; " : "",
	       lost, (uint64_t)source.source.skipped);
}

/* Pages, and all events before a horizon, of the source of the case before or
 * of a new one, in which first touches have a stack or not. */
static void step(const char *text, char *out)
{
	unsigned int times = 1;

	if (!strcmp(text, "new") || !strcmp(text, "split"))
		make_source();
	if (!strcmp(text, "split")) {
		source.source.split = 1;
		source.points.gfp_flags = (struct field){ 20, 4, 0, 0 };
		for (int bit = 0; bit < 3; bit++)
			source.points.anon[bit] = 1u << bit;
	} else if (!strncmp(text, "until ", 6)) {
		append(out, "%s", drained(strtoull(text + 6, NULL, 10)));
	} else if (!strcmp(text, "before")) {
		words_of_before(out);
	} else if (!strcmp(text, "rings")) {
		words_of_rings(out);
	} else if (!strncmp(text, "lost ", 5)) {
		words_of_lost(text + 5, out);
	} else if (!strcmp(text, "overflow")) {
		rings[0].overflown = 1;
	} else if (strchr(text, ':')) {
		if (sscanf(text, "%u times", &times) && strstr(text, "times"))
			text = strstr(text, "times ") + 6;
		else
			times = 1;
		while (times--)
			write_text(text);
	}
}

static void test_formats(void)
{
	struct point p;

	make_source();
	tap_ok(source.stack.id == STACK_ID &&
	       source.points.point[TP_BOOT_INITCALL].id == START_ID &&
	       source.points.point[TP_INITCALL].id == FINISH_ID &&
	       source.points.point[TP_INITCALL].number.offset == 8,
	       "the formats");
	tap_ok(stack_parse(&source.stack, TOLD("ID: 4\n")) == -EINVAL &&
	       !source.stack.id, "a stack without frames is none");
	tap_ok(point_parse(&p, TP_BOOT_INITCALL, TOLD("ID: 30\n")) &&
	       !p.id, "nor an initcall without a function");
}

int main(void)
{
	test_task_formats();
	each_case("tasks", NULL, test_task);
	each_step("ftrace", NULL, step);
	test_formats();
	return tap_plan_done();
}
