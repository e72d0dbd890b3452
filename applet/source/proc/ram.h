/* SPDX-License-Identifier: MIT */
/*
 * Where all of RAM is: what the firmware kept, what the kernel's image takes,
 * what was reserved at boot, what was used before tracing. One EVENT_RAM for
 * each part.
 *
 *	/proc/meminfo	at the start of tracing: what was used, by kind
 *	the kernel's log	hash tables, per-CPU areas, bounce buffers, what was
 *			freed again (ram_log.c)
 *	/proc/iomem	the map of the firmware, and the kernel's image in it
 *			(ram_map.c)
 *	/proc/zoneinfo	the pages that were present at boot
 *	/proc/vmstat	page structs, since 6.10
 *	/proc/vmallocinfo	tables of per-CPU objects of memory cgroups
 *	/proc/device-tree/reserved-memory	regions by name (ram_tree.c)
 *	debugfs		slots of swiotlb: since 6.0 the log has it only if there is
 *			RAM above 4 GiB
 *
 * Every figure is the kernel's own. Only page structs before 6.10 follow from
 * the number of pages, if the log does not have them either.
 */
#ifndef MEMSTRACK_RAM_H
#define MEMSTRACK_RAM_H

#include "base/readfile.h"
#include "source/event.h"

/* Bytes of struct page, as far as the kernel does not tell: as in boot_log.c. */
#define PAGE_STRUCT_BYTES (sizeof(long) == 8 ? 64u : 32u)

/* A region of reserved-memory. */
struct tree_region {
	uint64_t base, bytes;
	uint8_t no_map, reusable;
	uint8_t in_map;		/* iomem has it, or its place is not known */
	char name[RAM_NAME_BYTES];
};

/* Bytes, if the name does not say otherwise. */
struct ram_reader {
	struct event_out *out;
	struct event event;	/* its time is given */
	uint32_t page_size;

	/* From meminfo, at the start. */
	uint64_t percpu;

	/* From the log. */
	uint64_t ramdisk, swiotlb, node_data;
	uint64_t log_buffer, log_all;	/* text; with what describes it */
	int log_made;			/* from memblock */
	uint64_t percpu_pages, percpu_unit, percpu_alloc;
	uint64_t memmap_pages;
	uint64_t freed_image, freed_bss, freed_initrd;
	int image_freed;
	struct {
		const char *name;
		uint64_t bytes;
	} log_image[4];		/* for machines whose iomem has no image */
	uint32_t log_images;
	int late;		/* the page allocator is ready */

	/* From iomem; ends are one byte behind. */
	uint64_t ram, ram_end, firmware, low_ram_pages;
	uint64_t run_end, run_hole, run_reserved, run_acpi;
	int run_has_ram;
	uint64_t image_start, image_end, image_named, bss;

	/* From zoneinfo and vmstat, in pages. */
	uint64_t present, zone_present, zone_managed, low_reserved;
	uint64_t memmap_boot, balloon;

	/* Bytes of a block of memory that can go offline; 0: not known. */
	uint64_t block;

	uint32_t regions;
	struct tree_region region[TREE_REGIONS_MAX];
};

/* Tells one part: `flags` as of EVENT_RAM; nothing if it has no bytes. */
void ram_tell(struct ram_reader *r, uint32_t flags, const struct word *name,
	      uint64_t bytes);
void ram_tell_named(struct ram_reader *r, uint32_t flags, const char *name,
		    uint64_t bytes);

/* Lines of the log, without prefix: any; a table's, up to the size; freed
 * memory. */
void ram_log_line(struct ram_reader *r, const struct word *text);
void ram_log_hash(struct ram_reader *r, const struct word *name,
		  uint64_t bytes, int by_vmalloc);
void ram_log_freed(struct ram_reader *r, const struct word *what,
		   uint64_t kib);

/* A line of iomem. */
void ram_map_line(struct ram_reader *r, const char *line, size_t len);
/* All lines of iomem were read: tells what only their sum tells. */
void ram_map_end(struct ram_reader *r);

/* Reads the regions of the device tree, and tells them once iomem is read. */
void ram_tree_read(struct ram_reader *r);
void ram_tree_tell(struct ram_reader *r);

#endif
