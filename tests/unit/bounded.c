/* SPDX-License-Identifier: MIT */
/*
 * No event searches a table: its cost does not grow with the number of
 * processes, loads, stacks, areas or objects, or with the size of the tables.
 *
 * The objects of ledger/ are compiled with a call at each basic block
 * (-fsanitize-coverage=trace-pc), which is counted here: any loop counts, on
 * every machine the same. The cost of an event is the mean over all events of a
 * story: so what is rare, as a point of the timeline, may cost more. So does a
 * load when its text replaces other text, or when the table of modules is full:
 * it reads the nodes of all stacks once. Therefore loads are compared in tables
 * of one size: more loads do not make a load dearer.
 */
#include "ledger_fixture.h"

#define STORY_MAX 100000u

static uint64_t blocks;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

/* Kernel, and text of a module. */
#define KERNEL 0xffffffff81000000u
#define TEXT 0xffffffffc0000000u
#define AREAS 0xffffc90000000000u
#define OBJECTS 0xffff888000000000u

static const uint64_t by_kernel[] = { KERNEL + 16, KERNEL + 32, 0 };
static const uint64_t by_module[] = { KERNEL + 16, TEXT + 64, KERNEL + 32, 0 };

static void begins(struct fixture *f, uint32_t pid)
{
	forked(f, pid, pid, 1);
}

static void ends(struct fixture *f, uint32_t pid)
{
	task_event(f, EVENT_EXIT, pid, pid, "");
}

static void free_page(struct fixture *f, uint64_t page)
{
	page_event(f, EVENT_FREE, 1, 1, FIRST_PFN + page, 0);
}

/* A process that leaves `pages` pages. */
static void leaves(struct fixture *f, uint32_t i, uint32_t pages,
		   const uint64_t *chain)
{
	const uint32_t pid = 10 + i;

	begins(f, pid);
	for (uint32_t page = 0; page < pages; page++)
		take_by(f, pid, pid, i * 3 + page, 0, chain);
	ends(f, pid);
}

static void leave_anonymous(struct fixture *f, uint32_t i, uint32_t n)
{
	(void)n;
	leaves(f, i, 3, NULL);
}

static void leave_cache(struct fixture *f, uint32_t i, uint32_t n)
{
	(void)n;
	leaves(f, i, 3, by_kernel);
}

/* What was left goes when its process is long forgotten. */
static void leave_and_free(struct fixture *f, uint32_t i, uint32_t n)
{
	leaves(f, i, 3, by_kernel);
	for (uint32_t page = 0; page < 3 && i >= n / 2; page++)
		free_page(f, (i - n / 2) * 3 + page);
}

static void leave_nothing(struct fixture *f, uint32_t i, uint32_t n)
{
	const uint32_t pid = 10 + i;

	(void)n;
	begins(f, pid);
	take_by(f, pid, pid, 1, 0, NULL);
	take_by(f, pid, pid, 2, 0, by_kernel);
	free_page(f, 1);
	free_page(f, 2);
	ends(f, pid);
}

/* Each process starts the next one, whose kernel stack is its area. */
static void leave_area(struct fixture *f, uint32_t i, uint32_t n)
{
	const uint32_t pid = 10 + i;
	struct event e = { .tid = pid, .tgid = pid, .pages = 4 };

	(void)n;
	begins(f, pid);
	e.type = EVENT_AREA_ENTER;
	apply(f, &e);
	e.type = EVENT_BULK;
	apply(f, &e);
	e.type = EVENT_AREA_ALLOC;
	e.base = AREAS + (uint64_t)i * 0x8000;
	apply(f, &e);
	ends(f, pid);
	e.type = EVENT_AREA_FREE;
	e.base = AREAS + (uint64_t)(i - 20) * 0x8000;
	if (i >= 20)
		apply(f, &e);
}

static void load(struct fixture *f, const char *name, uint64_t text)
{
	task_event(f, EVENT_LOAD_ENTER, 1, 1, "");
	task_event(f, EVENT_MODULE_LOAD, 1, 1, name);
	module_text(f, name, text, 0x1000, 0);
	module_text(f, name, text + 0x2000, 0x1000, EVENT_INIT_TEXT);
	for (uint32_t page = 0; page < 20; page++)
		take_by(f, 1, 1, page, 0, by_module);
	for (uint32_t page = 0; page < 20; page++)
		free_page(f, page);
	apply(f, &(struct event){ .type = EVENT_LOAD_EXIT, .tid = 1,
				  .tgid = 1 });
}

static void load_again(struct fixture *f, uint32_t i, uint32_t n)
{
	(void)i;
	(void)n;
	load(f, "planted", TEXT);
	task_event(f, EVENT_MODULE_FREE, 1, 1, "planted");
}

