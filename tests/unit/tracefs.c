/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/format.c: fields and flags out of `format` files as several
 * kernels write them, in memory of their exact size (cases/format); numbers of
 * all sizes, strings at their bounds (cases/fields).
 *
 * source/tracefs/tracepoints.c: what is read of each tracepoint's format, what
 * of a raw record, and what is refused (cases/records); which events of a
 * kernel are used (cases/events).
 */
#include "limits.h"
#include "base/system.h"
#include "source/tracefs/tracefs.h"
#include "cases.h"
#include "formats.h"

static ssize_t faked_readfile(const char *path, char *buf, size_t size);

static int faked_stat(const char *path, struct stat *st);

/* On these, since no machine is all the kernels whose events are to be chosen
 * from. */
#define readfile faked_readfile
#define system_stat_path faked_stat
#include "source/tracefs/format.c"
#include "source/tracefs/tracepoints.c"
#undef readfile
#undef system_stat_path

/* The kernel of a test: the names of its events, with a blank between two. */
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

/* The directory of its tracefs is there. */
static int faked_stat(const char *path, struct stat *st)
{
	char wanted[64];

	(void)st;
	snprintf(wanted, sizeof(wanted), "%s/events", kernel.root);
	return strcmp(path, wanted) ? -1 : 0;
}

static ssize_t faked_readfile(const char *path, char *buf, size_t size)
{
	char wanted[128];
	int len;

	for (const char *at = kernel.events; *at; at += strspn(at, " ")) {
		len = (int)strcspn(at, " ");
		snprintf(wanted, sizeof(wanted), "%s/events/%.*s/format",
			 kernel.root, len, at);
		if (!strcmp(wanted, path))
			return snprintf(buf, size, "%s",
					format_text(file_for(at)));
		at += len;
	}
	return -ENOENT;
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
		[EVENT_MODULE_FREE] = { "module goes", { 0 } },
		[EVENT_LOW] = { "low", { 0 } },
		[EVENT_COMPACTS] = { "compacts", { 0 } },
		[EVENT_COMPACTED] = { "compacted", { 0 } },
		[EVENT_REBOOT] = { "reboot", { 0 } },
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

	snprintf(text + len, sizeof(text) - (size_t)len, "%s%s%s%s%s%s",
		 e->flags & EVENT_AHEAD ? ", read ahead" : "",
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

/* Of a format alone what stands for it: its id, and a record of zeros. */
static void test_record(struct cases *c)
{
	enum tracepoint tp = 0;
	unsigned int len = 0;
	unsigned char raw[160];
	const char *const bytes = strstr(c->text, ": ");
	char file[40], got[240];
	struct point p;
	struct event e;

	while (strcmp(tracepoint_name(tp), c->reader))
		must(++tp < TP_COUNT);
	must(sscanf(c->text, "%39[^,], %u", file, &len) >= 1);
	if (format_point(&p, tp, file)) {
		case_is(c, p.id ? "an id" : "none");
		return;
	}
	must(p.flags.size == 1 && p.flags.offset == 2);
	raw_of(bytes ? bytes + 2 : "", raw);
	if (!len) {
		must(!decode(&p, raw, sizeof(raw), &e));
		snprintf(got, sizeof(got), "id %u: %s", p.id, words(&e));
		case_is(c, got);
		return;
	}
	case_is(c, decode(&p, raw, len, &e) ? "too short" : words(&e));
	if (!strstr(c->text, "+ bytes"))
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

/* Which events of the kernel are used; if a module's name opens a window; what
 * is wrong. */
static void test_events(struct cases *c)
{
	char got[OUTCOME_BYTES] = "";
	struct tracefs t;
	int error;

	kernel.root = strcmp(c->reader, "debugfs") ? "/sys/kernel/tracing" :
						     "/sys/kernel/debug/tracing";
	kernel.events = c->text;
	error = tracefs_read(&t);
	must(!error || error == -ENOENT);
	for (unsigned int tp = 0; !error && tp < TP_COUNT; tp++)
		if (t.point[tp].id)
			append(got, "%s%s", *got ? " " : "",
			       tracepoint_name(tp));
	if (t.point[TP_MODULE_LOAD].set_flags & EVENT_OPENS)
		append(got, " (opens)");
	append(got, "%s%s", *got && *t.problem ? "; " : "", t.problem);
	case_is(c, got);
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

/* --- format.c --- */

enum what { ID, SIZE, FLAG };

/* The id of an event, the size of a field, or a flag. */
static int find(enum what what, const char *text, const char *name,
		uint64_t *value)
{
	const size_t len = strlen(text);
	const char *copy = exact_once(text, len);
	uint32_t id = 0;
	struct field f = { 0 };
	int error;

	*value = 0;
	if (what == FLAG)
		return format_flag(copy, len, name, value);
	error = what == ID ? format_id(copy, len, &id) :
			     format_field(copy, len, name, &f);
	*value = what == SIZE ? f.size : error ? 0 : id;
	return error;
}

/* The outcome of a text, as in cases/format. */
static const char *outcome(enum what what, const char *text, const char *name)
{
	static char number[20];
	uint64_t value;
	const int error = find(what, text, name, &value);

	snprintf(number, sizeof(number), "%llx", (unsigned long long)value);
	return !error ? number : error == -ENOENT ? "not there" :
	       error == -EINVAL ? "none" : "?";
}

/* "FILE, field NAME" or "FILE, flag NAME"; the id of a file alone. */
static const char *of_file(const char *text)
{
	char file[40], kind[8] = "", name[40] = "";

	must(sscanf(text, "%39[^,], %7s %39s", file, kind, name) >= 1);
	return outcome(!*kind ? ID : !strcmp(kind, "field") ? SIZE : FLAG,
		       format_text(file), name);
}

static void test_format(struct cases *c)
{
	case_is(c, c->reader[0] == 'I' ? outcome(ID, c->text, "") :
		   c->reader[0] == 's' ? outcome(SIZE, c->text, "a") :
		   c->reader[0] == 'o' ? of_file(c->text) :
					 outcome(FLAG, c->text, "F"));
}

/* "OFFSET SIZE HOW ROOM BYTES": a field, signed, unsigned or a place (loc), of
 * a record of these bytes: as a number, or as a string, of which nothing is
 * written behind the room. */
static void test_field(struct cases *c)
{
	unsigned int offset, size, room;
	char how[16], got[32];
	uint64_t value;
	struct field f;
	const unsigned char *raw;
	size_t len;
	int at, error;

	must(sscanf(c->text, "%u %u %15s %u %n", &offset, &size, how, &room,
		    &at) == 4);
	f = (struct field){ (uint16_t)offset, (uint16_t)size, *how == 's',
			    *how == 'l' };
	len = c->len - (size_t)at;
	raw = exact_once(c->text + at, len);
	memset(got, '#', sizeof(got));
	if (!strcmp(c->reader, "number")) {
		error = field_u64(&f, raw, len, &value);
		snprintf(got, sizeof(got), "%llx", (unsigned long long)value);
	} else {
		error = field_string(&f, raw, len, got, room);
		if (!error && got[room] != '#')
			strcpy(got, "too long");
	}
	case_is(c, !error ? got : error == -EINVAL ? "none" : "?");
}

int main(void)
{
	each_case("format", NULL, test_format);
	each_case("fields", NULL, test_field);
	each_case("records", NULL, test_record);
	each_case("events", NULL, test_events);
	test_irq();
	test_tracepoint_names();
	test_anon();
	test_find();
	return tap_plan_done();
}
