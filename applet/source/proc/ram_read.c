/* SPDX-License-Identifier: MIT */
/* Reads the parts of RAM: see proc.h, dt cells, ram and ram read. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"

#define CELL_BYTES 4u
#define CELLS_MAX 4u

int dt_number(const unsigned char *at, size_t len, uint32_t cells,
	      uint64_t *value)
{
	uint64_t number = 0;

	if (!cells || cells > CELLS_MAX || len < cells * CELL_BYTES)
		return -EINVAL;
	for (uint32_t i = 0; i < cells * CELL_BYTES; i++) {
		if (number >> 56)
			return -ERANGE;
		number = number << 8 | at[i];
	}
	*value = number;
	return 0;
}

int dt_pair(const unsigned char *reg, size_t len, uint32_t address_cells,
	    uint32_t size_cells, uint32_t pair, uint64_t *base,
	    uint64_t *bytes)
{
	size_t base_bytes, each, at;
	int error;

	if (!address_cells || address_cells > CELLS_MAX || !size_cells ||
	    size_cells > CELLS_MAX)
		return -EINVAL;
	base_bytes = (size_t)address_cells * CELL_BYTES;
	each = base_bytes + (size_t)size_cells * CELL_BYTES;
	if (pair >= len / each)
		return -ENOENT;
	at = pair * each;
	error = dt_number(reg + at, len - at, address_cells, base);
	if (!error)
		error = dt_number(reg + at + base_bytes, len - at - base_bytes,
				  size_cells, bytes);
	return error;
}

/*
 * --- ram tree
 *
 * The regions that a device tree reserves, by name: see proc.h, ram.
 *
 * A region has "reg"; or only "size", if the kernel chooses its address.
 * "reusable" regions are given to the page allocator as contiguous memory
 * (CMA). "no-map" regions are never free pages of a zone; arm before 5.11
 * removes them from RAM, so that iomem does not have them.
 *
 * Sources: Documentation/devicetree/bindings/reserved-memory/, drivers/of/
 * of_reserved_mem.c of 6.1 and 6.12.
 */

#define TREE "/proc/device-tree/reserved-memory"

struct property {
	unsigned char bytes[512];
	ssize_t len;		/* below 0: there is no such property */
};

static void get(struct property *p, const char *node, const char *name)
{
	char path[PATH_BYTES];

	print_to(path, sizeof(path), TREE "/%s/%s", node, name);
	p->len = readfile(path, (char *)p->bytes, sizeof(p->bytes));
}

static uint32_t cells(const char *name)
{
	struct property p;
	uint64_t value = 0;

	get(&p, ".", name);
	if (p.len < 0 || dt_number(p.bytes, (size_t)p.len, 1, &value) ||
	    value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static int has(const char *node, const char *name)
{
	struct property p;

	get(&p, node, name);
	return p.len >= 0;
}

static int is_disabled(const char *node)
{
	struct property p;

	get(&p, node, "status");
	return p.len > 0 && strcmp((char *)p.bytes, "okay") &&
	       strcmp((char *)p.bytes, "ok");
}

static void add(struct ram_reader *r, const char *node, uint64_t base,
		uint64_t bytes, int in_map)
{
	struct tree_region *t = &r->region[r->regions];

	if (r->regions == TREE_REGIONS_MAX || !bytes)
		return;
	r->regions++;
	t->base = base;
	t->bytes = bytes;
	t->in_map = (uint8_t)in_map;
	t->no_map = (uint8_t)has(node, "no-map");
	t->reusable = (uint8_t)has(node, "reusable");
	print_to(t->name, sizeof(t->name), "%s", node);
}

static void take_node(void *context, const char *node)
{
	struct ram_reader *r = context;
	const uint32_t address_cells = cells("#address-cells");
	const uint32_t size_cells = cells("#size-cells");
	uint64_t base, bytes;
	struct property p;

	if (*node == '.' || is_disabled(node))
		return;
	get(&p, node, "reg");
	if (p.len < 0) {
		get(&p, node, "size");
		if (p.len > 0 && !dt_number(p.bytes, (size_t)p.len,
					    size_cells, &bytes))
			add(r, node, 0, bytes, 1);
		return;
	}
	for (uint32_t i = 0; !dt_pair(p.bytes, (size_t)p.len, address_cells,
				      size_cells, i, &base, &bytes); i++)
		add(r, node, base, bytes, 0);
}

static void ram_tree_read(struct ram_reader *r)
{
	proc_each_entry(TREE, take_node, r);
}

static void ram_tree_emit(struct ram_reader *r)
{
	for (uint32_t i = 0; i < r->regions; i++) {
		const struct tree_region *t = &r->region[i];

		if (t->in_map) {
			ram_emit_named(r, t->reusable ?
				       RAM_FREE | RAM_WITHIN : RAM_RESERVED,
				       t->name, t->bytes);
		} else if (t->no_map) {
			r->firmware += t->bytes;
			ram_emit_named(r, RAM_FIRMWARE, t->name, t->bytes);
		}
	}
}

/* --- ram read */

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
		   pages < RAM_LOW_BYTES / r->page_size &&
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
