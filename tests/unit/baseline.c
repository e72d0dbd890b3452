/* SPDX-License-Identifier: MIT */
/*
 * source/proc/baseline.c and boot_log.c: lines of /proc/meminfo, of zoneinfo and
 * of the kernel's log, as kernels write them, cut off anywhere, and as no kernel
 * does. Each in memory of its exact size.
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
	char *copy = exact(text, len);
	int error = meminfo_line(copy, len, e);

	free(copy);
	return error;
}

/* A record of the log, whose prefix has 9 bytes. */
static int memory(const char *text, size_t len, struct heard *h)
{
	struct boot_log b = { .out = &h->out, .event.time_ns = 99 };
	char record[1024] = "6,63,681;";
	char *copy;

	memcpy(record + 9, text, len);
	copy = exact(record, 9 + len);
	*h = (struct heard){ .out.event = hear };
	h->wrong += !boot_log_record(&b, copy, 9 + len);
	free(copy);
	h->wrong += b.figures != (int)h->events;
	return b.figures;
}

static uint64_t zoneinfo(const char *text, size_t len)
{
	char *copy = exact(text, len);
	uint64_t pages = zoneinfo_line(copy, len);

	free(copy);
	return pages;
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

static void test_memory(void)
{
	static const char line[] = "Memory: 211188K/261624K "
		"available (14343K kernel code, 2327K rwdata, 4872K rodata, "
		"2796K init, 6100K bss, 50176K reserved, 0K cma-reserved)\n";
	static const char *const none[] = {
		"", "Memory: ", "Memory: (", "Memory: ()", "Memory: (,,,)",
		"(14343K kernel code)", "Memory: 1K/2K available",
		"Memory: (K kernel code)", "Memory: (-1K rwdata)",
		"Memory: (1k rwdata)", "Memory: (1K)", "Memory: (1K )",
		"Memory: (1Krwdata)", "Memory: (18014398509481984K rwdata)",
		"Memory:(1K rwdata)",
	};
	struct heard h;
	uint32_t wrong = 0;
	int before = 0;

	tap_ok(memory(line, strlen(line), &h) == 8 && !h.wrong &&
	       !strcmp(h.names, "kernel code=14343 rwdata=2327 rodata=4872 "
		       "init=2796 bss=6100 reserved=50176 page structs=4087 "
		       "cma-reserved=0 "), "the line of a boot: %s", h.names);
	for (size_t len = 0; len < strlen(line); len++) {
		int found = memory(line, len, &h);

		wrong += h.wrong || found < before;
		before = found;
	}
	tap_ok(!wrong && before == 8, "cut anywhere: what is there");
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		tap_ok(memory(none[i], strlen(none[i]), &h) == 0 && !h.events,
		       "none: \"%s\"", none[i]);
	tap_ok(memory("Memory: (1K a name that is longer than any figure's,"
		      "x, 2K b", 59, &h) == 2 && !h.wrong &&
	       !strcmp(h.names, "a name that is longer t=1 b=2 "),
	       "a long name is cut, what is no figure skipped: %s", h.names);
}

static void test_page_structs(void)
{
	static const struct {
		const char *line, *has, *name;
	} t[] = {
		{ "Memory: 1K/64000K available (40K kernel code, 60K rwdata, "
		  "9999K reserved)", " page structs=1000 ",
		  "64 bytes of 4096" },
		{ "Memory: 1K/64000K available (40K kernel code, 60K rwdata, "
		  "1099K reserved)", " page structs=999 ",
		  "no more than is reserved beside the image" },
		{ "Memory: 1K/64000K available (40K kernel code, 60K rwdata, "
		  "99K reserved)", " page structs=0 ",
		  "none where the image is all of it" },
		{ "Memory: available (40K kernel code, 60K rwdata, "
		  "9999K reserved)", " page structs=0 ",
		  "none of RAM not known" },
	};
	struct heard h;

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		tap_ok(memory(t[i].line, strlen(t[i].line), &h) == 4 &&
		       strstr(h.names, t[i].has), "page structs, %s: %s",
		       t[i].name, h.names);
}

/* The records of a boot, up to the first that is another's. */
static void hear_log(struct heard *h, const char *const *records)
{
	struct boot_log b = { .out = &h->out, .event.time_ns = 99 };

	*h = (struct heard){ .out.event = hear };
	for (int of_boot = 1; of_boot && *records; records++) {
		char *copy = exact(*records, strlen(*records));

		of_boot = boot_log_record(&b, copy, strlen(*records));
		free(copy);
	}
	boot_log_end(&b);
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
		"6,92,1,-;hash table entries: 1 (order: 6, 1024 bytes)\n",
		"6,93,1,-;x hash table entries: 1 (order: 6, 1024 pages)\n",
		"6,94,1,-;x hash table entries: 1, -1024 bytes)\n",
		"6,95,1,-;x hash table entries: 1, 99999999999999999999 bytes)",
		"6,96,1,-;x hash table entries: )",
		"6,97,1,-;x hash table entries: 1, 1024 )",
		"6,98,1,-;x hash table entries: 1, 1024 byte)",
		"6,99,1,-;x hash table entries: 1, 1024 bytes",
		"6,99,1,-;)", "6,99,1,-;\n", "6,99,1,-;", ";", "",
		"6,292,2,-;Freeing initrd memory: 59732K\n",
		"6,293,2,-;Freeing initrd memory: 4096K (ffff8800 - ffff8801)",
		"6,294,2,-;Freeing initrd memory: -1K\n",
		"6,295,2,-;Freeing initrd memory: 4294967296K\n",
		"6,296,2,-;Freeing initrd memory: ",
		"6,297,2,-;Freeing initrd memory",
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

/* Of one record after another, the reason why the unpacking failed. */
static int unpacking(const char *first, const char *second, const char *want)
{
	struct heard h = { .out.event = hear };
	struct boot_log b = { .out = &h.out, .event.time_ns = 99 };
	const char *const records[] = { first, second };

	for (int i = 0; i < 2; i++) {
		char *copy = exact(records[i], strlen(records[i]));

		boot_log_record(&b, copy, strlen(records[i]));
		free(copy);
	}
	return !strcmp(b.unpack_error, want);
}

static void test_unpacking(void)
{
	tap_ok(unpacking("0,300,2,-;Initramfs unpacking failed: write error\n",
			 "", "write error"), "rootfs had no room");
	tap_ok(unpacking("6,300,2,-;rootfs image is not initramfs (XZ-compressed"
			 " data is corrupt); looks like an initrd\n", "",
			 "XZ-compressed data is corrupt"),
	       "with CONFIG_BLK_DEV_RAM");
	tap_ok(unpacking("0,300,2,-;Initramfs unpacking failed: no cpio magic\n",
			 "0,300,2,-;Initramfs unpacking failed: write error\n",
			 "no cpio magic"), "the first one counts");
	tap_ok(unpacking("0,300,2,-;Initramfs unpacking failed: junk within "
			 "compressed archive, and so on, and so on\n", "",
			 "junk within compressed archive, and so on, and so on"),
	       "as much as there is room for");
	tap_ok(unpacking("0,300,2,-;Initramfs unpacking failed: "
			 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			 "bbb\n", "",
			 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
	       "and no more");
	tap_ok(unpacking("0,300,2,-;Initramfs unpacking failed: ",
			 "6,1,2,-;of mine: Initramfs unpacking failed: x\n",
			 "") &&
	       unpacking("6,300,2,-;Trying to unpack rootfs image as initramfs",
			 "6,301,2,-;Initramfs unpacking failed", ""),
	       "no reason in other lines");
}

static void test_zoneinfo(void)
{
	static const char line[] = "              count: 93";
	uint32_t wrong = 0;

	tap_ok(zoneinfo(line, strlen(line)) == 93, "pages of a CPU's list");
	tap_ok(zoneinfo("  count:    7", 13) == 7, "as newer kernels write it");
	for (size_t len = 0; len < strlen(line); len++)
		wrong += zoneinfo(line, len) != (len == 22 ? 9 : 0);
	tap_ok(!wrong, "cut anywhere: none, or fewer digits");
	tap_ok(!zoneinfo("              high:  93", 23) &&
	       !zoneinfo("account: 93", 11) && !zoneinfo(" count: -5", 10) &&
	       !zoneinfo(" count: 4294967296", 18) &&
	       !zoneinfo(" count: 5 6", 11) && !zoneinfo(" count: ", 8),
	       "other lines have none");
}

static uint64_t buddyinfo(const char *text)
{
	char *copy = exact(text, strlen(text));
	uint64_t pages = buddyinfo_line(copy, strlen(text));

	free(copy);
	return pages;
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

static void test_buddyinfo(void)
{
	uint64_t here, before = 0, after = 0;

	tap_ok(buddyinfo("Node 0, zone   Normal      3      1      0      2 ")
	       == 3 + 2 + 16, "blocks of every order");
	tap_ok(buddyinfo("Node 12, zone    DMA32 0 0 0 0 0 0 0 0 0 0 401 ") ==
	       401 << 10, "of any node");
	tap_ok(buddyinfo("Node 0, zone Normal 1 x 1") == 1 &&
	       buddyinfo("Node 0, zone Normal 1 4294967296 1") == 1,
	       "up to what is no number of blocks");
	tap_ok(!buddyinfo("") && !buddyinfo("Node 0, zone") &&
	       !buddyinfo("Node 0, zone   Normal") &&
	       !buddyinfo("Node 0, type Normal 1 1") && !buddyinfo("1 1 1 1"),
	       "other lines have none");
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
	test_buddyinfo();
	test_meminfo();
	test_memory();
	test_page_structs();
	test_log();
	test_unpacking();
	test_zoneinfo();
	return tap_plan_done();
}
