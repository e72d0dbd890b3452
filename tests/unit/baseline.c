/* SPDX-License-Identifier: MIT */
/*
 * source/proc/baseline.c and boot_log.c: lines of /proc/meminfo, of zoneinfo
 * and of the kernel's log, as kernels write them, cut off anywhere, and as no
 * kernel does. Each in memory of its exact size.
 */
#include <errno.h>
#include <string.h>
#include "limits.h"
#include "source/proc/boot_log.h"
#include "base/readfile.h"
#include "source/proc/proc.h"
#include "exact.h"
#include "tap.h"

struct heard {
	struct event_out out;	/* first: it takes events */
	uint32_t events, wrong;
	char names[256];	/* "kernel code=14343 " each */
};

static void hear(struct event_out *o, const struct event *e)
{
	struct heard *h = (struct heard *)o;
	size_t used = strlen(h->names);

	h->events++;
	h->wrong += e->type != EVENT_FIGURE || e->time_ns != 99 ||
		    !memchr(e->name, 0, FIGURE_NAME_BYTES);
	snprintf(h->names + used, sizeof(h->names) - used, "%s=%llu ",
		 e->name, (unsigned long long)(e->size / 1024));
}

static int meminfo(const char *text, size_t len, struct event *e)
{
	return meminfo_line(exact_once(text, len), len, e);
}

/* A record of the log, whose prefix has 9 bytes. */
static void hear_memory(const char *text, size_t len, struct heard *h)
{
	struct boot_log b = { .out = &h->out, .event.time_ns = 99 };
	char record[1024] = "6,63,681;";

	memcpy(record + 9, text, len);
	*h = (struct heard){ .out.event = hear };
	h->wrong += !boot_log_record(&b, exact_once(record, 9 + len), 9 + len);
	h->wrong += b.figures != (int)h->events;
}

static void test_meminfo(void)
{
	static const struct {
		const char *line, *name;
		uint64_t kib;
	} t[] = {
		{ "Cached:            12345 kB", "Cached", 12345 },
		{ "Slab:              15560 kB", "Slab", 15560 },
		{ "KernelStack:        1 kB", "KernelStack", 1 },
		{ "VmallocUsed:            0 kB", "VmallocUsed", 0 },
		{ "Shmem:             60612 kB", "Shmem", 60612 },
		{ "Percpu:18014398509481983 kB", "Percpu",
		  UINT64_MAX / 1024 },
	};
	static const char *const refused[] = {
		"", ":", " kB", ": kB", "Slab", "Slab:", "Slab: kB",
		"Slab:   kB", "Slab: 1", "Slab: 1 MB", "Slab: -1 kB",
		"Slab: 1x kB", "Slab: 0x1 kB", "Slab: 1 1 kB", "slab: 1 kB",
		"SwapCached: 5 kB", "SlabX: 1 kB", "Sla: 1 kB", "Slab : 1 kB",
		"MemFree: 100 kB", "HugePages_Total: 0",
		"Slab: 18014398509481984 kB", "Slab: 99999999999999999999 kB",
	};
	struct event e;
	uint32_t wrong = 0;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		tap_ok(!meminfo(t[i].line, strlen(t[i].line), &e) &&
		       e.type == EVENT_FIGURE && !strcmp(e.name, t[i].name) &&
		       e.size == t[i].kib * 1024, "%s", t[i].line);
		for (size_t len = 0; len < strlen(t[i].line); len++)
			wrong += meminfo(t[i].line, len, &e) != -EINVAL;
	}
	tap_ok(!wrong, "cut anywhere: none");
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		tap_ok(meminfo(refused[i], strlen(refused[i]), &e) == -EINVAL,
		       "none: \"%s\"", refused[i]);
}

#define OF_64000K "Memory: 1K/64000K available (40K kernel code, 60K rwdata, "

