/* SPDX-License-Identifier: MIT */
/*
 * source/proc/proc.c and source/proc/modules.c: lines of /proc and /sys as kernels
 * write them and as they do not; what runs here is found. Modules are those of
 * texts in this file (proc_modules.h).
 */
#include <errno.h>
#include <string.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "limits.h"
#include "source/proc/proc.h"
#include "base/readfile.h"
#include "exact.h"
#include "tap.h"

static int faked_read_number(const char *path, unsigned int base,
			     uint64_t *value);
static int faked_each_line(const char *path, void (*take)(void *context,
			   char *line, size_t len), void *context);

#include "proc_modules.h"

static int iomem(struct ram *ram, const char *line, uint32_t page_size)
{
	char *copy = exact(line, strlen(line));
	int taken = iomem_line(ram, copy, strlen(line), page_size);

	free(copy);
	return taken;
}

static void test_iomem(void)
{
	static const struct {
		const char *line;
		uint32_t page_size;
		uint64_t first, count;	/* count 0: not taken */
	} t[] = {
		{ "00100000-0bfdffff : System RAM", 4096, 0x100, 0xbee0 },
		{ "00001000-0009fbff : System RAM", 4096, 1, 0x9e },
		{ "100000000-43fffffff : System RAM", 4096, 0x100000,
		  0x340000 },
		{ "280000800-2800027ff : System RAM", 4096, 0x280001, 1 },
		{ "00000000-00000fff : System RAM", 4096, 0, 1 },
		{ "0-ffff : System RAM", 65536, 0, 1 },
		{ "0-fffe : System RAM", 65536, 0, 0 },
		{ "1-1fffe : System RAM", 65536, 0, 0 },
		{ "00000000-00000000 : System RAM", 4096, 0, 0 },
		{ "00001000-00000fff : System RAM", 4096, 0, 0 },
		{ "  01000000-01ffffff : System RAM", 4096, 0x1000, 0x1000 },
		{ "  140000000-147ffffff : System RAM (virtio_mem)", 4096,
		  0x140000, 0x8000 },
		{ "    150000000-33fffffff : System RAM (kmem)", 4096,
		  0x150000, 0x1f0000 },
		{ "  01000000-01ffffff : Kernel code", 4096, 0, 0 },
		{ "00100000-0bfdffff : System RAM ", 4096, 0, 0 },
		{ "00100000-0bfdffff : System RAM (kmem", 4096, 0, 0 },
		{ "00100000-0bfdffff : System RAM (", 4096, 0, 0 },
		{ "00100000-0bfdffff : System RAM(kmem)", 4096, 0, 0 },
		{ "00100000-0bfdffff : System ROM", 4096, 0, 0 },
		{ "00100000-0bfdffff : Not System RAM", 4096, 0, 0 },
		{ "140000000-33fffffff : Persistent Memory", 4096, 0, 0 },
		{ "00100000-0bfdffff: System RAM", 4096, 0, 0 },
		{ "00100000 0bfdffff : System RAM", 4096, 0, 0 },
		{ "-0bfdffff : System RAM", 4096, 0, 0 },
		{ "00100000- : System RAM", 4096, 0, 0 },
		{ "- : System RAM", 4096, 0, 0 },
		{ " : System RAM", 4096, 0, 0 },
		{ "0-fffffffffffffffff : System RAM", 4096, 0, 0 },
		{ "0-ffffffffffffffff : System RAM", 4096, 0, 0 },
		{ "0xfff-0x1fff : System RAM", 4096, 0, 0 },
		{ "", 4096, 0, 0 },
		{ "-", 4096, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct ram ram = { .count = 0 };
		int taken = iomem(&ram, t[i].line, t[i].page_size);

		tap_ok(taken == (t[i].count != 0) &&
		       ram.count == (uint32_t)taken &&
		       (!taken || (ram.range[0].first_pfn == t[i].first &&
				   ram.range[0].count_pages == t[i].count)),
		       "'%s', pages of %u", t[i].line, t[i].page_size);
	}
}

/* Memory that a driver plugged in lies within the driver's own range, in pieces
 * that touch; RAM inside RAM is counted once. */
static void test_plugged_ranges(void)
{
	static const char *const lines[] = {
		"100000000-13fffffff : System RAM",
		"  102000000-1029fffff : Kernel code",
		"  110000000-11fffffff : System RAM",
		"140000000-33fffffff : virtio0",
		"  140000000-147ffffff : System RAM (virtio_mem)",
		"  148000000-14fffffff : System RAM (virtio_mem)",
		"400000000-5ffffffff : Persistent Memory",
		"  400000000-407ffffff : namespace0.0",
		"  410000000-5ffffffff : dax0.0",
		"    410000000-5ffffffff : System RAM (kmem)",
	};
	struct ram ram = { .count = 0 };

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		iomem(&ram, lines[i], 4096);
	tap_ok(ram.count == 2 && ram.range[0].first_pfn == 0x100000 &&
	       ram.range[0].count_pages == 0x50000,
	       "RAM and what virtio-mem added to it are one range");
	tap_ok(ram.range[1].first_pfn == 0x410000 &&
	       ram.range[1].count_pages == 0x1f0000,
	       "memory of a DAX device, of which RAM was made");
}

/* More ranges than there is room for: all of RAM stays within one of them. */
static void test_many_ranges(void)
{
	struct ram ram = { .count = 0 };
	const struct ram_range *last = &ram.range[RAM_RANGES_MAX - 1];
	char line[64];

	for (unsigned int i = 0; i < RAM_RANGES_MAX + 5; i++) {
		snprintf(line, sizeof(line), "%x-%x : System RAM",
			 i << 16, (i << 16) + 0x1fff);
		iomem(&ram, line, 4096);
	}
	tap_ok(ram.count == RAM_RANGES_MAX && ram.range[0].count_pages == 2,
	       "the first ones as they are");
	tap_ok(last->first_pfn == (RAM_RANGES_MAX - 1) << 4 &&
	       last->count_pages == 5 * 16 + 2,
	       "the last one over the gaps to the rest");
	iomem(&ram, "1f0000-1f0fff : System RAM", 4096);
	tap_ok(last->count_pages == 5 * 16 + 2,
	       "and does not shrink for one inside it");
}

struct cpus {
	uint32_t cpu[64], count;
};

static void set_cpu(void *ctx, uint32_t cpu)
{
	struct cpus *c = ctx;

	if (c->count < 64)
		c->cpu[c->count] = cpu;
	c->count++;
}

static void test_cpus(void)
{
	static const struct { const char *text; int count; uint32_t last; }
	t[] = {
		{ "0\n", 1, 0 }, { "0-3\n", 4, 3 }, { "0,2,4-5,63\n", 5, 63 },
		{ "7", 1, 7 }, { "0-8191\n", 8192, 8191 }, { "8191", 1, 8191 },
		{ "", 0, 0 }, { "\n", 0, 0 }, { "5-5", 1, 5 },
		{ "8192", -EINVAL, 0 }, { "0-8192\n", -EINVAL, 0 },
		{ "3-2", -EINVAL, 0 }, { "-1", -EINVAL, 0 },
		{ "1-", -EINVAL, 0 }, { "a", -EINVAL, 0 }, { ",", -EINVAL, 0 },
		{ "0,,1", -EINVAL, 0 }, { "0 1", -EINVAL, 0 },
		{ "0-3-5", -EINVAL, 0 }, { "0-3:1/2", -EINVAL, 0 },
		{ "0\n1", -EINVAL, 0 },
		{ "0-99999999999999999999", -EINVAL, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct cpus c = { .count = 0 };
		char *copy = exact(t[i].text, strlen(t[i].text));
		int count = cpu_list(copy, strlen(t[i].text), set_cpu, &c);

		tap_ok(count == t[i].count && (count <= 0 || count > 64 ||
		       (c.count == (uint32_t)count &&
			c.cpu[count - 1] == t[i].last)), "CPUs '%s': %d",
		       t[i].text, count);
		free(copy);
	}
}

static int stat_of(const char *text, struct event *e)
{
	char *copy = exact(text, strlen(text));
	int error;

	memset(e, 0x5a, sizeof(*e));
	error = stat_line(copy, strlen(text), e);
	free(copy);
	return error;
}

#define REST \
	" 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9 1000 77 " \
	"18446744073709551615 1 1 0 0 0 0 671173123 4096 1260 0 0 0 17 0 0 0" \
	" 0 0 0\n"

static void test_stat(void)
{
	struct event e;

	tap_ok(stat_of("312 (systemd-udevd) S 5" REST, &e) == 0 &&
	       e.type == EVENT_TASK && e.tid == 312 && e.tgid == 312 &&
	       e.parent_tid == 5 && e.parent_tgid == 5 && e.rss_pages == 77 &&
	       !strcmp(e.name, "systemd-udevd"), "a process");
	tap_ok(stat_of("7 (a) b) (c) S 5" REST, &e) == 0 &&
	       !strcmp(e.name, "a) b) (c") && e.parent_tgid == 5,
	       "a name with brackets and blanks");
	tap_ok(stat_of("7 () S 5" REST, &e) == 0 && !e.name[0], "no name");
	tap_ok(stat_of("7 (kworker/u16:1-events_unbound) S 2" REST, &e) == 0 &&
	       !strcmp(e.name, "kworker/u16:1-e") && e.parent_tgid == 2,
	       "a name longer than a task's is cut");
	tap_ok(stat_of("4294967295 (x) S 0" REST, &e) == 0 &&
	       e.tid == UINT32_MAX, "the largest number");
	tap_ok(stat_of("7 (x) S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 9 1000 "
		       "77", &e) == 0 && e.rss_pages == 77,
	       "nothing behind what is needed");
	tap_ok(stat_of("7 (x) S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 9 1000 "
		       "77\n", &e) == 0 && e.rss_pages == 77, "but a newline");
}

static void test_bad_stat(void)
{
	static const char *const bad[] = {
		"", "7", "7 ", "7 (", "7 (x", "7 (x)", "7 (x) ", "7 (x) S",
		"7 (x) S 5", "7 (x) S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 9 "
		"1000", "7 (x) S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 9 1000 ",
		"7 )x( S 5" REST, "(x) S 5" REST, " (x) S 5" REST,
		"7(x) S 5" REST, "-7 (x) S 5" REST, "4294967296 (x) S 5" REST,
		"7x (x) S 5" REST, "7 (x) S -5" REST, "7 (x) S  5" REST,
		"7 (x) S 5 1 1 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 9 1000 -1 ",
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct event e;

		tap_ok(stat_of(bad[i], &e) == -EINVAL, "refused: '%s'",
		       bad[i]);
	}
}

/* --- modules --- */

struct fake_file {
	const char *path, *text;
};

struct heard {
	struct event_out out;	/* first: it is one */
	struct event event[8];
	uint32_t count;
};

static const struct fake_file *fakes(const struct fake_file *set)
{
	static const struct fake_file *now;

	if (set)
		now = set;
	return now;
}

static const char *fake_text(const char *path)
{
	for (const struct fake_file *f = fakes(NULL); f->path; f++)
		if (!strcmp(f->path, path))
			return f->text;
	return NULL;
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

/* Each line in memory of its exact size, and its end byte. */
static int faked_each_line(const char *path, void (*take)(void *context,
			   char *line, size_t len), void *context)
{
	const char *text = fake_text(path);

	if (!text)
		return -ENOENT;
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = exact(text, len + 1);

		line[len] = '\0';
		take(context, line, len);
		free(line);
		text += len + (text[len] != 0);
	}
	return 0;
}

static void hear(struct event_out *o, const struct event *e)
{
	struct heard *h = (struct heard *)o;

	if (h->count < ARRAY_LEN(h->event))
		h->event[h->count] = *e;
	h->count++;
}

static int ranges_of(struct heard *h, const char *name)
{
	struct event e = { .time_ns = 99 };

	strcpy(e.name, name);
	return faked_module_ranges(&h->out, &e);
}

static int heard_is(const struct heard *h, uint32_t at, const char *name,
		    uint64_t base, uint64_t size, uint32_t flags)
{
	const struct event *e = &h->event[at];

	return at < h->count && e->type == EVENT_MODULE_RANGE &&
	       !strcmp(e->name, name) && e->base == base && e->size == size &&
	       e->flags == flags && e->time_ns == 99;
}

static void test_ranges(void)
{
	static const struct fake_file files[] = {
		{ "/sys/module/ext4/sections/.text", "0xffffffffc0a12000\n" },
		{ "/sys/module/ext4/sections/.init.text",
		  "0xffffffffc0b00000\n" },
		{ "/sys/module/ext4/coresize", "1130496\n" },
		{ "/sys/module/ext4/initsize", "8192\n" },
		{ "/sys/module/run/sections/.text", "0xffffffffc0a12040" },
		{ "/sys/module/run/sections/.init.text", "0xffffffffc0c00000" },
		{ "/sys/module/run/coresize", "4096\n" },
		{ "/sys/module/run/initsize", "0\n" },
		{ "/sys/module/hidden/sections/.text", "0x0000000000000000\n" },
		{ "/sys/module/hidden/coresize", "4096\n" },
		{ "/sys/module/odd/sections/.text", "0xffffffffc0a1200g\n" },
		{ "/sys/module/odd/coresize", "4096\n" },
		{ "/sys/module/sizeless/sections/.text", "0xfff000\n" },
		{ NULL, NULL },
	};
	struct heard h = { .out = { hear } };

	fakes(files);
	tap_ok(!ranges_of(&h, "ext4") && h.count == 2 &&
	       heard_is(&h, 0, "ext4", 0xffffffffc0a12000, 1130496, 0) &&
	       heard_is(&h, 1, "ext4", 0xffffffffc0b00000, 8192,
			EVENT_INIT_TEXT), "core and init text");
	h.count = 0;
	tap_ok(!ranges_of(&h, "run") && h.count == 1 &&
	       heard_is(&h, 0, "run", 0xffffffffc0a12000, 4096, 0),
	       "init has run: the core, from the start of its page");
	h.count = 0;
	tap_ok(ranges_of(&h, "gone") == -ENOENT &&
	       ranges_of(&h, "sizeless") == -ENOENT,
	       "a module that is gone, or going");
	tap_ok(ranges_of(&h, "hidden") < 0 &&
	       ranges_of(&h, "odd") < 0,
	       "an address that is hidden, or none");
	tap_ok(ranges_of(&h, "../ext4") == -EINVAL &&
	       ranges_of(&h, "a/b") == -EINVAL &&
	       ranges_of(&h, ".") == -EINVAL &&
	       ranges_of(&h, "") == -EINVAL,
	       "a name that would be another file's");
	tap_ok(!h.count, "of which nothing is said");
}

static void test_modules(void)
{
	static const struct fake_file files[] = {
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
		{ "/sys/module/ext4/sections/.text", "0xffffffffc0a12000\n" },
		{ "/sys/module/ext4/coresize", "1130000\n" },
		{ NULL, NULL },
	};
	static const struct fake_file none[] = { { NULL, NULL } };
	struct heard h = { .out = { hear } };

	fakes(files);
	tap_ok(!faked_proc_modules(&h.out, 99), "modules that are there");
	tap_ok(heard_is(&h, 0, "ext4", 0xffffffffc0a12000, 1130000, 0),
	       "/sys is believed before /proc");
	tap_ok(heard_is(&h, 1, "loop", 0xffffffffc0900000, 40960, 0),
	       "/proc, where /sys has nothing; with taints behind");
	tap_ok(heard_is(&h, 2, "loading", 0xffffffffc0800000, 4096, 0),
	       "one being loaded; none that is hidden");
	tap_ok(heard_is(&h, 3, "last", 0xffffffffc0600000, 4096, 0) &&
	       h.count == 4, "no line that is odd: %u", h.count);
	fakes(none);
	tap_ok(faked_proc_modules(&h.out, 99) == -ENOENT,
	       "a kernel without modules");
}

/* --- this machine --- */

struct found {
	struct event_out out;	/* first: it is one */
	uint32_t self, child, wrong, count;
	pid_t child_pid;
};

static void look(struct event_out *o, const struct event *e)
{
	struct found *f = (struct found *)o;

	f->count++;
	f->wrong += e->type != EVENT_TASK || e->tid != e->tgid || !e->tid ||
		    e->time_ns != 5;
	if (e->tid == (uint32_t)getpid())
		f->self += e->parent_tgid == (uint32_t)getppid();
	if (e->tid == (uint32_t)f->child_pid)
		f->child += e->parent_tgid == (uint32_t)getpid();
}

static void test_here(void)
{
	struct found f = { .out = { look } };
	struct ram ram;
	struct cpus c = { .count = 0 };
	uint64_t pages = 0;
	int error;

	f.child_pid = fork();
	if (!f.child_pid) {
		pause();
		_exit(0);
	}
	error = proc_tasks(&f.out, 5);
	tap_ok(!error && f.self == 1 && f.child == 1 && !f.wrong,
	       "of %u tasks here, this one and its child", f.count);
	kill(f.child_pid, SIGKILL);
	waitpid(f.child_pid, NULL, 0);
	tap_ok(proc_cpus(set_cpu, &c) == (int)c.count && c.count ==
	       (uint32_t)sysconf(_SC_NPROCESSORS_ONLN), "%u CPUs", c.count);
	error = proc_ram(&ram, 4096);
	for (uint32_t i = 0; i < ram.count; i++)
		pages += ram.range[i].count_pages;
	tap_ok(geteuid() ? error == -ENODATA : !error && pages > 4096,
	       "%u ranges of RAM", ram.count);
}

int main(void)
{
	test_iomem();
	test_plugged_ranges();
	test_many_ranges();
	test_cpus();
	test_stat();
	test_bad_stat();
	test_ranges();
	test_modules();
	test_here();
	return tap_plan_done();
}
