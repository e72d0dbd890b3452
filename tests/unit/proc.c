/* SPDX-License-Identifier: MIT */
/*
 * source/proc/: ranges of RAM that touch or are many; modules, which are those
 * of texts in this file (proc_modules.h); which are in use (cases/in_use); RAM,
 * tasks and free pages of this machine. Single lines of /proc are in
 * cases/texts.
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

static int range_is(const struct ram *ram, uint32_t i, uint64_t first,
		    uint64_t count)
{
	return ram->range[i].first_pfn == first &&
	       ram->range[i].count_pages == count;
}

static void take_ram(void *ram, char *line, size_t len)
{
	iomem_line(ram, line, len, 4096);
}

/* Memory that a driver plugged in lies within the driver's own range, in pieces
 * that touch; RAM inside RAM is counted once. If there are more ranges than
 * there is room for, all of RAM stays within one of them. */
static void test_ranges(void)
{
	const uint32_t last = RAM_RANGES_MAX - 1;
	char inside[] = "1f0000-1f0fff : System RAM";
	struct ram ram = { .count = 0 };

	each_line("tests/fuzz/corpus/iomem/plugged", take_ram, &ram);
	tap_ok(ram.count == 3 && range_is(&ram, 1, 0x100000, 0x50000) &&
	       range_is(&ram, 2, 0x410000, 0x1f0000),
	       "RAM with what virtio-mem added to it; RAM of a DAX device");
	ram.count = 0;
	each_line("tests/fuzz/corpus/iomem/many", take_ram, &ram);
	tap_ok(ram.count == RAM_RANGES_MAX && range_is(&ram, 0, 0, 3) &&
	       range_is(&ram, last, last << 4, ((39 - last) << 4) + 3),
	       "the last one of many reaches over the gaps to the rest");
	take_ram(&ram, inside, strlen(inside));
	tap_ok(range_is(&ram, last, last << 4, ((39 - last) << 4) + 3),
	       "and does not shrink for one inside it");
}

/* --- modules --- */

#define SYS "/sys/module/"

static const struct fake_file {
	const char *path, *text;
} machine[] = {
	{ SYS "ext4/sections/.text", "0xffffffffc0a12000\n" },
	{ SYS "ext4/sections/.init.text", "0xffffffffc0b00000\n" },
	{ SYS "ext4/coresize", "1130000\n" },
	{ SYS "ext4/initsize", "8192\n" },
	{ SYS "run/sections/.text", "0xffffffffc0a12040" },
	{ SYS "run/sections/.init.text", "0xffffffffc0c00000" },
	{ SYS "run/coresize", "4096\n" },
	{ SYS "run/initsize", "0\n" },
	{ SYS "hidden/sections/.text", "0x0000000000000000\n" },
	{ SYS "hidden/coresize", "4096\n" },
	{ SYS "odd/sections/.text", "0xffffffffc0a1200g\n" },
	{ SYS "odd/coresize", "4096\n" },
	{ SYS "sizeless/sections/.text", "0xfff000\n" },
	{ "/proc/modules",
	  "ext4 1130496 1 - Live 0xffffffffc0a12000\n"
	  "loop 40960 2 ext4,squashfs, Live 0xffffffffc0900000 (OE)\n"
	  "hidden 4096 0 - Live 0x0000000000000000\n"
	  "loading 4096 0 - Loading 0xffffffffc0800000\n"
	  "short 4096 0 - Live\n"
	  "size x 0 - Live 0xffffffffc0700000\n"
	  "\n"
	  " 4096 0 - Live 0xffffffffc0700000\n"
	  "fifty-six-bytes-are-one-too-many-for-any-module-name-456"
	  " 4096 0 - Live 0xffffffffc0700000\n"
	  "a 1 0 - L 0\n"
	  "last 4096 0 - Live 0xffffffffc0600000" },
	{ NULL, NULL },
};

static const struct fake_file *files = machine;

static const char *fake_text(const char *path)
{
	const struct fake_file *f = files;

	while (f->path && strcmp(f->path, path))
		f++;
	return f->text;
}

/* What the real one makes of a file with that text. */
static int faked_read_number(const char *path, unsigned int base,
			     uint64_t *value)
{
	const char *text = fake_text(path), *copy;
	int error;

	if (!text)
		return -ENOENT;
	copy = file_of(text, strlen(text));
	error = read_number(copy, base, value);
	unlink(copy);
	return error;
}

static int faked_each_line(const char *path, take_line *take, void *context)
{
	const char *text = fake_text(path);
	char line[128];

	for (size_t len; text && *text; text += len + (text[len] != 0)) {
		len = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		take(context, line, len);
	}
	return text ? 0 : -ENOENT;
}

/* A line for each range. */
struct heard {
	struct event_out out;	/* first: it is one */
	char text[500];
};

static void hear(struct event_out *o, const struct event *e)
{
	char *text = ((struct heard *)o)->text;

	text += strlen(text);
	if (e->type == EVENT_MODULE_RANGE && e->time_ns == 99)
		sprintf(text, "%s %" PRIx64 "+%" PRIu64 "%s\n", e->name,
			e->base, e->size, e->flags ? " init" : "");
	else
		strcpy(text, "?");
}

static void test_modules(void)
{
	static const struct {
		const char *name;
		int error;
		const char *want, *what;
	} t[] = {
		{ "ext4", 0, "ext4 ffffffffc0a12000+1130000\n"
		  "ext4 ffffffffc0b00000+8192 init\n", "core and init text" },
		{ "run", 0, "run ffffffffc0a12000+4096\n",
		  "init has run: the core, from the start of its page" },
		{ "gone", -ENOENT, "", "a module that is gone" },
		{ "sizeless", -ENOENT, "", "or going" },
		{ "hidden", -ERANGE, "", "an address that is hidden" },
		{ "odd", -EINVAL, "", "or none" },
		{ "../ext4", -EINVAL, "", "a name that is another file's" },
		{ "a/b", -EINVAL, "", "a file in another folder" },
		{ ".", -EINVAL, "", "the folder" },
		{ "", -EINVAL, "", "no name" },
	};
	struct heard h;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct event e = { .time_ns = 99 };
		int error;

		h = (struct heard){ .out = { hear } };
		strcpy(e.name, t[i].name);
		error = faked_module_ranges(&h.out, &e);
		tap_ok(error == t[i].error && !strcmp(h.text, t[i].want),
		       "ranges of '%s': %s", t[i].name, t[i].what);
	}
	h.text[0] = '\0';
	tap_ok(!faked_proc_modules(&h.out, 99) && !strcmp(h.text,
	       "ext4 ffffffffc0a12000+1130000\n"
	       "ext4 ffffffffc0b00000+8192 init\n"
	       "loop ffffffffc0900000+40960\n"
	       "loading ffffffffc0800000+4096\n"
	       "last ffffffffc0600000+4096\n"),
	       "/proc/modules: only where /sys has nothing, and no odd line");
	files = &machine[ARRAY_LEN(machine) - 1];
	tap_ok(faked_proc_modules(&h.out, 99) == -ENOENT,
	       "a kernel without modules");
}

/* --- modules in use --- */

static char told[64];

static void hear_use(struct event_out *o, const struct event *e)
{
	(void)o;
	must(e->type == EVENT_IN_USE);
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
	static struct event_out out = { hear_use };
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
	test_ranges();
	test_modules();
	test_in_use();
	test_here();
	test_free_here();
	return tap_plan_done();
}
