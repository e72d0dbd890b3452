/* SPDX-License-Identifier: MIT */
/*
 * source/proc/ram*.c: what recorded machines say of their memory, as parts.
 * They are in golden/; the figures were compared by hand with sizes in the logs
 * and differences of addresses. GOLDEN=write writes these files again, for a
 * human to check. Then lines that no kernel writes, and tables that are full.
 */
#include <inttypes.h>
#include <string.h>
#include "base/readfile.h"
#include "ledger/ram_rows.h"
#include "ram_machine.h"
#include "tap.h"

struct listener {
	struct event_out out;	/* first: it takes events */
	struct ram_rows rows;
	uint32_t wrong;
};

static void hear(struct event_out *o, const struct event *e)
{
	struct listener *l = (struct listener *)o;

	/* Those of boot_log.c. */
	if (e->type == EVENT_FIGURE)
		return;
	l->wrong += e->type != EVENT_RAM || !e->size ||
		    !memchr(e->name, 0, RAM_NAME_BYTES) ||
		    ram_rows_add(&l->rows, e) != 1;
}

/* What a machine's text makes known. */
static const struct listener *heard(const char *text, size_t len)
{
	static struct ram_machine m;
	static struct listener l;

	l = (struct listener){ .out.event = hear };
	ram_machine_read(&m, &l.out, text, len);
	return &l;
}

#define WITHIN RAM_GROUPS	/* as a group: a part of another row */

static uint64_t kib_of(const struct ram_rows *r, enum ram_group group,
		       const char *name)
{
	uint64_t kib = 0;

	if (group != WITHIN)
		return ram_rows_kib(r, group, name);
	for (uint32_t i = 0; i < r->used; i++)
		if (r->row[i].within && !strcmp(r->row[i].name, name))
			kib += r->row[i].kib;
	return kib;
}

/* Each row is a line: whether it is within another, its group, name and KiB. */
static void print_rows(const struct ram_rows *r, char *text)
{
	static const char *const groups[] = {
		[RAM_SUM] = "sum", [RAM_FIRMWARE] = "firmware",
		[RAM_KERNEL] = "kernel", [RAM_RESERVED] = "reserved",
		[RAM_BEFORE] = "before", [RAM_FREE] = "free",
	};

	text += sprintf(text, "# SPDX-License-Identifier: MIT\n");
	for (uint32_t i = 0; i < r->used; i++)
		text += sprintf(text, "%s%s: %s %" PRIu64 "\n",
				r->row[i].within ? "within " : "",
				groups[r->row[i].group], r->row[i].name,
				r->row[i].kib);
}

static int is_golden(const char *path, const char *got)
{
	static char want[1 << 14];

	if (getenv("GOLDEN")) {
		FILE *f = fopen(path, "w");

		if (!f || fputs(got, f) < 0 || fclose(f))
			abort();
	}
	return readfile(path, want, sizeof(want)) > 0 && !strcmp(got, want);
}

static void machine(const char *name)
{
	static char text[1 << 16];
	const struct listener *l;
	char path[128];
	ssize_t len;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/ram/%s", name);
	len = readfile(path, text, sizeof(text));
	l = heard(text, len > 0 ? (size_t)len : 0);
	print_rows(&l->rows, text);
	snprintf(path, sizeof(path), "tests/unit/golden/ram-%s", name);
	tap_ok(is_golden(path, text) && l->rows.used && !l->wrong,
	       "%s: all parts are as in %s", name, path);
}

/* One section alone, with what makes its rows complete. */
#define ZONE "\n=== zoneinfo\n present 100000\n managed 90000\n"
#define CHUNK(bytes, pages) "0x0000000000000000-0x0 " bytes \
	" pcpu_create_chunk+0x167/0x1b0 pages=" pages " vmalloc\n"
#define UNIT "=== dmesg\npercpu: Embedded 61 pages/cpu s1 r1 d1 u2097152\n"

