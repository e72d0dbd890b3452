/* SPDX-License-Identifier: MIT */
/* Reads the parts of RAM: see proc.h, ram read. */
#include <errno.h>
#include <string.h>
#include "source/proc/proc.h"

#define LOW_BYTES (UINT64_C(1) << 20)
#define SWIOTLB_SLOTS "/sys/kernel/debug/swiotlb/io_tlb_nslabs"
#define SWIOTLB_SLOT_BYTES 2048u
#define BLOCK_BYTES "/sys/devices/system/memory/block_size_bytes"

/* The kernel's names, and ours. Lines with the same name of ours are one part.
 * Stacks of tasks are areas of vmalloc on all 64-bit machines of today
 * (CONFIG_VMAP_STACK). */
static const struct {
	const char *meminfo, *name;
	uint32_t flags;
} kinds[] = {
	{ "Slab", "slab", RAM_BEFORE },
	{ "Cached", "page cache", RAM_BEFORE },
	{ "Buffers", "page cache", RAM_BEFORE },
	{ "AnonPages", "programs", RAM_BEFORE },
	{ "PageTables", "page tables", RAM_BEFORE },
	{ "SecPageTables", "page tables", RAM_BEFORE },
	{ "VmallocUsed", "vmalloc", RAM_BEFORE },
	{ "Hugetlb", "huge pages", RAM_BEFORE },
	{ "KernelStack", "kernel stacks",
	  RAM_BEFORE | (sizeof(long) == 8 ? RAM_WITHIN : 0) },
	{ "CmaTotal", "CMA", RAM_FREE | RAM_WITHIN },
};

void ram_meminfo_line(void *reader, char *line, size_t len)
{
	struct ram_reader *r = reader;
	struct word name;
	uint64_t kib;

	if (meminfo_kib(line, len, &name, &kib) || kib > UINT64_MAX / 1024)
		return;
	if (word_is(&name, "Percpu"))
		r->percpu = kib * 1024;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (word_is(&name, kinds[i].meminfo))
			ram_emit_named(r, kinds[i].flags, kinds[i].name,
				       kib * 1024);
}

/* Each zone has these lines in this order. */
void ram_zoneinfo_line(void *reader, char *line, size_t len)
{
	struct ram_reader *r = reader;
	struct word w;
	uint64_t pages;

	if (counter_line(line, len, &w, &pages))
		return;
	if (word_is(&w, "present")) {
		r->present += pages;
		r->zone_present = pages;
	} else if (word_is(&w, "managed")) {
		r->zone_managed = pages;
	} else if (word_is(&w, "start_pfn:") && r->zone_present &&
		   pages < LOW_BYTES / r->page_size &&
		   r->zone_managed <= r->zone_present) {
		r->low_reserved = r->zone_present - r->zone_managed;
	}
}

/* The name is nr_memmap_boot in 6.10 and 6.11, then nr_memmap_boot_pages. A
 * balloon holds what it has taken less what it has given back. */
void ram_vmstat_line(void *reader, char *line, size_t len)
{
	struct ram_reader *r = reader;
	struct word w;
	uint64_t pages;

	if (counter_line(line, len, &w, &pages))
		return;
	if (pages < UINT32_MAX && word_begins(&w, "nr_memmap_boot"))
		r->memmap_boot = pages;
	else if (word_is(&w, "balloon_inflate"))
		r->balloon += pages;
	else if (word_is(&w, "balloon_deflate"))
		r->balloon -= pages;
}

/* Unless cgroup.memory=nokmem is set, a chunk of per-CPU memory has a table of
 * 8 bytes for each 4 bytes of a unit (mm/percpu-vm.c, 5.9 and later). */
void ram_vmalloc_line(void *reader, char *line, size_t len)
{
	static const char creates[] = "pcpu_create_chunk";
	struct ram_reader *r = reader;
	struct event e;

	if (vmallocinfo_line(line, len, &e) != -EINVAL &&
	    !memcmp(e.name, creates, sizeof(creates) - 1) &&
	    e.pages * r->page_size == 2 * r->percpu_unit)
		ram_emit_named(r, RAM_SUM, RAM_KMEM, e.pages * r->page_size);
}

/* The first chunk has a unit for each CPU, and comes from memblock. meminfo
 * counts this chunk too, and counts units of an allocation that no CPU uses. So
 * without the log the figure of meminfo is of no use. */
