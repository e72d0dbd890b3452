/* SPDX-License-Identifier: MIT */
/* What may still be had, by /proc/meminfo: see proc.h. */
#include <stddef.h>
#include <string.h>
#include "base/system.h"
#include "limits.h"
#include "source/proc/proc.h"

/* Of fewer pages that are swapped out nobody knows what they have freed. */
#define SWAPPED_LEAST 1024

static void take_meminfo(void *context, char *line, size_t len)
{
	static const struct { char name[16]; uint8_t at; } lines[] = {
#define LINE(name, field) { name, offsetof(struct available, field) }
		LINE("MemAvailable", kib), LINE("SwapFree", swap_kib),
		LINE("SwapTotal", all_swap_kib),
		LINE("SReclaimable", slab_kib), LINE("Slab", all_slab_kib),
		LINE("Active(file)", file_kib), LINE("Inactive(file)", file_kib),
		LINE("Mapped", busy_kib), LINE("Dirty", busy_kib),
		LINE("Writeback", busy_kib), LINE("AnonPages", anon_kib),
		LINE("Shmem", shmem_kib), LINE("HugePages_Total", huge),
		LINE("HugePages_Free", huge_free),
		LINE("HugePages_Rsvd", huge_owed),
		LINE("Hugepagesize", huge_kib), LINE("Hugetlb", all_huge_kib),
#undef LINE
	};
	struct available *a = context;
	struct word rest = { line, len }, name;
	uint64_t kib;

	/* Huge pages are counted: without "kB". */
	word_to(&rest, ':', &name);
	if (number_to(past_blanks(&rest), ' ', 10, &kib))
		return;
	a->known |= word_is(&name, "MemAvailable");
	for (uint32_t i = 0; i < ARRAY_LEN(lines); i++)
		if (word_is(&name, lines[i].name))
			*(uint64_t *)((char *)a + lines[i].at) += kib;
}

void proc_available(int meminfo_fd, struct available *a)
{
	*a = (struct available){ 0 };
	if (meminfo_fd >= 0)
		each_line_again(meminfo_fd, take_meminfo, a);
	a->kib += a->swap_kib;
}

/* While little is swapped out, what was told before holds. */
static void tell_swap(const struct available *a, int zoneinfo_fd,
		      struct event_out *out, uint64_t time_ns,
		      uint32_t page_kib)
{
	const uint64_t swapped = (a->all_swap_kib - a->swap_kib) / page_kib;
	struct zones z;

	kept_tell(out, time_ns, KEPT_SWAP, a->swap_kib / page_kib);
	if (swapped < SWAPPED_LEAST)
		return;
	proc_zones(zoneinfo_fd, &z);
	if (z.packed_pages > swapped)
		z.packed_pages = swapped;
	kept_tell(out, time_ns, KEPT_SWAP_FREES,
		  1024 - z.packed_pages * 1024 / swapped);
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Of other sizes only the sum is in /proc/meminfo. The ledger knows by the order
 * which figure is the first. */
static void tell_huge(const struct available *a, struct event_out *out,
		      uint64_t time_ns, uint32_t page_kib)
{
	const uint64_t unused_kib = above(a->huge_free, a->huge_owed) *
				    a->huge_kib;
	const uint64_t usual_kib = a->huge * a->huge_kib;

	figure_tell(out, time_ns, BASELINE_HUGE, unused_kib * 1024);
	kept_tell(out, time_ns, KEPT_HUGE_USED,
		  above(usual_kib, unused_kib) / page_kib);
	kept_tell(out, time_ns, KEPT_HUGE_UNUSED, unused_kib / page_kib);
	kept_tell(out, time_ns, KEPT_HUGE_OTHERS,
		  above(a->all_huge_kib, usual_kib) / page_kib);
}

void proc_tell_available(int meminfo_fd, int zoneinfo_fd,
			 struct event_out *out, uint64_t time_ns,
			 uint32_t page_size)
{
	const uint32_t page_kib = page_size / 1024;
	struct available a;
	struct event e;

	if (meminfo_fd < 0)
		return;
	proc_available(meminfo_fd, &a);
	tell_huge(&a, out, time_ns, page_kib);
	tell_swap(&a, zoneinfo_fd, out, time_ns, page_kib);
	event_begin(&e, EVENT_AVAILABLE, time_ns);
	e.free_pages = above(a.file_kib, a.busy_kib) / page_kib;
	e.rss_pages = a.anon_kib / page_kib;
	e.pages = a.shmem_kib / page_kib;
	e.objects = a.all_slab_kib / page_kib;
	out->event(out, &e);
}