/* Lines of the log, and their figures. */
static void test_memory(void)
{
	static const char line[] = "Memory: 211188K/261624K "
		"available (14343K kernel code, 2327K rwdata, 4872K rodata, "
		"2796K init, 6100K bss, 50176K reserved, 0K cma-reserved)\n";
	static const struct {
		const char *line, *figures;
	} t[] = {
		{ line, "kernel code=14343 rwdata=2327 rodata=4872 init=2796 "
		  "bss=6100 reserved=50176 page structs=4087 "
		  "cma-reserved=0 " },
		/* A name is cut, what is no figure skipped. */
		{ "Memory: (1K a name that is longer than any figure's,x, 2K b",
		  "a name that is longer t=1 b=2 " },
		/* Page structs: 64 bytes of 4096, but no more than is reserved
		 * beside the image, and none of RAM not known. */
		{ OF_64000K "9999K reserved)", "kernel code=40 rwdata=60 "
		  "reserved=9999 page structs=1000 " },
		{ OF_64000K "1099K reserved)", "kernel code=40 rwdata=60 "
		  "reserved=1099 page structs=999 " },
		{ OF_64000K "99K reserved)", "kernel code=40 rwdata=60 "
		  "reserved=99 page structs=0 " },
		{ "Memory: available (9999K reserved)",
		  "reserved=9999 page structs=0 " },
		{ "", "" }, { "Memory: ", "" }, { "Memory: (", "" },
		{ "Memory: ()", "" }, { "Memory: (,,,)", "" },
		{ "(14343K kernel code)", "" },
		{ "Memory: 1K/2K available", "" },
		{ "Memory: (K kernel code)", "" },
		{ "Memory: (-1K rwdata)", "" }, { "Memory: (1k rwdata)", "" },
		{ "Memory: (1K)", "" }, { "Memory: (1K )", "" },
		{ "Memory: (1Krwdata)", "" }, { "Memory:(1K rwdata)", "" },
		{ "Memory: (18014398509481984K rwdata)", "" },
	};
	struct heard h;
	uint32_t wrong = 0, before = 0;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		hear_memory(t[i].line, strlen(t[i].line), &h);
		tap_ok(!h.wrong && !strcmp(h.names, t[i].figures), "\"%s\": %s",
		       t[i].line, h.names);
	}
	for (size_t len = 0; len < strlen(line); len++) {
		hear_memory(line, len, &h);
		wrong += h.wrong || h.events < before;
		before = h.events;
	}
	tap_ok(!wrong && before == 8, "cut anywhere: what is there");
}

/* The records of a boot, up to the first that is another's. */
static struct boot_log hear_log(struct heard *h, const char *const *records)
{
	struct boot_log b = { .out = &h->out, .event.time_ns = 99 };

	*h = (struct heard){ .out.event = hear };
	while (*records && boot_log_record(&b, exact_once(*records,
			strlen(*records)), strlen(*records)))
		records++;
	boot_log_end(&b);
	return b;
}

static void test_log(void)
{
	static const char *const boot[] = {
		"6,77,0,-;Dentry cache hash table entries: 32768 (order: 6, "
		"262144 bytes, linear)\n",
		"6,80,0,-;Memory: 1K/2K available (1K rwdata)\n",
		"6,81,0,-;Memory: 1K/2K available (7K rwdata)\n",
		"6,90,1,-;Freeing SMP alternatives memory: 36K\n",
		"6,91,1,-;VFS: Dquot-cache hash table entries: 512 (order 0, "
		"4096 bytes)\n",
		";hash table entries: 1 (order: 6, 1024 bytes)\n",
		";x hash table entries: 1 (order: 6, 1024 pages)\n",
		";x hash table entries: 1, -1024 bytes)\n",
		";x hash table entries: 1, 99999999999999999999 bytes)",
		";x hash table entries: )", ";x hash table entries: 1, 1024 )",
		";x hash table entries: 1, 1024 byte)",
		";x hash table entries: 1, 1024 bytes", ";)", ";\n",
		"6,99,1,-;", ";", "",
		"6,292,2,-;Freeing initrd memory: 59732K\n",
		"6,293,2,-;Freeing initrd memory: 4096K (ffff8800 - ffff8801)",
		";Freeing initrd memory: -1K\n",
		";Freeing initrd memory: 4294967296K\n",
		";Freeing initrd memory: ", ";Freeing initrd memory",
		"12,298,2,-;of mine: Freeing initrd memory: 7K\n",
		"6,341,2,-;Freeing unused kernel image (initmem) memory: 2612K",
		"6,350,2,-;Run /init as init process\n",
		"6,351,2,-;Freeing initrd memory: 1K\n",
		NULL
	};
	static const char *const late[] = {
		"6,341,2,-;Freeing unused kernel image (initmem) memory: 2612K",
		NULL
	};
	struct heard h;

	hear_log(&h, boot);
	tap_ok(!h.wrong && !strcmp(h.names, "rwdata=1 hash tables=260 "
				   "initrd (freed)=63828 other (freed)=2648 "),
	       "sums of a boot: %s", h.names);
	hear_log(&h, late);
	tap_ok(!h.events, "none of a log whose beginning is gone: %s", h.names);
}

