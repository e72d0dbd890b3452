/* SPDX-License-Identifier: MIT */
/* Where RAM is: see proc.h. */
#include <errno.h>
#include "base/base.h"
#include "source/proc/proc.h"

/* A range that begins inside the last one or right behind it extends the last
 * one: RAM that was plugged in appears in the file as many small pieces. If
 * there are more ranges than we keep, the last one grows over the gap. */
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

/* "System RAM", or what a driver adds: "System RAM (virtio_mem)", "System RAM
 * (kmem)". The kernel accepts no other form of name from a driver
 * (add_memory_driver_managed, since 5.8). */
int ram_name(const struct word *name)
{
	return word_is(name, "System RAM") ||
	       (word_begins(name, "System RAM (") &&
		name->at[name->len - 1] == ')');
}

/* "00100000-0bfdffff : System RAM". A range inside another one is indented by
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
