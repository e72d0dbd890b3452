/* SPDX-License-Identifier: MIT */
/*
 * source/proc/: ranges of RAM that touch or are many (cases/iomem); modules
 * (cases/modules, proc_modules.h); which are in use (cases/in_use); where they
 * come from (cases/module_dirs); RAM, tasks and free pages of this machine.
 * Single lines of /proc are in cases/texts.
 */
#include <inttypes.h>
#include "limits.h"
#include "base/system.h"
#include "source/proc/proc.h"
#include "cases.h"

static int faked_read_number(const char *path, unsigned int base,
			     uint64_t *value);
static int faked_each_line(const char *path, take_line *take, void *context);

#include "proc_modules.h"

static void take_ram(void *ram, char *line, size_t len)
{
	iomem_line(ram, line, len, 4096);
}

/* A file of tests/fuzz/corpus/iomem, or one line more; then the ranges of RAM. */
static void range_step(const char *text, char *out)
{
	static struct ram ram;
	char path[64], line[64];

	if (strchr(text, ':')) {
		snprintf(line, sizeof(line), "%s", text);
		take_ram(&ram, line, strlen(line));
	} else {
		snprintf(path, sizeof(path), "tests/fuzz/corpus/iomem/%s", text);
		ram.count = 0;
		must(!each_line(path, take_ram, &ram));
	}
	for (uint32_t i = 0; i < ram.count; i++)
		append(out, "%s%" PRIx64 "+%" PRIx64, i ? " " : "",
		       ram.range[i].first_pfn, ram.range[i].count_pages);
}

/* --- modules --- */

/* The module of a case, its files, and lines behind them. */
static struct {
	const char *name, *files;
	char *lines;		/* NULL: there is no such file */
} sys;

/* What the real one makes of a file with that text. */
static int faked_read_number(const char *path, unsigned int base,
			     uint64_t *value)
{
	char module[64], file[32], *at;
	const char *copy;
	int error;

	snprintf(module, sizeof(module), "/sys/module/%s/", sys.name);
	snprintf(file, sizeof(file), " %s ", strrchr(path, '/') + 1);
	at = strstr(sys.files, file);
	if (strncmp(path, module, strlen(module)) || !at)
		return -ENOENT;
	at += strlen(file);
	copy = file_of(at, strcspn(at, ";"));
	error = read_number(copy, base, value);
	unlink(copy);
	return error;
}

static int faked_each_line(const char *path, take_line *take, void *context)
{
	char *line = sys.lines;
	size_t len;

	must(!strcmp(path, "/proc/modules"));
	for (; line; line = line[len] ? line + len + 1 : NULL) {
		char copy[128];

		len = strcspn(line, "\n");
		snprintf(copy, sizeof(copy), "%.*s", (int)len, line);
		take(context, copy, len);
	}
	return sys.lines ? 0 : -ENOENT;
}

/* Each range. */
struct heard {
	struct event_out out;	/* first: it is one */
	char text[OUTCOME_BYTES];
};

static void hear(struct event_out *o, const struct event *e)
{
	char *text = ((struct heard *)o)->text;

	must(e->type == EVENT_MODULE_RANGE && e->time_ns == 99);
	append(text, "%s%s %" PRIx64 "+%" PRIu64 "%s", *text ? ", " : "",
	       e->name, e->base, e->size, e->flags ? " init" : "");
}

static void test_module(struct cases *c)
{
	struct heard h = { .out = { hear } };
	struct event e = { .time_ns = 99 };
	char *const colon = strchr(c->text, ':');
	int error;

	*colon = '\0';
	sys.name = c->text;
	sys.files = colon + 1;
	sys.lines = strchr(colon + 1, '\n');
	if (sys.lines)
		*sys.lines++ = '\0';
	strcpy(e.name, sys.name);
	error = !strcmp(c->reader, "module") ?
		module_ranges(&h.out, &e) :
		proc_modules(&h.out, 99);
	append(h.text, "%s", !error ? "" : error == -ENOENT ? "ENOENT" :
	       error == -ERANGE ? "ERANGE" : error == -EINVAL ? "EINVAL" : "?");
	case_is(c, h.text);
}

/* --- modules in use --- */

