/* SPDX-License-Identifier: MIT */
/* Parts of RAM, and what /proc/iomem has of them: see proc.h, ram. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "source/proc/proc.h"

void ram_emit(struct ram_reader *r, uint32_t flags, const struct word *name,
	      uint64_t bytes)
{
	struct event *e = &r->event;

	if (!bytes)
		return;
	e->type = EVENT_RAM;
	e->flags = flags;
	e->size = bytes;
	word_copy(name, e->name, RAM_NAME_BYTES);
	r->out->event(r->out, e);
}

void ram_emit_named(struct ram_reader *r, uint32_t flags, const char *name,
		    uint64_t bytes)
{
	ram_emit(r, flags, &(struct word){ name, strlen(name) }, bytes);
}

/* --- iomem: the ranges of RAM */

/* A range that begins within the last range or right behind it extends the last
 * range: RAM that was plugged in appears in the file as many small pieces. If
 * there are more ranges than we keep, the last range also covers the gap. */
static void add_range(struct ram *ram, uint64_t first, uint64_t end)
{
	struct ram_range *last = ram->range;

	if (ram->count) {
		last += ram->count - 1;
		if (ram->count == RAM_RANGES_MAX ||
		    first - last->first_pfn <= last->count_pages) {
			if (end > last->first_pfn + last->count_pages)
				last->count_pages = end - last->first_pfn;
			return;
		}
		last++;
	}
	*last = (struct ram_range){ first, end - first };
	ram->count++;
}

/* "System RAM", or RAM that a driver adds: "System RAM (virtio_mem)", "System
 * RAM (kmem)". The kernel accepts only this form of name from a driver
 * (add_memory_driver_managed, since 5.8). */
static int ram_name(const struct word *name)
{
	return word_is(name, "System RAM") ||
	       (word_begins(name, "System RAM (") &&
		name->at[name->len - 1] == ')');
}

/* "00100000-0bfdffff : System RAM". A range within another range is indented by
 * two blanks a level. */
int iomem_line(struct ram *ram, const char *line, size_t len,
	       uint32_t page_size)
{
	struct word rest = { line, len }, colon;
	uint64_t first, last;

	if (number_to(past_blanks(&rest), '-', 16, &first) ||
	    number_to(&rest, ' ', 16, &last) ||
	    !word_is(word_to(&rest, ' ', &colon), ":") || !ram_name(&rest) ||
	    first > last || last > UINT64_MAX - page_size)
		return 0;
	first = (first + page_size - 1) / page_size;
	last = (last + 1) / page_size;
	if (last > first)
		add_range(ram, first, last);
	return last > first;
}

struct iomem_reader {
	struct ram *ram;
	uint32_t page_size;
};

static void take_iomem(void *context, char *line, size_t len)
{
	struct iomem_reader *r = context;

	iomem_line(r->ram, line, len, r->page_size);
}

int proc_ram(struct ram *ram, uint32_t page_size)
{
	struct iomem_reader r = { ram, page_size };
	int error;

	ram->count = 0;
	error = each_line("/proc/iomem", take_iomem, &r);
	return error || ram->count ? error : -ENODATA;
}

/*
 * --- ram map
 *
 * /proc/iomem: how much RAM is installed, how much of it the firmware kept, and
 * where the kernel's image is: see proc.h, ram.
 *
 * The file does not mark RAM that the firmware keeps. We take a reserved range
 * for RAM if it touches RAM, directly or through other reserved ranges. On a PC
 * the RAM between 640 KiB and 1 MiB, which devices hide, counts too. If the
 * file does not have the image (powerpc), the kernel's log has its parts.
 *
 * Sources: arch/x86/kernel/e820.c (e820_type_to_string), arch/arm64/kernel/
 * setup.c (standard_resources, since 4.19 "reserved"), kernel/crash_core.c.
 */

#define PC_ROM_END (UINT64_C(1) << 32)	/* the firmware's ROM ends here */

struct map_range {
	uint64_t first, end;
	struct word name;
	int depth;
};

/* Parses "  06200000-07001ef1 : Kernel code". 0, or -1. */
static int parse(struct map_range *m, const char *line, size_t len)
{
	struct word rest = { line, len }, colon;
	uint64_t last;

	past_blanks(&rest);
	m->depth = (int)(rest.at != line);
	if (number_to(&rest, '-', 16, &m->first) ||
	    number_to(&rest, ' ', 16, &last) ||
	    !word_is(word_to(&rest, ' ', &colon), ":") || last <= m->first ||
	    last > INT64_MAX)
		return -1;
	m->end = last + 1;
	m->name = rest;
	return 0;
}

static int is_acpi(const struct word *name)
{
	return word_is(name, "ACPI Tables") ||
	       word_is(name, "ACPI Non-volatile Storage");
}

