/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/tracepoints.c: what is read of each tracepoint's format, what
 * of a raw record, and what is refused.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "limits.h"
#include "base/readfile.h"
#include "source/tracefs/tracepoints.h"
#include "exact.h"
#include "formats.h"
#include "tap.h"

static ssize_t faked_readfile(const char *path, char *buf, size_t size);

#include "tracefs_faked.h"

/* The kernel of a test: the names of its events, with a blank behind each. */
static struct {
	const char *root, *events;
} kernel;

/* A format that has the fields of the events whose names begin so. */
static const char *format_of(const char *event)
{
	static const struct {
		const char *begin, *format;
	} t[] = {
		{ "kmem/mm_page_free", format_free },
		{ "kmem/mm_page_alloc", format_alloc },
		{ "module/", format_module_load },
		{ "syscalls/", format_exit },
		{ "raw_syscalls/", format_raw_exit },
		{ "initcall/", format_initcall },
		{ "memstrack/enter", format_area_enter },
		{ "cma/", format_cma },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		if (!strncmp(event, t[i].begin, strlen(t[i].begin)))
			return t[i].format;
	return format_bulk;
}

static ssize_t faked_readfile(const char *path, char *buf, size_t size)
{
	char wanted[128];
	int len;

	for (const char *at = kernel.events; *at; at += len + 1) {
		len = (int)strcspn(at, " ");
		snprintf(wanted, sizeof(wanted), "%s/events/%.*s/format",
			 kernel.root, len, at);
		if (!strcmp(wanted, path))
			return snprintf(buf, size, "%s", format_of(at));
	}
	return -ENOENT;
}

static int parse(struct point *p, enum tracepoint tp, const char *text)
{
	return point_parse(p, tp, text, strlen(text));
}

/* Formats of which no record is read below. */
static void test_parse(void)
{
	static const struct {
		enum tracepoint tp;
		const char *text;
		uint32_t id, type;
	} t[] = {
		{ TP_ALLOC, format_alloc_6_1, 542, EVENT_ALLOC },
		{ TP_ALLOC, format_alloc_5_10, 459, EVENT_ALLOC },
		{ TP_MODULE_FREE, format_module_free, 356, EVENT_MODULE_FREE },
		{ TP_ENTER_INIT_MODULE, format_enter, 348, EVENT_LOAD_ENTER },
		{ TP_EXIT_INIT_MODULE, format_exit, 347, EVENT_LOAD_EXIT },
		{ TP_RAW_ENTER, format_raw_enter, 22, EVENT_LOAD_ENTER },
		{ TP_RAW_EXIT, format_raw_exit, 21, EVENT_LOAD_EXIT },
		{ TP_CMA, format_cma_5_10, 400, EVENT_BULK },
		{ TP_LOW, format_enter, 348, EVENT_LOW },
		{ TP_COMPACTS, format_enter, 348, EVENT_COMPACTS },
		{ TP_COMPACTED, format_enter, 348, EVENT_COMPACTED },
		{ TP_ENTER_REBOOT, format_enter, 348, EVENT_REBOOT },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct point p;
		int error = parse(&p, t[i].tp, t[i].text);

		tap_ok(!error && p.id == t[i].id &&
		       p.type == t[i].type && p.flags.size == 1 &&
		       p.flags.offset == 2, "%s, id %u",
		       tracepoint_name(t[i].tp), p.id);
	}
}

static void test_refused(void)
{
	static const struct {
		enum tracepoint tp;
		const char *text, *why;
	} t[] = {
		{ TP_ALLOC, format_alloc_old, "pages without a pfn" },
		{ TP_FREE, format_alloc_old, "nor freed ones" },
		{ TP_ALLOC, format_exit, "another event's" },
		{ TP_MODULE_LOAD, format_free, "a module without a name" },
		{ TP_EXIT_FINIT_MODULE, format_enter, "no result" },
		{ TP_RAW_EXIT, format_raw_enter, "nor here" },
		{ TP_INITCALL, format_raw_enter, "nor here" },
		{ TP_BULK, format_area_enter, "no number of pages" },
		{ TP_AREA_ENTER, format_bulk, "a vmalloc of nobody" },
		{ TP_CMA, format_bulk, "contiguous memory without a count" },
		{ TP_FREE, "name: x\nformat:\n" FORMAT_COMMON, "no id" },
		{ TP_ENTER_INIT_MODULE, "name: x\nID: 0\n" FORMAT_COMMON,
		  "id 0" },
		{ TP_ENTER_INIT_MODULE, "name: x\nID: 5\n", "no flags" },
		{ TP_KMALLOC, format_kfree, "an object without sizes" },
		{ TP_MOVE, format_bulk, "a move to nowhere" },
		{ TP_MOVE, format_kfree, "a move from nowhere" },
		{ TP_ALLOC, "", "nothing" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct point p;

		tap_ok(parse(&p, t[i].tp, t[i].text) == -EINVAL && !p.id,
		       "refused: %s", t[i].why);
	}
}

/* The bytes of a record, in words of 8; two numbers of 4 bytes in one. */
#define TWO(first, second) \
	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? \
	 (uint64_t)(uint32_t)(first) << 32 | (uint32_t)(second) : \
	 (uint64_t)(uint32_t)(second) << 32 | (uint32_t)(first))
#define IN_IRQ TWO(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 0x800 : 0x80000, 0)
#define LOC(offset, len) ((offset) | (len) << 16)
#define AREA 0xffffc90000005000
#define SITE 0xffffffff81abcdef
#define PTR 0xffff888012345680

/* What comes of a record; a byte less, and it does not fit. */
static const struct {
	enum tracepoint tp;
	const char *format;
	size_t len;
	uint64_t word[6];
	const char *text;	/* behind the fields, at byte 48 */
	const char *event;
} records[] = {
	{ TP_ALLOC, format_alloc, 20, { 0, 0x12345, TWO(9, 0) }, "",
	  "page 12345, order 9" },
	{ TP_FREE, format_free, 20, { 0, 0x12345, TWO(9, 0) }, "",
	  "page 12345, order 9" },
	{ TP_ALLOC, format_alloc, 20, { IN_IRQ, 0x12345, 0 }, "",
	  "page 12345, order 0, in interrupt" },
	/* A failed allocation; an order that is left to the ledger. */
	{ TP_ALLOC, format_alloc, 20, { 0, UINT64_MAX, TWO(-1, 0) }, "",
	  "page ffffffffffffffff, order 4294967295" },
	/* Machines with fields of other sizes. */
	{ TP_ALLOC, format_alloc_32, 16, { 0, TWO(0x77, 3) }, "",
	  "page 77, order 3" },
	{ TP_ALLOC, format_alloc_32, 16, { 0, TWO(-1, 3) }, "",
	  "page ffffffffffffffff, order 3" },
	{ TP_ALLOC, format_alloc_s390, 32, { 0, 0, 4, 0x99 }, "",
	  "page 99, order 4" },
	{ TP_ALLOC, format_alloc_s390, 32, { 0, 0, UINT64_C(1) << 32, 0x99 },
	  "", "page 99, order 4294967295" },
	{ TP_MODULE_LOAD, format_module_load, 57, { 0, TWO(0, LOC(48, 9)) },
	  "squashfs", "module squashfs" },
	{ TP_MODULE_LOAD, format_module_load, 120, { 0, TWO(0, LOC(48, 72)) },
	  "longer-than-the-name-of-a-module-can-be-which-has-no-more-than-56-"
	  "letters",
	  "module longer-than-the-name-of-a-module-can-be-which-has-no-mo" },
	{ TP_ENTER_FINIT_MODULE, format_enter, 3, { 0 }, "", "enters" },
	{ TP_EXIT_FINIT_MODULE, format_exit, 24, { 0, 0, (uint64_t)-17 }, "",
	  "returns -17" },
	{ TP_INITCALL, format_initcall, 20, { 0, 0, TWO(-5, 0) }, "",
	  "returns -5" },
	{ TP_BULK, format_bulk, 24, { 0, 0, 100 }, "", "bulk of 100" },
	{ TP_BULK, format_bulk, 24, { IN_IRQ, 0, 100 }, "",
	  "bulk of 100, in interrupt" },
	{ TP_CMA, format_cma, 40, { 0, 0, 0, 0, 256 }, "",
	  "bulk of 256, contiguous" },
	{ TP_CMA, format_cma, 40, { IN_IRQ, 0, 0, 0, 256 }, "",
	  "bulk of 256, contiguous, in interrupt" },
	/* Bytes of page structs. */
	{ TP_MOVE, format_move, 32,
	  { 0, 0, 0xffffea0000000140, 0xffffea0000000080 }, "",
	  "page struct ffffea0000000080 goes on by 192" },
	{ TP_MOVE, format_move, 32,
	  { 0, 0, 0xffffea0000000080, 0xffffea0000000100 }, "",
	  "page struct ffffea0000000100 goes on by -128" },
	{ TP_AREA_ALLOC, format_bulk, 24, { 0, 0, AREA }, "",
	  "area at ffffc90000005000" },
	{ TP_AREA_FREE, format_bulk, 24, { 0, 0, AREA }, "",
	  "no area at ffffc90000005000" },
	/* Who asks for one is a chain of one frame, or none. */
	{ TP_AREA_ENTER, format_area_enter, 24, { 0, 0, AREA }, "",
	  "frames: 1, ffffc90000005000" },
	{ TP_AREA_ENTER, format_area_enter, 24, { 0 }, "", "frames: 0, 0" },
	{ TP_VICTIM, format_victim, 12, { 0, TWO(4711, -1) }, "",
	  "victim 4711" },
	{ TP_VICTIM, format_victim_6_18, 12, { 0, TWO(4711, -1) }, "",
	  "victim 4711" },
	{ TP_KMALLOC, format_kmalloc, 40, { 0, SITE, PTR, 100, 128 }, "",
	  "object ffff888012345680 by ffffffff81abcdef, 100 of 128 bytes" },
	{ TP_CACHE_ALLOC, format_cache_alloc, 40, { 0, SITE, PTR, 190, 192 },
	  "", "object ffff888012345680 by ffffffff81abcdef, "
	  "190 of 192 bytes, cache" },
	{ TP_CACHE_ALLOC, format_cache_alloc_named, 55,
	  { 0, SITE, PTR, TWO(LOC(48, 7), 0), 190, 192 }, "dentry",
	  "object ffff888012345680 by ffffffff81abcdef, 190 of 192 bytes, "
	  "cache dentry" },
	{ TP_KFREE, format_kfree, 24, { 0, SITE, PTR }, "",
	  "no object ffff888012345680 by ffffffff81abcdef" },
	{ TP_CACHE_FREE, format_cache_free, 59,
	  { 0, SITE, PTR, TWO(LOC(48, 11), 0) }, "maple_node",
	  "no object ffff888012345680 by ffffffff81abcdef, cache maple_node" },
	/* Of 5.10. */
	{ TP_CACHE_FREE, format_kfree, 24, { 0, SITE, PTR }, "",
	  "no object ffff888012345680 by ffffffff81abcdef, cache" },
};

/* What an event says that its type has, in words. */
static const char *words(const struct event *e)
{
	const uint64_t result = (uint64_t)(int)e->result;
	const struct {
		const char *format;
		unsigned long long number[4];
	} t[] = {
		[EVENT_ALLOC] = { "page %llx, order %llu",
				  { e->pfn, e->order } },
		[EVENT_FREE] = { "page %llx, order %llu",
				 { e->pfn, e->order } },
		[EVENT_MODULE_LOAD] = { "module", { 0 } },
		[EVENT_LOAD_ENTER] = { "enters", { 0 } },
		[EVENT_LOAD_EXIT] = { "returns %lld", { result } },
		[EVENT_VICTIM] = { "victim %lld", { result } },
		[EVENT_BULK] = { "bulk of %llu", { e->pages } },
		[EVENT_AREA_ENTER] = { "frames: %llu, %llx", { e->chain_len,
				       e->chain_len ? e->chain[0] : 0 } },
		[EVENT_AREA_ALLOC] = { "area at %llx", { e->base } },
		[EVENT_AREA_FREE] = { "no area at %llx", { e->base } },
		[EVENT_MOVE] = { "page struct %llx goes on by %lld",
				 { e->base, (unsigned long long)e->result } },
		[EVENT_OBJECT_ALLOC] = {
			"object %llx by %llx, %llu of %llu bytes",
			{ e->base, e->site, e->size, e->allocated_bytes } },
		[EVENT_OBJECT_FREE] = { "no object %llx by %llx",
					{ e->base, e->site } },
	};
	const unsigned long long *n = t[e->type].number;
	const int has_name = e->type == EVENT_MODULE_LOAD ||
			     e->type == EVENT_OBJECT_ALLOC ||
			     e->type == EVENT_OBJECT_FREE;
	static char text[200];
	int len = snprintf(text, sizeof(text), t[e->type].format, n[0], n[1],
			   n[2], n[3]);

	snprintf(text + len, sizeof(text) - (size_t)len, "%s%s%s%s%s",
		 e->flags & EVENT_CMA ? ", contiguous" : "",
		 e->flags & EVENT_CACHE ? ", cache" : "",
		 e->flags & EVENT_IRQ ? ", in interrupt" : "",
		 has_name && e->name[0] ? " " : "", has_name ? e->name : "");
	return text;
}

/* The raw record in memory of its exact size. */
static int decode(const struct point *p, const void *raw, size_t len,
		  struct event *e)
{
	unsigned char *copy = exact(raw, len);
	int error;

	memset(e, 0x5a, sizeof(*e));
	error = point_decode(p, copy, len, e);
	free(copy);
	return error;
}

static void test_records(void)
{
	for (size_t i = 0; i < ARRAY_LEN(records); i++) {
		const char *want = records[i].event;
		unsigned char raw[160] = { 0 };
		struct point p;
		struct event e;
		int error = parse(&p, records[i].tp, records[i].format);
		int right;

		memcpy(raw, records[i].word, sizeof(records[i].word));
		strcpy((char *)raw + 48, records[i].text);
		error |= decode(&p, raw, records[i].len, &e);
		right = !error && !strcmp(words(&e), want);
		if (!right)
			printf("# %d: %s\n", error, error ? "" : words(&e));
		tap_ok(right && decode(&p, raw, records[i].len - 1, &e) ==
		       -EINVAL, "%s: %s", tracepoint_name(records[i].tp), want);
	}
}

static void test_irq(void)
{
	uint32_t wrong = 0;
	struct point p;

	parse(&p, TP_ALLOC, format_alloc);
	for (unsigned int flags = 0; flags < 256; flags++) {
		const unsigned char raw[20] = { 0, 0, (unsigned char)flags };
		struct event e;

		wrong += decode(&p, raw, sizeof(raw), &e) ||
			 e.flags != (flags & 0x58 ? EVENT_IRQ : 0u);
	}
	tap_ok(!wrong, "common_flags of interrupts");
}

/* The names of the events that are found, as in struct kernel. */
static const char *found(struct tracefs *t, int *error)
{
	static char names[1024];
	size_t used = 0;

	*error = tracefs_read(t);
	names[0] = '\0';
	for (unsigned int tp = 0; tp < TP_COUNT; tp++)
		if (t->point[tp].id)
			used += (size_t)sprintf(names + used, "%s ",
						tracepoint_name(tp));
	return names;
}

#define PAGES "kmem/mm_page_free kmem/mm_page_alloc "
#define MODULES "module/module_load module/module_free "
#define PROBED "memstrack/loaded memstrack/load "
#define CALLS "syscalls/sys_enter_init_module syscalls/sys_enter_finit_module "\
	"syscalls/sys_exit_init_module syscalls/sys_exit_finit_module "
#define RAW "raw_syscalls/sys_enter raw_syscalls/sys_exit "
#define INITCALL "initcall/initcall_finish "
#define AREAS "memstrack/bulk memstrack/enter memstrack/leave memstrack/free "
#define CMA "cma/cma_alloc_finish "
#define REBOOT "syscalls/sys_enter_reboot "

static const char first[] = "/sys/kernel/tracing";

static void test_fallback(void)
{
	static const struct {
		const char *root, *events, *found, *what;
	} t[] = {
		{ first, PAGES MODULES PROBED CALLS RAW INITCALL,
		  PAGES MODULES PROBED, "our own probes first" },
		{ first, PAGES MODULES "memstrack/load " CALLS,
		  PAGES MODULES CALLS, "half of them is none" },
		{ first, PAGES MODULES CALLS RAW INITCALL,
		  PAGES MODULES CALLS, "without them, its own system calls" },
		{ first, PAGES MODULES RAW INITCALL, PAGES MODULES RAW,
		  "without them, all system calls" },
		{ first, PAGES MODULES INITCALL, PAGES MODULES INITCALL,
		  "without these, the end of init functions" },
		{ first, PAGES RAW INITCALL, PAGES,
		  "a kernel without modules needs none of it" },
		{ first, PAGES MODULES, PAGES MODULES,
		  "with none of these, modules have no window" },
		{ "/sys/kernel/debug/tracing", PAGES MODULES RAW,
		  PAGES MODULES RAW, "in debugfs as well" },
		{ first, PAGES AREAS CMA, PAGES AREAS CMA,
		  "probes and contiguous memory" },
		{ first, PAGES "memstrack/reboot " REBOOT,
		  PAGES "memstrack/reboot ", "a reboot by our probe" },
		{ first, PAGES REBOOT, PAGES REBOOT,
		  "without it, by the system call" },
	};
	struct tracefs got;
	int error;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		uint32_t opens = strstr(t[i].found, INITCALL) ? EVENT_OPENS : 0;

		kernel.root = t[i].root;
		kernel.events = t[i].events;
		tap_ok(!strcmp(found(&got, &error), t[i].found) && !error,
		       "%s: %s", t[i].what, t[i].found);
		tap_ok(got.point[TP_MODULE_LOAD].set_flags == opens,
		       "%s: a name opens a window%s", t[i].what,
		       opens ? "" : " not");
	}
}

