/* SPDX-License-Identifier: MIT */
/*
 * source/proc/ram*.c: what recorded machines say of their memory, as parts. The
 * figures expected here are read from the records by hand: sizes in the log,
 * differences of addresses. Then lines that no kernel writes, and tables that
 * are full.
 */
#include <inttypes.h>
#include <string.h>
#include "ledger/ram_rows.h"
#include "ram_machine.h"
#include "tap.h"

#define CORPUS "tests/fuzz/corpus/ram/"

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

static uint64_t sum(const struct ram_rows *r, int group)
{
	uint64_t kib = 0;

	for (uint32_t i = 0; i < r->used; i++)
		if (r->row[i].group == group && !r->row[i].within)
			kib += r->row[i].kib;
	return kib;
}

static uint64_t within(const struct ram_rows *r, const char *name)
{
	uint64_t kib = 0;

	for (uint32_t i = 0; i < r->used; i++)
		if (r->row[i].within && !strcmp(r->row[i].name, name))
			kib += r->row[i].kib;
	return kib;
}

static size_t read_corpus(const char *name, char *text, size_t size)
{
	char path[128];
	FILE *f;
	size_t len;

	snprintf(path, sizeof(path), CORPUS "%s", name);
	f = fopen(path, "r");
	if (!f)
		return 0;
	len = fread(text, 1, size, f);
	fclose(f);
	return len;
}

struct expected {
	enum ram_group group;
	const char *name;
	uint64_t kib;
};

/* `total_kib` of meminfo; the rows end with one without a name. */
static void machine(const char *name, uint64_t total_kib,
		    const struct expected *rows)
{
	static char text[1 << 16];
	static struct ram_machine m;
	static struct listener l;
	const size_t len = read_corpus(name, text, sizeof(text));
	uint64_t present;

	l = (struct listener){ .out.event = hear };
	ram_machine_read(&m, &l.out, text, len);
	tap_ok(len && l.rows.used && !l.wrong, "%s: recorded", name);
	for (; rows->name; rows++) {
		const uint64_t kib = rows->group == RAM_GROUPS ?
			within(&l.rows, rows->name) :
			ram_rows_kib(&l.rows, rows->group, rows->name);

		tap_ok(kib == rows->kib, "%s: %s is %" PRIu64 "K, is to be %"
		       PRIu64 "K", name, rows->name, kib, rows->kib);
	}
	present = ram_rows_kib(&l.rows, RAM_SUM, RAM_PRESENT);
	tap_ok(sum(&l.rows, RAM_FIRMWARE) + present <=
	       ram_rows_kib(&l.rows, RAM_SUM, RAM_INSTALLED),
	       "%s: the firmware has no more than is beside the kernel's",
	       name);
	tap_ok(sum(&l.rows, RAM_KERNEL) + sum(&l.rows, RAM_RESERVED) <=
	       present - total_kib,
	       "%s: no more is kept than no page allocator got", name);
}

#define WITHIN RAM_GROUPS	/* as a group: a part of another row */

static void test_pcs(void)
{
	/* Zones of 65406 pages; page structs by two lines of the log. */
	machine("5.10", 229484, (const struct expected[]){
		{ RAM_SUM, "installed", 262144 },
		{ RAM_SUM, "present", 261624 },
		{ RAM_FIRMWARE, "below 1 MiB", 320 },
		{ RAM_FIRMWARE, "reserved", 4 + 1 + 64 + 128 },
		{ RAM_KERNEL, "code", 0xc02142 / 1024 },
		{ RAM_KERNEL, "bss", (0xbc00000 - 0xb862000) / 1024 - 2036 },
		{ RAM_RESERVED, "page structs", (64 + 960) * 4 },
		{ RAM_RESERVED, "below 1 MiB", 0 },
		{ RAM_RESERVED, "per-CPU areas", 63 * 4 },
		{ RAM_RESERVED, "Dentry cache hash table", 256 },
		{ RAM_RESERVED, "swiotlb", 0 },
		{ RAM_BEFORE, "per-CPU areas", 280 - 252 },
		{ RAM_BEFORE, "UDP-Lite hash table", 8 },
		{ RAM_BEFORE, "DMA pools", 3 * 128 },
		{ WITHIN, "kernel stacks", 608 },
		{ WITHIN, "initrd (freed)", 2080 },
		{ 0 } });
	machine("5.10-swiotlb", 382548, (const struct expected[]){
		{ RAM_RESERVED, "swiotlb", 65536 },
		{ RAM_RESERVED, "crashkernel", 32768 },
		{ RAM_RESERVED, "log buffer", 1024 },
		{ RAM_RESERVED, "per-CPU areas", 63 * 4 * 4 },
		{ RAM_SUM, "per-CPU area", 63 * 4 },
		{ 0 } });
	machine("6.1", 222620, (const struct expected[]){
		{ RAM_SUM, "installed", 262144 },
		{ RAM_KERNEL, "rodata", 8348 },
		{ RAM_KERNEL, "data", 2327 },
		{ RAM_KERNEL, "other", 40960 - (14343 + 8348 + 2327 + 5436) -
		  (36 + 2612 + 2040 + 1892) - 2 },
		{ RAM_RESERVED, "page structs", 65406 * 64 / 1024 },
		{ RAM_RESERVED, "below 1 MiB", 158 * 4 },
		{ RAM_RESERVED, "node data", 172 },
		{ RAM_RESERVED, "log buffer", 0 },
		{ RAM_BEFORE, "slab", 14972 },
		{ RAM_BEFORE, "MPTCP token hash table", 8 },
		{ 0 } });
	machine("6.12", 217176, (const struct expected[]){
		{ RAM_RESERVED, "page structs", 1024 * 4 },
		{ RAM_RESERVED, "Inode-cache hash table", 128 },
		{ RAM_BEFORE, "Mount-cache hash table", 4 },
		{ RAM_BEFORE, "ftrace", 168 * 4 },
		{ 0 } });
	machine("7.2", 213492, (const struct expected[]){
		{ RAM_SUM, "installed", 262144 },
		{ RAM_RESERVED, "log buffer", 0 },
		{ RAM_BEFORE, "ftrace", 184 * 4 },
		{ RAM_BEFORE, "posixtimers hash table", 8 },
		{ 0 } });
	machine("7.2-log", 365936, (const struct expected[]){
		{ RAM_RESERVED, "log buffer", 5505024 / 1024 },
		{ 0 } });
}

