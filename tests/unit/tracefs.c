/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/tracepoints.c: what is read of each tracepoint's format, what of a raw
 * record, and what is refused.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "limits.h"
#include "base/readfile.h"
#include "source/tracefs/tracepoints.h"
#include "formats.h"
#include "tap.h"

static ssize_t faked_readfile(const char *path, char *buf, size_t size);

#include "tracefs_faked.h"

/* A kernel's events and what their files say; nothing ends them. */
struct kernel {
	struct {
		const char *event, *format;
	} file[TP_COUNT + 1];
	const char *root;
};

static const struct kernel **kernel_now(void)
{
	static const struct kernel *one;

	return &one;
}

static ssize_t faked_readfile(const char *path, char *buf, size_t size)
{
	const struct kernel *k = *kernel_now();
	char wanted[128];

	for (size_t i = 0; k->file[i].event; i++) {
		snprintf(wanted, sizeof(wanted), "%s/events/%s/format",
			 k->root, k->file[i].event);
		if (strcmp(wanted, path))
			continue;
		snprintf(buf, size, "%s", k->file[i].format);
		return (ssize_t)strlen(buf);
	}
	return -ENOENT;
}

static int has_text(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

static int parse(struct point *p, enum tracepoint tp, const char *text)
{
	return point_parse(p, tp, text, strlen(text));
}

/* The raw record in memory of its exact size. */
static int decode(const struct point *p, const void *raw, size_t len,
		  struct event *e)
{
	unsigned char *copy = malloc(len ? len : 1);
	int error;

	if (!copy)
		abort();
	memcpy(copy, raw, len);
	memset(e, 0x5a, sizeof(*e));
	error = point_decode(p, copy, len, e);
	free(copy);
	return error;
}

static void test_parse(void)
{
	static const struct {
		enum tracepoint tp;
		const char *text;
		uint32_t id, type;
	} t[] = {
		{ TP_ALLOC, format_alloc, 653, EVENT_ALLOC },
		{ TP_ALLOC, format_alloc_6_1, 542, EVENT_ALLOC },
		{ TP_ALLOC, format_alloc_5_10, 459, EVENT_ALLOC },
		{ TP_ALLOC, format_alloc_32, 300, EVENT_ALLOC },
		{ TP_ALLOC, format_alloc_s390, 301, EVENT_ALLOC },
		{ TP_FREE, format_free, 655, EVENT_FREE },
		{ TP_MODULE_LOAD, format_module_load, 357, EVENT_MODULE_LOAD },
		{ TP_MODULE_FREE, format_module_free, 356, EVENT_MODULE_FREE },
		{ TP_ENTER_FINIT_MODULE, format_enter, 348, EVENT_LOAD_ENTER },
		{ TP_ENTER_INIT_MODULE, format_enter, 348, EVENT_LOAD_ENTER },
		{ TP_EXIT_FINIT_MODULE, format_exit, 347, EVENT_LOAD_EXIT },
		{ TP_EXIT_INIT_MODULE, format_exit, 347, EVENT_LOAD_EXIT },
		{ TP_RAW_ENTER, format_raw_enter, 22, EVENT_LOAD_ENTER },
		{ TP_RAW_EXIT, format_raw_exit, 21, EVENT_LOAD_EXIT },
		{ TP_INITCALL, format_initcall, 24, EVENT_LOAD_EXIT },
		{ TP_BULK, format_bulk, 1540, EVENT_BULK },
		{ TP_AREA_ENTER, format_area_enter, 1541, EVENT_AREA_ENTER },
		{ TP_AREA_ALLOC, format_bulk, 1540, EVENT_AREA_ALLOC },
		{ TP_AREA_FREE, format_bulk, 1540, EVENT_AREA_FREE },
		{ TP_CMA, format_cma, 480, EVENT_BULK },
		{ TP_CMA, format_cma_5_10, 400, EVENT_BULK },
		{ TP_VICTIM, format_victim, 455, EVENT_VICTIM },
		{ TP_VICTIM, format_victim_6_18, 609, EVENT_VICTIM },
		{ TP_LOW, format_enter, 348, EVENT_LOW },
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
		{ TP_ALLOC, "", "nothing" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct point p;

		tap_ok(parse(&p, t[i].tp, t[i].text) == -EINVAL && !p.id,
		       "refused: %s", t[i].why);
	}
}

struct alloc_64 {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint64_t pfn;
	uint32_t order, pad;
	uint64_t gfp;
	int32_t migrate;
};

static void test_pages(void)
{
	struct alloc_64 raw = { .pfn = 0x12345, .order = 9 };
	struct point p;
	struct event e;
	uint32_t wrong = 0;

	parse(&p, TP_ALLOC, format_alloc);
	tap_ok(!decode(&p, &raw, sizeof(raw), &e) && e.type == EVENT_ALLOC &&
	       e.pfn == 0x12345 && e.order == 9 && !e.flags, "a page");
	raw.pfn = UINT64_MAX;
	tap_ok(!decode(&p, &raw, sizeof(raw), &e) && e.pfn == UINT64_MAX,
	       "a failed allocation");
	raw.order = UINT32_MAX;
	tap_ok(!decode(&p, &raw, sizeof(raw), &e) && e.order == UINT32_MAX,
	       "an order that is left to the ledger");
	for (size_t len = 0; len < 20; len++)
		wrong += decode(&p, &raw, len, &e) != -EINVAL;
	tap_ok(!wrong && !decode(&p, &raw, 20, &e),
	       "shorter than its fields: does not fit");
}

static void test_irq(void)
{
	struct alloc_64 raw = { .pfn = 1 };
	struct point p;
	struct event e;

	parse(&p, TP_ALLOC, format_alloc);
	for (unsigned int bit = 0; bit < 8; bit++) {
		raw.flags = (uint8_t)(1u << bit);
		decode(&p, &raw, sizeof(raw), &e);
		tap_ok(e.flags == (bit == 3 || bit == 4 || bit == 6 ?
				   EVENT_IRQ : 0u), "common_flags %x: %s",
		       raw.flags, e.flags ? "in interrupt" : "not");
	}
	raw.flags = 0xff;
	tap_ok(!decode(&p, &raw, sizeof(raw), &e) && e.flags == EVENT_IRQ,
	       "all of them");
}

static void test_other_sizes(void)
{
	const uint32_t narrow[6] = { 300, 0, 77, 3, 0, 0 };
	const uint32_t failed[6] = { 300, 0, UINT32_MAX, 3, 0, 0 };
	uint64_t wide[5] = { 301, 0, 4, 99, 0 };
	struct point p;
	struct event e;

	parse(&p, TP_ALLOC, format_alloc_32);
	tap_ok(!decode(&p, narrow, sizeof(narrow), &e) && e.pfn == 77 &&
	       e.order == 3, "a pfn of 4 bytes");
	tap_ok(!decode(&p, failed, sizeof(failed), &e) &&
	       e.pfn == UINT64_MAX, "-1 is a failed allocation there, too");
	parse(&p, TP_ALLOC, format_alloc_s390);
	tap_ok(!decode(&p, wide, sizeof(wide), &e) && e.pfn == 99 &&
	       e.order == 4, "an order of 8 bytes");
	wide[2] = UINT64_C(1) << 32;
	tap_ok(!decode(&p, wide, sizeof(wide), &e) && e.order == UINT32_MAX,
	       "a large one does not become small");
}

static void test_names(void)
{
	unsigned char raw[100] = { 0 };
	const uint32_t loc = 16u | 9u << 16, all = 16u | 84u << 16;
	struct point p;
	struct event e;

	memcpy(raw + 12, &loc, 4);
	memcpy(raw + 16, "squashfs", 9);
	parse(&p, TP_MODULE_LOAD, format_module_load);
	tap_ok(!decode(&p, raw, 25, &e) && e.type == EVENT_MODULE_LOAD &&
	       !strcmp(e.name, "squashfs"), "the name of a module");
	tap_ok(decode(&p, raw, 24, &e) == -EINVAL, "cut off: does not fit");
	memset(raw + 16, 'x', 84);
	memcpy(raw + 12, &all, 4);
	tap_ok(!decode(&p, raw, 100, &e) &&
	       strlen(e.name) == MODULE_NAME_BYTES - 1,
	       "a name longer than any is cut");
	parse(&p, TP_ENTER_FINIT_MODULE, format_enter);
	tap_ok(!decode(&p, raw, 3, &e) && e.type == EVENT_LOAD_ENTER,
	       "of an entry nothing but the flags is needed");
}

static void test_results(void)
{
	int64_t raw[3] = { 347, 0, -17 };
	struct point p;
	struct event e;

	parse(&p, TP_EXIT_FINIT_MODULE, format_exit);
	tap_ok(!decode(&p, raw, 24, &e) && e.type == EVENT_LOAD_EXIT &&
	       e.result == -17, "what a system call returned");
	tap_ok(decode(&p, raw, 23, &e) == -EINVAL, "cut off");
	p.number.size = 4;
	memcpy((char *)raw + 16, &(int32_t){ -5 }, 4);
	tap_ok(!decode(&p, raw, 24, &e) && e.result == -5, "in 4 bytes");
}

static void test_numbers(void)
{
	uint64_t raw[6] = { 0, 0, 0, 0, 0, 0 };
	struct point p;
	struct event e;

	raw[2] = 100;
	parse(&p, TP_BULK, format_bulk);
	tap_ok(!decode(&p, raw, 24, &e) && e.type == EVENT_BULK &&
	       e.pages == 100 && !e.flags, "pages in bulk");
	tap_ok(decode(&p, raw, 23, &e) == -EINVAL, "cut off");
	((unsigned char *)raw)[2] = 0x10;
	tap_ok(!decode(&p, raw, 24, &e) && e.flags == EVENT_IRQ,
	       "in an interrupt");
	raw[0] = 0;
	raw[2] = 0xffffc90000005000;
	parse(&p, TP_AREA_ALLOC, format_bulk);
	tap_ok(!decode(&p, raw, 24, &e) && e.type == EVENT_AREA_ALLOC &&
	       e.base == 0xffffc90000005000, "where an area lies");
	parse(&p, TP_AREA_FREE, format_bulk);
	tap_ok(!decode(&p, raw, 24, &e) && e.type == EVENT_AREA_FREE &&
	       e.base == 0xffffc90000005000, "where one goes");
	parse(&p, TP_AREA_ENTER, format_area_enter);
	tap_ok(!decode(&p, raw, 24, &e) && e.type == EVENT_AREA_ENTER &&
	       e.chain_len == 1 && e.chain[0] == 0xffffc90000005000,
	       "who asks for one is a chain of one frame");
	raw[2] = 0;
	tap_ok(!decode(&p, raw, 24, &e) && !e.chain_len,
	       "or none, where it is not known");
	raw[4] = 256;
	parse(&p, TP_CMA, format_cma);
	tap_ok(!decode(&p, raw, 48, &e) && e.type == EVENT_BULK &&
	       e.flags == EVENT_CMA && e.pages == 256,
	       "contiguous memory is in bulk, marked");
	((unsigned char *)raw)[2] = 0x08;
	tap_ok(!decode(&p, raw, 48, &e) && e.flags == (EVENT_CMA | EVENT_IRQ),
	       "in an interrupt too");
	raw[1] = 0xffffffff00000000 | 4711;
	parse(&p, TP_VICTIM, format_victim);
	tap_ok(!decode(&p, raw, 12, &e) && e.type == EVENT_VICTIM &&
	       e.result == 4711, "whom the OOM killer chose");
	parse(&p, TP_VICTIM, format_victim_6_18);
	tap_ok(!decode(&p, raw, 24, &e) && e.result == 4711,
	       "with his name behind");
	tap_ok(decode(&p, raw, 11, &e) == -EINVAL, "cut off");
}

/* Which ids are there: a bit each. */
static uint32_t found(const struct kernel *k, struct tracefs *t, int *error)
{
	uint32_t bits = 0;

	*kernel_now() = k;
	*error = faked_tracefs_read(t);
	for (unsigned int tp = 0; tp < TP_COUNT; tp++)
		bits |= t->point[tp].id ? 1u << tp : 0u;
	return bits;
}

#define PAGES "kmem/mm_page_free", format_free }, \
	{ "kmem/mm_page_alloc", format_alloc
#define MODULES "module/module_load", format_module_load }, \
	{ "module/module_free", format_module_free
#define CALLS "syscalls/sys_enter_init_module", format_enter }, \
	{ "syscalls/sys_enter_finit_module", format_enter }, \
	{ "syscalls/sys_exit_init_module", format_exit }, \
	{ "syscalls/sys_exit_finit_module", format_exit
#define PROBED "memstrack/loaded", format_bulk }, \
	{ "memstrack/load", format_enter
#define RAW "raw_syscalls/sys_enter", format_raw_enter }, \
	{ "raw_syscalls/sys_exit", format_raw_exit
#define INITCALL "initcall/initcall_finish", format_initcall

#define BIT(tp) (1u << (tp))
#define FOUND_PAGES (BIT(TP_FREE) | BIT(TP_ALLOC))
#define FOUND_MODULES (FOUND_PAGES | BIT(TP_MODULE_LOAD) | BIT(TP_MODULE_FREE))
#define FOUND_PROBED (BIT(TP_LOAD_ENTER) | BIT(TP_LOAD_EXIT))
#define FOUND_CALLS (BIT(TP_ENTER_INIT_MODULE) | BIT(TP_ENTER_FINIT_MODULE) | \
		     BIT(TP_EXIT_INIT_MODULE) | BIT(TP_EXIT_FINIT_MODULE))

static void test_fallback(void)
{
	static const char first[] = "/sys/kernel/tracing";
	static const struct {
		struct kernel kernel;
		uint32_t found;
		const char *what;
	} t[] = {
		{ { { { PAGES }, { MODULES }, { PROBED }, { CALLS }, { RAW },
		      { INITCALL } }, first },
		  FOUND_MODULES | FOUND_PROBED, "our own probes first" },
		{ { { { PAGES }, { MODULES }, { "memstrack/load",
			format_enter }, { CALLS } }, first },
		  FOUND_MODULES | FOUND_CALLS, "half of them is none" },
		{ { { { PAGES }, { MODULES }, { CALLS }, { RAW },
		      { INITCALL } }, first },
		  FOUND_MODULES | FOUND_CALLS,
		  "without them, its own system calls" },
		{ { { { PAGES }, { MODULES }, { RAW }, { INITCALL } }, first },
		  FOUND_MODULES | BIT(TP_RAW_ENTER) | BIT(TP_RAW_EXIT),
		  "without them, all system calls" },
		{ { { { PAGES }, { MODULES }, { INITCALL } }, first },
		  FOUND_MODULES | BIT(TP_INITCALL),
		  "without these, the end of init functions" },
		{ { { { PAGES }, { RAW }, { INITCALL } }, first },
		  FOUND_PAGES, "a kernel without modules needs none of it" },
		{ { { { PAGES }, { MODULES } }, first },
		  FOUND_MODULES, "with none of these, modules have no window" },
		{ { { { PAGES }, { MODULES }, { RAW } },
		    "/sys/kernel/debug/tracing" },
		  FOUND_MODULES | BIT(TP_RAW_ENTER) | BIT(TP_RAW_EXIT),
		  "in debugfs as well" },
	};
	struct tracefs got;
	int error;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		uint32_t bits = found(&t[i].kernel, &got, &error);
		uint32_t opens = got.point[TP_INITCALL].id ? EVENT_OPENS : 0;

		tap_ok(!error && bits == t[i].found, "%s: %x", t[i].what, bits);
		tap_ok(got.point[TP_MODULE_LOAD].set_flags == opens,
		       "%s: a name opens a window%s", t[i].what,
		       opens ? "" : " not");
	}
}

static void test_probed(void)
{
	static const struct kernel probed = { { { PAGES },
		{ "memstrack/bulk", format_bulk },
		{ "memstrack/enter", format_area_enter },
		{ "memstrack/leave", format_bulk },
		{ "memstrack/free", format_bulk },
		{ "cma/cma_alloc_finish", format_cma } },
		"/sys/kernel/tracing" };
	static const struct kernel reboots = { { { PAGES },
		{ "memstrack/reboot", format_enter },
		{ "syscalls/sys_enter_reboot", format_enter } },
		"/sys/kernel/tracing" };
	static const struct kernel calls = { { { PAGES },
		{ "syscalls/sys_enter_reboot", format_enter } },
		"/sys/kernel/tracing" };
	static const struct kernel without = { { { MODULES } },
		"/sys/kernel/tracing" };
	static const struct kernel odd = { { { PAGES },
		{ "cma/cma_alloc_finish", format_bulk } },
		"/sys/kernel/tracing" };
	struct tracefs t;
	int error;
	uint32_t bits = found(&probed, &t, &error);

	tap_ok(!error && bits == (FOUND_PAGES | BIT(TP_BULK) |
				  BIT(TP_AREA_ENTER) | BIT(TP_AREA_ALLOC) |
				  BIT(TP_AREA_FREE) | BIT(TP_CMA)),
	       "probes and contiguous memory: %x", bits);
	bits = found(&reboots, &t, &error);
	tap_ok(!error && bits == (FOUND_PAGES | BIT(TP_REBOOT)),
	       "a reboot by our probe: %x", bits);
	bits = found(&calls, &t, &error);
	tap_ok(!error && bits == (FOUND_PAGES | BIT(TP_ENTER_REBOOT)),
	       "without it, by the system call: %x", bits);
	found(&without, &t, &error);
	tap_ok(error == -ENOENT && has_text(t.problem, "kmem/mm_page_alloc"),
	       "no page events: %s", t.problem);
	bits = found(&odd, &t, &error);
	tap_ok(!error && bits == FOUND_PAGES &&
	       has_text(t.problem, "cma/cma_alloc_finish: a format"),
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

/* On this machine, whatever it is. */
static void test_here(void)
{
	static const char file[] = "/sys/kernel/tracing/events/%s/format";
	struct tracefs t = { .slab = 1 };
	int error = tracefs_read(&t);
	uint32_t wrong = 0;
	char path[128];

	snprintf(path, sizeof(path), file, tracepoint_name(TP_ALLOC));
	if (access(path, R_OK)) {
		tap_ok(error && t.problem[0], "no tracefs here: %s",
		       t.problem);
		return;
	}
	tap_ok(!error, "tracefs is read here");
	for (enum tracepoint tp = 0; tp < TP_COUNT; tp++) {
		/* Some are read only where others are missing. */
		const int always = tp < TP_RAW_ENTER ||
				   (tp > TP_INITCALL && tp < TP_VMAP);
		const int has_id = t.point[tp].id != 0;
		int there;

		snprintf(path, sizeof(path), file, tracepoint_name(tp));
		there = !access(path, R_OK);
		wrong += always ? has_id != there : has_id && !there;
	}
	tap_ok(!wrong, "every event that is there has an id, no other");
	tap_ok(t.anon[0] && t.anon[1] && t.anon[2],
	       "the flags of a first touch can be told here");
	t.slab = 0;
	wrong = 0;
	tracefs_read(&t);
	for (enum tracepoint tp = TP_KMALLOC; tp <= TP_CACHE_FREE; tp++)
		wrong += t.point[tp].id != 0;
	tap_ok(!wrong, "those of slab only where they are asked for");
}

int main(void)
{
	test_parse();
	test_refused();
	test_pages();
	test_irq();
	test_other_sizes();
	test_names();
	test_results();
	test_numbers();
	test_fallback();
	test_probed();
	test_tracepoint_names();
	test_anon();
	test_here();
	return tap_plan_done();
}
