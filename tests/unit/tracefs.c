/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/tracepoints.c: what is read of each tracepoint's format, what
 * of a raw record, and what is refused.
 */
#include "limits.h"
#include "base/readfile.h"
#include "source/tracefs/tracepoints.h"
#include "cases.h"
#include "formats.h"

static ssize_t faked_readfile(const char *path, char *buf, size_t size);

#include "tracefs_faked.h"

/* The kernel of a test: the names of its events, with a blank behind each. */
static struct {
	const char *root, *events;
} kernel;

/* A file that has the fields of the events whose names begin so. */
static const char *file_for(const char *event)
{
	static const struct {
		const char *begin, *file;
	} t[] = {
		{ "kmem/mm_page_free", "mm_page_free-6.18" },
		{ "kmem/mm_page_alloc", "mm_page_alloc-6.18" },
		{ "module/", "module_load-6.1" },
		{ "syscalls/", "sys_exit_finit_module-6.1" },
		{ "raw_syscalls/", "sys_exit" },
		{ "initcall/", "initcall_finish-7.2" },
		{ "memstrack/enter", "memstrack_enter" },
		{ "cma/", "cma_alloc_finish-7.2" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		if (!strncmp(event, t[i].begin, strlen(t[i].begin)))
			return t[i].file;
	return "memstrack_bulk";
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
			return snprintf(buf, size, "%s",
					format_text(file_for(at)));
	}
	return -ENOENT;
}

/* Formats of which no record is read below. */
static void test_parse(void)
{
	static const struct {
		enum tracepoint tp;
		const char *file;
		uint32_t id, type;
	} t[] = {
		{ TP_ALLOC, "mm_page_alloc-6.1", 542, EVENT_ALLOC },
		{ TP_ALLOC, "mm_page_alloc-5.10", 521, EVENT_ALLOC },
		{ TP_MODULE_FREE, "module_free-6.1", 356, EVENT_MODULE_FREE },
		{ TP_ENTER_INIT_MODULE, "sys_enter_finit_module-7.2", 387,
		  EVENT_LOAD_ENTER },
		{ TP_EXIT_INIT_MODULE, "sys_exit_finit_module-6.1", 347,
		  EVENT_LOAD_EXIT },
		{ TP_RAW_ENTER, "sys_enter-7.2", 385, EVENT_LOAD_ENTER },
		{ TP_RAW_EXIT, "sys_exit", 21, EVENT_LOAD_EXIT },
		{ TP_CMA, "cma_alloc-5.10", 400, EVENT_BULK },
		{ TP_LOW, "sys_enter_finit_module-7.2", 387, EVENT_LOW },
		{ TP_COMPACTS, "sys_enter_finit_module-7.2", 387,
		  EVENT_COMPACTS },
		{ TP_COMPACTED, "sys_enter_finit_module-7.2", 387,
		  EVENT_COMPACTED },
		{ TP_ENTER_REBOOT, "sys_enter_finit_module-7.2", 387,
		  EVENT_REBOOT },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct point p;
		int error = format_point(&p, t[i].tp, t[i].file);

		tap_ok(!error && p.id == t[i].id &&
		       p.type == t[i].type && p.flags.size == 1 &&
		       p.flags.offset == 2, "%s, id %u",
		       tracepoint_name(t[i].tp), p.id);
	}
}

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

/* The record in memory of its exact size. */
static int decode(const struct point *p, const void *raw, size_t len,
		  struct event *e)
{
	memset(e, 0x5a, sizeof(*e));
	return point_decode(p, exact_once(raw, len), len, e);
}

#define TEXT_AT 48

/* The bytes that the words of cases/records mean. */
static void raw_of(const char *words, unsigned char raw[160])
{
	memset(raw, 0, 160);
	for (size_t at = 0; *words && !strchr("'I", *words); at += 8) {
		char *end;
		const uint64_t word = strtoull(words, &end, 16);
		uint32_t two[2] = { (uint32_t)word };

		memcpy(raw + at, &word, 8);
		if (*end == '/') {
			two[1] = (uint32_t)strtoul(end + 1, &end, 16);
			memcpy(raw + at, two, 8);
		}
		words = end + strspn(end, " ");
	}
	if (*words == '\'')
		strcpy((char *)raw + TEXT_AT, words + 1);
	else if (!strcmp(words, "IRQ"))
		raw[2] = 8;
}

static void test_record(const struct cases *c)
{
	enum tracepoint tp = 0;
	unsigned int len = 0;
	unsigned char raw[160];
	char file[40];
	int at = 0;
	struct point p;
	struct event e;

	while (strcmp(tracepoint_name(tp), c->reader))
		must(++tp < TP_COUNT);
	must(sscanf(c->text, "%39[^,], %u bytes: %n", file, &len, &at) >= 1);
	if (format_point(&p, tp, file)) {
		case_is(c, p.id ? "an id" : "none");
		return;
	}
	raw_of(c->text + at, raw);
	case_is(c, decode(&p, raw, len, &e) ? "too short" : words(&e));
	tap_ok(decode(&p, raw, len - 1, &e) == -EINVAL, "a byte less");
}

static void test_irq(void)
{
	uint32_t wrong = 0;
	struct point p;

	format_point(&p, TP_ALLOC, "mm_page_alloc-6.18");
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

	format_point(&p, TP_ALLOC, "mm_page_alloc-6.1");
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const uint64_t raw[] = { 0, 0x1234, 0, t[i].gfp };

		wrong += decode(&p, raw, sizeof(raw), &e) ||
			 e.flags != (t[i].ahead ? EVENT_AHEAD : 0u);
	}
	tap_ok(!wrong, "a page that is read ahead, by its flags");
	format_point(&p, TP_ALLOC, "mm_page_alloc-s390");
	tap_ok(!decode(&p, (const uint64_t[]){ 0, ~UINT64_C(0), 0, 0x1234 },
		       32, &e) && !e.flags, "without their names: none");
}

static void test_anon(void)
{
	struct tracefs t = { .anon = { 1, 1, 1 } };
	const char *text = format_text("mm_page_alloc-6.18");

	anon_parse(&t, text, strlen(text));
	tap_ok(t.anon[0] == 0x100 && t.anon[1] == 0x8 && t.anon[2] == 0x2,
	       "the flags of a first touch");
	text = format_text("mm_page_alloc-s390");
	anon_parse(&t, text, strlen(text));
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
	struct cases c = { .file = NULL };

	while (next_case(&c, "records"))
		test_record(&c);
	test_parse();
	test_irq();
	test_fallback();
	test_problems();
	test_tracepoint_names();
	test_ahead();
	test_anon();
	test_find();
	return tap_plan_done();
}