#define FAILED "0,300,2,-;Initramfs unpacking failed: "
#define LONGEST "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* Of one record after another, the reason why the unpacking failed. */
static void test_unpacking(void)
{
	static const struct {
		const char *records[3], *want, *name;
	} t[] = {
		{ { FAILED "write error\n" }, "write error",
		  "rootfs had no room" },
		{ { "6,300,2,-;rootfs image is not initramfs (XZ-compressed "
		    "data is corrupt); looks like an initrd\n" },
		  "XZ-compressed data is corrupt", "with CONFIG_BLK_DEV_RAM" },
		{ { FAILED "no cpio magic\n", FAILED "write error\n" },
		  "no cpio magic", "the first one counts" },
		{ { FAILED LONGEST "\n" }, LONGEST,
		  "as much as there is room for" },
		{ { FAILED LONGEST "bbb\n" }, LONGEST, "and no more" },
		{ { FAILED,
		    "6,1,2,-;of mine: Initramfs unpacking failed: x\n" }, "",
		  "no reason, and another's" },
		{ { "6,300,2,-;Trying to unpack rootfs image as initramfs",
		    "6,301,2,-;Initramfs unpacking failed" }, "",
		  "no reason in other lines" },
	};
	struct heard h;

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		tap_ok(!strcmp(hear_log(&h, t[i].records).unpack_error,
			       t[i].want), "%s", t[i].name);
}

static uint64_t zoneinfo(const char *text, size_t len)
{
	return zoneinfo_line(exact_once(text, len), len);
}

static uint64_t buddyinfo(const char *text, size_t len)
{
	return buddyinfo_line(exact_once(text, len), len);
}

/* Lines of which pages are counted, and others. */
static void test_pages(void)
{
	static const char line[] = "              count: 93";
	static const struct {
		uint64_t (*pages_of)(const char *text, size_t len);
		const char *line;
		uint64_t pages;
	} t[] = {
		{ zoneinfo, line, 93 },
		{ zoneinfo, "  count:    7", 7 },
		{ zoneinfo, "              high:  93", 0 },
		{ zoneinfo, "account: 93", 0 },
		{ zoneinfo, " count: -5", 0 },
		{ zoneinfo, " count: 4294967296", 0 },
		{ zoneinfo, " count: 5 6", 0 },
		{ zoneinfo, " count: ", 0 },
		{ buddyinfo, "Node 0, zone   Normal    3    1    0    2 ",
		  3 + 2 + 16 },
		{ buddyinfo, "Node 12, zone    DMA32 0 0 0 0 0 0 0 0 0 0 401 ",
		  401 << 10 },
		{ buddyinfo, "Node 0, zone Normal 1 x 1", 1 },
		{ buddyinfo, "Node 0, zone Normal 1 4294967296 1", 1 },
		{ buddyinfo, "", 0 },
		{ buddyinfo, "Node 0, zone", 0 },
		{ buddyinfo, "Node 0, zone   Normal", 0 },
		{ buddyinfo, "Node 0, type Normal 1 1", 0 },
		{ buddyinfo, "1 1 1 1", 0 },
	};
	uint32_t wrong = 0;

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		tap_ok(t[i].pages_of(t[i].line, strlen(t[i].line)) ==
		       t[i].pages, "%u pages: \"%s\"", (unsigned)t[i].pages,
		       t[i].line);
	for (size_t len = 0; len < strlen(line); len++)
		wrong += zoneinfo(line, len) != (len == 22 ? 9 : 0);
	tap_ok(!wrong, "cut anywhere: none, or fewer digits");
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
	test_pages();
	test_free_here();
	test_meminfo();
	test_memory();
	test_log();
	test_unpacking();
	return tap_plan_done();
}