static void test_problems(void)
{
	struct tracefs t;
	int error;

	kernel.root = first;
	kernel.events = MODULES;
	found(&t, &error);
	tap_ok(error == -ENOENT && strstr(t.problem, "kmem/mm_page_alloc"),
	       "no page events: %s", t.problem);
	kernel.events = PAGES "oom/mark_victim ";
	tap_ok(!strcmp(found(&t, &error), PAGES) && !error &&
	       strstr(t.problem, "oom/mark_victim: a format"),
	       "a format that is not known is refused by name: %s", t.problem);
}

static void test_tracepoint_names(void)
{
	uint32_t wrong = 0;

	for (enum tracepoint a = 0; a < TP_COUNT; a++) {
		const char *slash = strchr(tracepoint_name(a), '/');

		wrong += !slash || !slash[1] || strchr(slash + 1, '/');
		for (enum tracepoint b = 0; b < a; b++)
			wrong += !strcmp(tracepoint_name(a),
					 tracepoint_name(b));
	}
	tap_ok(!wrong, "every tracepoint has a name of its own");
}

/* Of a page that is read ahead three bits are set and one is not. */
static void test_ahead(void)
{
	static const struct { uint64_t gfp; int ahead; } t[] = {
		{ 0x112cca, 1 }, { 0x112dca, 0 },
		{ 0x102cca, 0 }, { 0x110cca, 0 }, { 0x012cca, 0 },
	};
	struct point p;
	struct event e;
	uint32_t wrong = 0;

	parse(&p, TP_ALLOC, format_alloc_6_1);
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const uint64_t raw[] = { 0, 0x1234, 0, t[i].gfp };

		wrong += decode(&p, raw, sizeof(raw), &e) ||
			 e.flags != (t[i].ahead ? EVENT_AHEAD : 0u);
	}
	tap_ok(!wrong, "a page that is read ahead, by its flags");
	parse(&p, TP_ALLOC, format_alloc);
	tap_ok(!decode(&p, (const uint64_t[]){ 0, 0x1234, 0, ~UINT64_C(0) },
		       32, &e) && !e.flags, "without their names: none");
}