static void load_others(struct fixture *f, uint32_t i, uint32_t n)
{
	char name[16];

	(void)n;
	snprintf(name, sizeof(name), "planted%u", i);
	load(f, name, TEXT + (uint64_t)i * 0x10000);
	task_event(f, EVENT_MODULE_FREE, 1, 1, name);
}

static void take_by_others(struct fixture *f, uint32_t i, uint32_t n)
{
	const uint64_t chain[] = { KERNEL + 16, KERNEL + 32 + i, KERNEL + 64, 0 };

	(void)n;
	take_by(f, 1, 1, i * 3, 0, chain);
	take_by(f, 1, 1, i * 3 + 1, 0, NULL);
}

static void object(struct fixture *f, uint32_t i, uint32_t n)
{
	struct event e = { .type = EVENT_OBJECT_ALLOC, .tid = 1, .tgid = 1,
			   .base = OBJECTS + (uint64_t)i * 64, .size = 60,
			   .allocated_bytes = 64, .site = KERNEL + i };

	apply(f, &e);
	e.type = EVENT_OBJECT_FREE;
	e.base -= (uint64_t)(n / 2) * 64;
	if (i >= n / 2)
		apply(f, &e);
}

static const struct story {
	const char *what;
	void (*step)(struct fixture *f, uint32_t i, uint32_t n);
	uint32_t most;			/* steps */
	uint8_t in_tree;		/* process 1 is followed */
	uint8_t loads;
} stories[] = {
	{ "processes that leave three pages", leave_anonymous, STORY_MAX, 0, 0 },
	{ "the same, in the followed tree", leave_anonymous, STORY_MAX, 1, 0 },
	{ "processes that leave page cache", leave_cache, STORY_MAX, 0, 0 },
	{ "the same, in the followed tree", leave_cache, STORY_MAX, 1, 0 },
	{ "page cache that goes later", leave_and_free, STORY_MAX, 0, 0 },
	{ "processes that leave nothing", leave_nothing, STORY_MAX, 0, 0 },
	{ "processes that leave an area", leave_area, STORY_MAX, 0, 0 },
	{ "loads of one module", load_again, STORY_MAX / 10, 0, 1 },
	{ "loads of many modules", load_others, STORY_MAX / 10, 0, 1 },
	{ "stacks", take_by_others, STORY_MAX, 0, 0 },
	{ "objects", object, STORY_MAX, 0, 0 },
};

static struct fixture *fixture_of_rows(uint32_t rows, struct arena *a)
{
	const struct ram ram = { { { FIRST_PFN, STORY_MAX * 3 } }, 1 };
	const struct layout want = {
		.pages_bytes = STORY_MAX * 3 * 4, .nodes = 4 * rows,
		.owners = 3 * rows, .tasks = rows, .modules = rows / 16 + 16,
		.slab_bytes = rows * 128 + (256u << 10),
	};
	const size_t bytes = layout_bytes(&want, &ram) + 8192;
	struct fixture *f = fixture_new();
	void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

	must(memory != NULL);
	memset(memory, 0, bytes);
	arena_init(a, memory, bytes);
	must(!ledger_init(&f->ledger, a, &want, &ram));
	return f;
}

/* Blocks for each event of n steps of the story. */
static uint64_t cost(const struct story *s, uint32_t n, uint32_t rows)
{
	struct arena a;
	struct fixture *f = fixture_of_rows(rows, &a);
	uint64_t each;

	task_event(f, EVENT_COMM, 1, 1, "init");
	must(!s->in_tree || !ledger_follow(&f->ledger, 1));
	blocks = 0;
	for (uint32_t i = 0; i < n; i++)
		s->step(f, i, n);
	each = blocks / f->ledger.total.seen;
	must(!ledger_check(&f->ledger));
	free(a.base);
	free(f);
	return each;
}

/* In tables of one size, and in tables that are half as large as needed; until it
 * costs too much, because a search of all rows would take hours. */
static void test_story(const struct story *s)
{
	char curve[200] = "";
	uint64_t first = 0, most = 0;

	for (uint32_t n = 100; n <= s->most && most <= 2 * first; n *= 10) {
		const uint64_t small = cost(s, n, 128);
		const uint64_t half = s->loads ? small : cost(s, n, n / 2);
		const size_t len = strlen(curve);

		snprintf(curve + len, sizeof(curve) - len, " %llu, %llu;",
			 (unsigned long long)small, (unsigned long long)half);
		most = small > most ? small : most;
		most = half > most ? half : most;
		first = n == 100 ? most : first;
	}
	tap_ok(first && most <= 2 * first, "%s:%s blocks an event", s->what,
	       curve);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(stories); i++)
		test_story(&stories[i]);
	return tap_plan_done();
}