static void test_lines(void)
{
	static const struct {
		const char *text;
		enum ram_group group;
		const char *name;
		uint64_t kib;
	} t[] = {
		{ "=== dmesg\nRAMDISK: [mem 0x1000-0x2fff]" ZONE,
		  RAM_RESERVED, "initrd", 8 },
		{ "=== dmesg\nRAMDISK: [mem 0x3000-0x2fff]" ZONE,
		  RAM_RESERVED, "initrd", 0 },
		{ "=== dmesg\nRAMDISK: [mem 0x1000-0x2fff" ZONE,
		  RAM_RESERVED, "initrd", 8 },
		{ "=== dmesg\nRAMDISK: [mem 0x0-0xffffffffffffffff]" ZONE,
		  RAM_RESERVED, "initrd", 0 },
		{ "=== dmesg\nRAMDISK: mem 0x1000-0x2fff]" ZONE,
		  RAM_RESERVED, "initrd", 0 },
		{ "=== cpus\n3\n=== dmesg\npercpu: 6 4K pages/cpu s1" ZONE,
		  RAM_RESERVED, "per-CPU areas", 72 },
		{ "=== cpus\n3\n=== dmesg\npercpu: Embedded pages/cpu" ZONE,
		  RAM_RESERVED, "per-CPU areas", 0 },
		{ "=== cpus\n3\n=== meminfo\nPercpu: 104 kB\n=== dmesg\n"
		  "percpu: Embedded 6 pages/cpu s1 u524288\n"
		  "pcpu-alloc: s1 r1 d1 u524288 alloc=1*2097152" ZONE,
		  RAM_BEFORE, "per-CPU areas", (104 / 4 - 24) * 3 },
		{ UNIT "=== vmalloc\n" CHUNK("65536", "16")
		  CHUNK("4198400", "1024") CHUNK("12288", "2")
		  "0x1-0x2 4198400 vfree+0x1/0x2 pages=1024 vmalloc\n" ZONE,
		  RAM_SUM, RAM_KMEM, 4096 },
		{ UNIT "=== vmalloc\n" CHUNK("4198400", "1024")
		  CHUNK("4198400", "1024") ZONE, RAM_SUM, RAM_KMEM, 8192 },
		{ UNIT "=== vmalloc\n" CHUNK("8392704", "2048") ZONE,
		  RAM_SUM, RAM_KMEM, 0 },
		{ "=== dmesg\nNODE_DATA(0) allocated [mem 0x1000-0x2fff]\n"
		  "NODE_DATA(1) allocated [mem 0x5000-0x6fff]" ZONE,
		  RAM_RESERVED, RAM_NODES, 16 },
		{ "=== dmesg\nNODE_DATA(0) allocated [mem 0x1000-0x2fff]\n"
		  "NODE_DATA(1) allocated [mem 0x5000-0x6fff]" ZONE,
		  RAM_SUM, RAM_NODES_EACH, 8 },
		{ "=== dmesg\nkfence: initialized - using 2097152 bytes for "
		  "255 objects at 0x1-0x2" ZONE, RAM_RESERVED, RAM_KFENCE,
		  2048 },
		{ "=== dmesg\nkfence: initialized - using -1 bytes" ZONE,
		  RAM_RESERVED, RAM_KFENCE, 0 },
		{ "=== meminfo\nPercpu: 104 kB" ZONE,
		  RAM_BEFORE, "per-CPU areas", 0 },
		{ "=== dmesg\nlog_buf_len: 8192 bytes" ZONE,
		  RAM_RESERVED, "log buffer", 8 },
		{ "=== dmesg\nftrace: allocated -1 pages" ZONE,
		  RAM_BEFORE, "ftrace", 0 },
		{ "=== dmesg\nDMA: preallocated 99999999999 KiB" ZONE,
		  RAM_BEFORE, "DMA pools", 0 },
		{ "=== meminfo\nSlab: 5 MB\nSlab: 6 kB\nSlab 7 kB" ZONE,
		  RAM_BEFORE, "slab", 6 },
		{ "=== dmesg\n  DMA zone: 5 pages used for memmap\n"
		  "  DMA zone: 9 pages reserved\n zone: x pages used for memmap"
		  ZONE, RAM_RESERVED, "page structs", 20 },
		{ "=== iomem\n00000000-00000000 : System RAM\n" ZONE,
		  RAM_SUM, "installed", 400000 },
		{ "=== iomem\n100000-1fffffff : System RAM\n" ZONE,
		  RAM_SUM, "installed", 523264 },
		{ "=== iomem\n100000-1fffffff : System RAM\n", RAM_SUM,
		  "installed", 0 },
		{ "=== iomem\n100000-1fffffff : System RAM\n"
		  "20000000-2fffffff : System RAM (virtio_mem)\n"
		  "  20000000-2fffffff : System RAM\n"
		  "30000000-3000ffff : Unusable memory\n" ZONE,
		  RAM_SUM, "installed", 523264 + 262144 + 64 },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const struct listener *l = heard(t[i].text, strlen(t[i].text));
		const uint64_t kib = kib_of(&l->rows, t[i].group, t[i].name);

		tap_ok(kib == t[i].kib, "%s: %" PRIu64 "K, is to be %" PRIu64
		       "K", t[i].name, kib, t[i].kib);
	}
}

static void test_table(void)
{
	static const struct { uint32_t flags; int taken; } t[] = {
		{ RAM_KERNEL, 1 }, { RAM_KERNEL, 1 }, { RAM_TRACED, -1 },
		{ RAM_FREE, -1 }, { RAM_GROUP_MASK, -1 },
		{ RAM_KERNEL | RAM_WITHIN, 1 },
	};
	static struct ram_rows r;
	struct event e = { .type = EVENT_RAM, .size = UINT64_MAX,
			   .name = "much" };
	uint32_t taken = 0;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		e.flags = t[i].flags;
		tap_ok(ram_rows_add(&r, &e) == t[i].taken,
		       "a row of flags %x is%s told", e.flags,
		       t[i].taken > 0 ? "" : " not");
	}
	tap_ok(r.used == 2 && ram_rows_kib(&r, RAM_KERNEL, "much") ==
	       RAM_KIB_MAX, "a row has a bound; a part of it is another row");
	for (int i = 0; i < 100; i++) {
		snprintf(e.name, sizeof(e.name), "%d", i);
		taken += ram_rows_add(&r, &e) == 1;
	}
	tap_ok(taken == RAM_ROWS_MAX - 2 && r.used == RAM_ROWS_MAX,
	       "so many and no more");
	tap_ok(!ram_rows_kib(&r, RAM_KERNEL, "0") &&
	       !ram_rows_kib(&r, RAM_RESERVED, "much"), "a row that is not");
}

int main(void)
{
	static const char *const machines[] = {
		"5.10", "5.10-swiotlb", "6.1", "6.12", "7.2", "7.2-log",
		"pc-holes", "kdump", "arm64",
	};

	for (size_t i = 0; i < ARRAY_LEN(machines); i++)
		machine(machines[i]);
	test_lines();
	test_table();
	return tap_plan_done();
}