static void test_anon(void)
{
	struct tracefs t = { .anon = { 1, 1, 1 } };

	anon_parse(&t, format_alloc, strlen(format_alloc));
	tap_ok(t.anon[0] == 0x100 && t.anon[1] == 0x8 && t.anon[2] == 0x2,
	       "the flags of a first touch");
	anon_parse(&t, format_alloc_s390, strlen(format_alloc_s390));
	tap_ok(!t.anon[0] && !t.anon[1] && !t.anon[2],
	       "one missing: they cannot be told");
}

/* Also two ids with the same low bits. */
static void test_find(void)
{
	static struct tracefs t;

	t.point[TP_KFREE].id = 5;
	t.point[TP_KMALLOC].id = 5 + POINTS_BY_ID;
	t.by_id[5] = TP_KFREE + 1;
	tap_ok(point_find(&t, 5) == &t.point[TP_KFREE] &&
	       point_find(&t, 5 + POINTS_BY_ID) == &t.point[TP_KMALLOC] &&
	       !point_find(&t, 5 + 2 * POINTS_BY_ID) && !point_find(&t, 0),
	       "points are found by their ids");
}

int main(void)
{
	test_parse();
	test_refused();
	test_records();
	test_irq();
	test_fallback();
	test_problems();
	test_tracepoint_names();
	test_ahead();
	test_anon();
	test_find();
	return tap_plan_done();
}