static char told[64];

static void hear_name(struct event_out *o, const struct event *e)
{
	(void)o;
	must(e->type == EVENT_IN_USE ||
	     (e->type == EVENT_MODULE_DIR && e->time_ns == 7));
	strcpy(told, e->name);
}

/* What a line of /proc/modules tells, behind those before it. */
static const char *use_of(struct in_use *u, const char *text, size_t len)
{
	strcpy(told, "none");
	in_use_line(u, exact_once(text, len), len);
	return told;
}

static void test_in_use(void)
{
	static struct event_out out = { hear_name };
	static struct in_use u = { .out = &out };
	const char *const line = "busy 9 1 - Live 0x0";
	struct cases c = { .file = NULL };
	char many[32];
	int wrong = 0;

	event_begin(&u.event, EVENT_IN_USE, 7);
	strcpy(u.name[u.names++], "virtio_pci");
	while (next_case(&c, "in_use"))
		case_is(&c, use_of(&u, c.text, c.len));
	for (size_t len = 0; len < strlen("busy 9 1 - Live"); len++)
		wrong += strcmp(use_of(&u, line, len), "none") != 0;
	tap_ok(!wrong, "a line that is cut off tells nothing");
	for (int i = 0; i < 100; i++) {
		snprintf(many, sizeof(many), "m%d 9 1 - Live 0x0", i);
		use_of(&u, many, strlen(many));
		wrong += atoi(told + 1) != i;
	}
	tap_ok(u.names == IN_USE_MAX && !wrong,
	       "so many and no more are known; each is told");
	tap_ok(!strcmp(use_of(&u, "idle 9 0 - Live 0x0", 19), "idle"),
	       "from then on all are in use");
}

/* --- where modules come from --- */

static void test_dir(struct cases *c)
{
	static struct event_out out = { hear_name };
	struct emitter r = { .out = &out };

	strcpy(told, "none");
	event_begin(&r.event, EVENT_MODULE_DIR, 7);
	take_dir(&r, exact_once(c->text, c->len + 1), c->len);
	case_is(c, told);
}

/* --- this machine --- */

struct found {
	struct event_out out;	/* first: it is one */
	uint32_t self, others, wrong;
};

static void look(struct event_out *o, const struct event *e)
{
	struct found *f = (struct found *)o;

	if (e->type != EVENT_TASK || e->tid != e->tgid || e->time_ns != 5)
		f->wrong++;
	else if (e->tid != (uint32_t)getpid())
		f->others++;
	else
		f->self += e->parent_tgid == (uint32_t)getppid();
}

static void test_here(void)
{
	struct found f = { .out = { look } };
	struct ram ram = { .count = 1 };
	const int error = proc_ram(&ram, 4096);

	tap_ok(geteuid() ? error == -ENODATA :
	       !error && ram.count && ram.range[0].count_pages,
	       "%u ranges of RAM here", ram.count);
	tap_ok(!proc_tasks(&f.out, 5) && f.self == 1 && f.others && !f.wrong,
	       "this task, and %u others here", f.others);
}

/* The kernel's own count of a zone, without per-CPU lists. */
static void add_free(void *context, char *line, size_t len)
{
	struct word rest = { line, len }, w;
	uint64_t pages;

	if (word_is(next_word(&rest, &w), "nr_free_pages") &&
	    !word_number(past_blanks(&rest), 10, &pages))
		*(uint64_t *)context += pages;
}

static void test_free_here(void)
{
	uint64_t here, before = 0, after = 0;

	each_line("/proc/zoneinfo", add_free, &before);
	here = proc_free_pages();
	each_line("/proc/zoneinfo", add_free, &after);
	tap_ok(before && here / 3 * 4 >= (before < after ? before : after) &&
	       here / 5 * 4 <= (before < after ? after : before),
	       "free here: %u pages, by the kernel's count %u, then %u",
	       (unsigned int)here, (unsigned int)before, (unsigned int)after);
}

int main(void)
{
	each_step("iomem", NULL, range_step);
	each_case("modules", NULL, test_module);
	test_in_use();
	each_case("module_dirs", NULL, test_dir);
	test_here();
	test_free_here();
	return tap_plan_done();
}