static void test_others(void)
{
	/* Eight CPUs in two groups; RAM in four pieces, with the firmware's
	 * between them; the configuration space and the ROM are no RAM. */
	machine("pc-holes", 3600000, (const struct expected[]){
		{ RAM_SUM, "installed", 0xfc000000 / 1024 },
		{ RAM_SUM, "present", 4118084 },
		{ RAM_FIRMWARE, "reserved", 4 + 4 + 128 + 4096 + 5120 },
		{ RAM_FIRMWARE, "ACPI", 52 + 508 + 516 },
		{ RAM_FIRMWARE, "below 1 MiB", 256 },
		{ RAM_KERNEL, "bss", 5120 - 2036 },
		{ RAM_RESERVED, "page structs", 16128 * 4 },
		{ RAM_RESERVED, "below 1 MiB", 632 },
		{ RAM_RESERVED, "per-CPU areas", 80 * 4 * 8 },
		{ RAM_SUM, "per-CPU area", 80 * 4 },
		{ RAM_RESERVED, "log buffer", 256 },
		{ RAM_RESERVED, "swiotlb", 65536 },
		{ RAM_RESERVED, "crashkernel", 262144 },
		{ RAM_RESERVED, "node data", 172 },
		{ RAM_BEFORE, "per-CPU areas", 3104 - 2560 },
		{ RAM_BEFORE, "page cache", 20100 },
		{ RAM_BEFORE, "page tables", 250 },
		{ RAM_BEFORE, "huge pages", 65536 },
		{ RAM_BEFORE, "Inode-cache hash table", 2048 },
		{ WITHIN, "Dentry cache hash table", 4096 },
		{ WITHIN, "initrd (freed)", 16384 },
		{ 0 } });
	machine("kdump", 87564, (const struct expected[]){
		{ RAM_FIRMWARE, "below 1 MiB", 0 },
		{ RAM_FIRMWARE, "reserved", 4 + 1 },
		{ RAM_RESERVED, "below 1 MiB", 632 },
		{ RAM_RESERVED, "crashkernel", 0 },
		{ 0 } });
	machine("arm64", 221872, (const struct expected[]){
		{ RAM_SUM, "installed", 262144 + 1024 },
		{ RAM_SUM, "present", 262144 },
		{ RAM_RESERVED, "firmware@4e000000", 8192 },
		{ RAM_RESERVED, "ramoops@4d000000", 3072 + 1024 },
		{ RAM_RESERVED, "node data", 11 },
		{ WITHIN, "pool@4a000000", 16384 },
		{ WITHIN, "CMA", 49152 },
		{ RAM_FIRMWARE, "taken out@20000000", 1024 },
		{ RAM_RESERVED, "elsewhere@30000000", 0 },
		{ 0 } });
}

/* One section alone, with what makes its rows complete. */
static uint64_t row_of(const char *text, enum ram_group group,
		       const char *name)
{
	static struct ram_machine m;
	static struct listener l;

	l = (struct listener){ .out.event = hear };
	ram_machine_read(&m, &l.out, text, strlen(text));
	return group == WITHIN ? within(&l.rows, name) :
				 ram_rows_kib(&l.rows, group, name);
}

#define ZONE "\n=== zoneinfo\n present 100000\n managed 90000\n"

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
		uint64_t kib = row_of(t[i].text, t[i].group, t[i].name);

		tap_ok(kib == t[i].kib, "%s: %" PRIu64 "K, is to be %" PRIu64
		       "K", t[i].name, kib, t[i].kib);
	}
}

static void test_table(void)
{
	static struct ram_rows r;
	struct event e = { .type = EVENT_RAM, .flags = RAM_KERNEL,
			   .size = UINT64_MAX, .name = "much" };
	uint32_t taken = 0;

	tap_ok(ram_rows_add(&r, &e) == 1 && ram_rows_add(&r, &e) == 1 &&
	       ram_rows_kib(&r, RAM_KERNEL, "much") == RAM_KIB_MAX,
	       "a row has a bound");
	e.flags = RAM_TRACED;
	tap_ok(ram_rows_add(&r, &e) == -1, "what is traced is not told");
	e.flags = RAM_FREE;
	tap_ok(ram_rows_add(&r, &e) == -1, "nor what is free");
	e.flags = RAM_GROUP_MASK;
	tap_ok(ram_rows_add(&r, &e) == -1, "nor any other group");
	e.flags = RAM_KERNEL | RAM_WITHIN;
	tap_ok(ram_rows_add(&r, &e) == 1 && r.used == 2,
	       "a part of a row is another row");
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
	test_pcs();
	test_others();
	test_lines();
	test_table();
	return tap_plan_done();
}