static int is_reserved(const struct word *name)
{
	return word_is(name, "Reserved") || word_is(name, "Unusable memory") ||
	       word_is(name, "Soft Reserved");
}

static void emit_firmware(struct ram_reader *r, const char *name,
			  uint64_t bytes)
{
	r->firmware += bytes;
	ram_emit_named(r, RAM_FIRMWARE, name, bytes);
}

/* The run of adjacent ranges has RAM: so its reserved ranges up to here are RAM
 * too. */
static void attach(struct ram_reader *r)
{
	r->run_has_ram = 1;
	emit_firmware(r, "reserved", r->run_reserved);
	emit_firmware(r, "ACPI", r->run_acpi);
	emit_firmware(r, "below 1 MiB", r->run_hole);
	r->run_reserved = r->run_acpi = r->run_hole = 0;
}

static void begin_run(struct ram_reader *r, uint64_t first)
{
	const uint64_t end = r->run_end;

	r->run_reserved = r->run_acpi = r->run_hole = 0;
	if (r->run_has_ram && end < RAM_LOW_BYTES && first <= RAM_LOW_BYTES)
		r->run_hole = first - end;
	r->run_has_ram = 0;
}

/* Takes a range at the top level. A run ends where the next range is not
 * adjacent. */
static void take_run(struct ram_reader *r, const struct map_range *m, int ram)
{
	const uint64_t bytes = m->end - m->first;

	if (!ram && !is_acpi(&m->name) && !is_reserved(&m->name))
		return;
	if (m->first < r->run_end)
		return;
	if (m->first != r->run_end || m->first == PC_ROM_END)
		begin_run(r, m->first);
	if (is_acpi(&m->name))
		r->run_acpi += bytes;
	else if (!ram)
		r->run_reserved += bytes;
	if (ram || r->run_has_ram)
		attach(r);
	r->run_end = m->end;
}

static void take_ram(struct ram_reader *r, const struct map_range *m)
{
	const uint64_t first = m->first > r->ram_end ? m->first : r->ram_end;

	if (m->end <= first)
		return;
	r->ram += m->end - first;
	r->ram_end = m->end;
	if (m->end <= RAM_LOW_BYTES)
		r->low_ram_pages += m->end / r->page_size -
			(first + r->page_size - 1) / r->page_size;
}

/* Takes a range of the image. `part` is its name behind "Kernel ". */
static void take_image(struct ram_reader *r, const struct map_range *m,
		       const struct word *part)
{
	const uint64_t bytes = m->end - m->first;

	if (!r->image_start || m->first < r->image_start)
		r->image_start = m->first;
	if (m->end > r->image_end)
		r->image_end = m->end;
	if (word_is(part, "image"))
		return;
	r->image_named += bytes;
	if (word_is(part, "bss"))
		r->bss += bytes;
	else
		ram_emit(r, RAM_KERNEL, part, bytes);
}

static void find_regions(struct ram_reader *r, const struct map_range *m)
{
	for (uint32_t i = 0; i < r->regions; i++)
		r->region[i].in_map |= r->region[i].base >= m->first &&
				       r->region[i].base < m->end;
}

void ram_map_line(void *reader, char *line, size_t len)
{
	struct ram_reader *r = reader;
	struct map_range m;
	struct word part;
	int ram;

	if (parse(&m, line, len))
		return;
	part = m.name;
	/* arm64: RAM that the kernel must not map, but memblock has. */
	ram = ram_name(&m.name) || (!m.depth && word_is(&m.name, "reserved"));
	if (ram)
		take_ram(r, &m);
	if (!m.depth) {
		take_run(r, &m, ram);
		find_regions(r, &m);
	} else if (word_is(&m.name, "Crash kernel")) {
		ram_emit_named(r, RAM_RESERVED, RAM_CRASHKERNEL,
			       m.end - m.first);
	} else if (!word_skip(&part, "Kernel ") && part.len) {
		take_image(r, &m, &part);
	}
}

/* Between the named parts of the image are tables of the unwinder, and gaps.
 * Only the log says how much of them was freed. */
void ram_map_end(struct ram_reader *r)
{
	const uint64_t span = r->image_end - r->image_start;
	const uint64_t known = r->image_named + r->freed_image;

	if (!r->image_end)	/* powerpc */
		for (uint32_t i = 0; i < r->log_images; i++)
			ram_emit_named(r, RAM_KERNEL, r->log_image[i].name,
				       r->log_image[i].bytes);
	if (!r->image_freed || !r->image_end)
		return;
	if (r->bss >= r->freed_bss)
		ram_emit_named(r, RAM_KERNEL, "bss", r->bss - r->freed_bss);
	if (span > known)
		ram_emit_named(r, RAM_KERNEL, "other", span - known);
}