static void emit_percpu(struct ram_reader *r, uint64_t cpus)
{
	const uint64_t each = r->percpu_pages * r->page_size;
	uint64_t units = cpus, together = 1;

	if (!r->percpu_pages || r->percpu_pages > UINT32_MAX || !cpus)
		return;
	if (r->percpu_unit && r->percpu_alloc > r->percpu_unit)
		together = r->percpu_alloc / r->percpu_unit;
	if (together < CPUS_MAX)
		units = (cpus + together - 1) / together * together;
	ram_emit_named(r, RAM_SUM, RAM_PERCPU_EACH, each);
	ram_emit_named(r, RAM_RESERVED, RAM_PERCPU, each * cpus);
	if (r->percpu / units > each)
		ram_emit_named(r, RAM_BEFORE, RAM_PERCPU,
			       (r->percpu / units - each) * cpus);
}

static void emit_page_structs(struct ram_reader *r)
{
	uint64_t bytes = r->present * PAGE_STRUCT_BYTES;

	if (r->memmap_boot)
		bytes = r->memmap_boot * r->page_size;
	else if (r->memmap_pages)
		bytes = r->memmap_pages * r->page_size;
	ram_emit_named(r, RAM_RESERVED, "page structs", bytes);
}

static void emit_from_log(struct ram_reader *r)
{
	if (r->freed_initrd)
		ram_emit_named(r, RAM_FREE | RAM_WITHIN, "initrd (freed)",
			       r->freed_initrd);
	else
		ram_emit_named(r, RAM_RESERVED, "initrd", r->ramdisk);
	ram_emit_named(r, RAM_RESERVED, RAM_SWIOTLB, r->swiotlb);
	if (r->log_made)
		ram_emit_named(r, RAM_RESERVED, "log buffer",
			       r->log_all > r->log_buffer ? r->log_all :
							    r->log_buffer);
}

/* Since 5.13 x86 reserves the first MiB: then none of its RAM is free. */
static void emit_low(struct ram_reader *r)
{
	if (r->low_reserved >= r->low_ram_pages)
		ram_emit_named(r, RAM_RESERVED, "below 1 MiB",
			       r->low_ram_pages * r->page_size);
}

/* Whole blocks of RAM that the page allocator does not have. */
static void emit_offline(struct ram_reader *r)
{
	const uint64_t present = r->present * r->page_size;
	uint64_t bytes = r->ram > present ? r->ram - present : 0;

	if (!r->block)
		return;
	bytes -= bytes % r->block;
	ram_emit_named(r, RAM_OFFLINE, RAM_OFFLINE_NAME, bytes);
	ram_emit_named(r, RAM_BEFORE, RAM_OFFLINE_STRUCTS,
		       bytes / r->page_size * PAGE_STRUCT_BYTES);
}

uint64_t ram_balloon(struct ram_reader *r)
{
	r->balloon = 0;
	each_line("/proc/vmstat", ram_vmstat_line, r);
	return r->balloon;
}

void ram_begin(struct ram_reader *r, struct event_out *out, uint64_t time_ns,
	       uint32_t page_size)
{
	memset(r, 0, sizeof(*r));
	r->out = out;
	r->page_size = page_size;
	event_begin(&r->event, EVENT_RAM, time_ns);
	each_line("/proc/meminfo", ram_meminfo_line, r);
}

void ram_emit_rest(struct ram_reader *r, uint64_t cpus)
{
	const uint64_t present = r->present * r->page_size;
	uint64_t installed;

	if (!present)
		return;
	ram_map_end(r);
	emit_page_structs(r);
	emit_percpu(r, cpus);
	emit_from_log(r);
	emit_low(r);
	emit_offline(r);
	ram_tree_emit(r);
	installed = r->ram + r->firmware;
	ram_emit_named(r, RAM_SUM, RAM_PRESENT, present);
	ram_emit_named(r, RAM_SUM, RAM_INSTALLED,
		       installed > present ? installed : present);
}

void ram_finish(struct ram_reader *r)
{
	uint64_t slots = 0;

	if (!r->swiotlb && !read_number(SWIOTLB_SLOTS, 10, &slots) &&
	    slots < UINT32_MAX)
		r->swiotlb = slots * SWIOTLB_SLOT_BYTES;
	read_number(BLOCK_BYTES, 16, &r->block);
	ram_tree_read(r);
	each_line("/proc/iomem", ram_map_line, r);
	each_line("/proc/zoneinfo", ram_zoneinfo_line, r);
	each_line("/proc/vmstat", ram_vmstat_line, r);
	each_line("/proc/vmallocinfo", ram_vmalloc_line, r);
	ram_emit_rest(r, proc_possible_cpus());
}
