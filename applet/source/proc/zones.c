/* SPDX-License-Identifier: MIT */
/* Memory that is available or free, by /proc/meminfo, buddyinfo and zoneinfo:
 * see proc.h, proc and zones. */
#include <stddef.h>
#include <string.h>
#include "base/system.h"
#include "limits.h"
#include "source/proc/proc.h"

/* With fewer pages swapped out, the share that they have freed is not known. */
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

	/* A number of huge pages has no "kB". */
	word_to(&rest, ':', &name);
	if (number_to(past_blanks(&rest), ' ', 10, &kib))
		return;
	a->known |= word_is(&name, "MemAvailable");
	for (uint32_t i = 0; i < ARRAY_LEN(lines); i++)
		if (*line == *lines[i].name && word_is(&name, lines[i].name))
			*(uint64_t *)((char *)a + lines[i].at) += kib;
}

void proc_available(int meminfo_fd, struct available *a)
{
	*a = (struct available){ 0 };
	if (meminfo_fd >= 0)
		each_line_again(meminfo_fd, take_meminfo, a);
	a->kib += a->swap_kib;
}

static void kept_emit(struct event_out *out, uint64_t time_ns, enum kept what,
		      uint64_t pages)
{
	struct event e;

	event_named(&e, EVENT_KEPT, time_ns, kept_names[what]);
	e.pages = pages;
	out->event(out, &e);
}

/* While little is swapped out, the KEPT_SWAP_FREES of before holds. */
static void emit_swap(const struct available *a, int zoneinfo_fd,
		      struct event_out *out, uint64_t time_ns,
		      uint32_t page_kib)
{
	const uint64_t swapped = (a->all_swap_kib - a->swap_kib) / page_kib;
	struct zones z;

	kept_emit(out, time_ns, KEPT_SWAP, a->swap_kib / page_kib);
	if (swapped < SWAPPED_LEAST)
		return;
	proc_zones(zoneinfo_fd, &z);
	if (z.packed_pages > swapped)
		z.packed_pages = swapped;
	kept_emit(out, time_ns, KEPT_SWAP_FREES,
		  1024 - z.packed_pages * 1024 / swapped);
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* /proc/meminfo has huge pages of other sizes only in the sum. BASELINE_HUGE
 * must come before EVENT_AVAILABLE: see apply_figure() of the ledger. */
static void emit_huge(const struct available *a, struct event_out *out,
		      uint64_t time_ns, uint32_t page_kib)
{
	const uint64_t unused_kib = above(a->huge_free, a->huge_owed) *
				    a->huge_kib;
	const uint64_t usual_kib = a->huge * a->huge_kib;

	figure_emit(out, time_ns, BASELINE_HUGE, unused_kib * 1024);
	kept_emit(out, time_ns, KEPT_HUGE_USED,
		  above(usual_kib, unused_kib) / page_kib);
	kept_emit(out, time_ns, KEPT_HUGE_UNUSED, unused_kib / page_kib);
	kept_emit(out, time_ns, KEPT_HUGE_OTHERS,
		  above(a->all_huge_kib, usual_kib) / page_kib);
}

void proc_emit_available(int meminfo_fd, int zoneinfo_fd,
			 struct event_out *out, uint64_t time_ns,
			 uint32_t page_size)
{
	const uint32_t page_kib = page_size / 1024;
	struct available a;
	struct event e;

	if (meminfo_fd < 0)
		return;
	proc_available(meminfo_fd, &a);
	emit_huge(&a, out, time_ns, page_kib);
	emit_swap(&a, zoneinfo_fd, out, time_ns, page_kib);
	event_begin(&e, EVENT_AVAILABLE, time_ns);
	e.free_pages = above(a.file_kib, a.busy_kib) / page_kib;
	e.rss_pages = a.anon_kib / page_kib;
	e.pages = a.shmem_kib / page_kib;
	e.objects = a.all_slab_kib / page_kib;
	out->event(out, &e);
}

/*
 * --- free pages
 *
 * The exact number of free pages: the buddy allocator's blocks, and the pages
 * on per-CPU lists. MemFree leaves out the per-CPU lists, and its count of the
 * blocks may be wrong by up to 125 pages for each CPU and zone.
 */

/* "Node 0, zone   Normal   3   1   0 …": free blocks of each order. */
uint64_t buddyinfo_line(const char *line, size_t len, uint64_t *largest)
{
	struct word rest = { line, len }, w;
	uint64_t pages = 0, blocks;

	*largest = 0;
	word_to(&rest, ',', &w);
	if (!word_is(next_word(&rest, &w), "zone"))
		return 0;
	next_word(&rest, &w);	/* its name */
	for (unsigned int order = 0; order <= ORDER_MAX; order++) {
		if (word_number(next_word(&rest, &w), 10, &blocks) ||
		    blocks > UINT32_MAX)
			break;
		pages += blocks << order;
		if (blocks)
			*largest = UINT64_C(1) << order;
	}
	return pages;
}

static void take_buddyinfo(void *context, char *line, size_t len)
{
	uint64_t largest;

	*(uint64_t *)context += buddyinfo_line(line, len, &largest);
}

/* A zone with a block that is large enough was not open to the allocation: it
 * is kept for other allocations, or for movable pages. */
static void take_blocks(void *context, char *line, size_t len)
{
	struct event *e = context;
	uint64_t largest;

	e->free_pages += buddyinfo_line(line, len, &largest);
	if (largest > e->pages && largest < e->size)
		e->pages = largest;
}

void proc_blocks(struct event_out *out, uint64_t time_ns, uint64_t pages)
{
	struct event e;

	event_begin(&e, EVENT_BLOCKS, time_ns);
	e.size = pages;
	if (!each_line("/proc/buddyinfo", take_blocks, &e))
		out->event(out, &e);
}

static void take_zoneinfo(void *context, char *line, size_t len)
{
	*(uint64_t *)context += zoneinfo_line(line, len);
}

uint64_t proc_free_pages(void)
{
	uint64_t pages = 0;

	if (each_line("/proc/zoneinfo", take_zoneinfo, &pages) ||
	    each_line("/proc/buddyinfo", take_buddyinfo, &pages))
		return 0;
	return pages;
}

static void take_handed(void *context, char *line, size_t len)
{
	uint64_t *pages = context, count;
	struct word w;

	if (!counter_line(line, len, &w, &count) && word_begins(&w, "pgalloc_"))
		*pages += count;
}

uint64_t proc_handed_pages(void)
{
	uint64_t pages = 0;

	return each_line("/proc/vmstat", take_handed, &pages) ? 0 : pages;
}

/*
 * --- zones
 *
 * How much the kernel's own allocations may still take: see proc.h, zones.
 *
 * "Node 0, zone   Normal", then the zone's counters, one a line, and
 * "protection: (0, 0, 1932, …)": the pages that the zone keeps from allocations
 * that may also use higher zones, one number for each highest zone. A node
 * lists all its zones in order, empty ones too (since 4.12).
 */

#define LOOK_NS 10000000u

/* MAX_NR_ZONES: DMA, DMA32, Normal, HighMem, Movable, Device. */
#define ZONES_MOST 6u

struct zone {
	int apart, high;	/* the kernel's own allocations may not use it */
	uint64_t managed, free, min, cma, packed;
	uint64_t protection[ZONES_MOST];
};

struct reader {
	struct zones *sum;
	struct zone zone[ZONES_MOST];
	uint32_t zones;		/* of this node so far */
	uint64_t node;
};

/* The kernel's own allocations use the zones up to the first one that is
 * apart. */
static void end_node(struct reader *r)
{
	struct zones *s = r->sum;
	uint32_t own = 0;

	while (own + 1 < r->zones && !r->zone[own + 1].apart)
		own++;
	for (uint32_t i = 0; i < r->zones; i++) {
		const struct zone *z = &r->zone[i];
		const uint64_t cma = z->cma < z->free ? z->cma : z->free;
		const uint64_t free = z->free - cma;
		uint64_t room, kept;

		if (!z->managed)
			continue;
		s->known = 1;
		s->free_pages += z->free;
		s->min_pages += z->min;
		s->packed_pages += z->packed;
		s->any_pages += above(z->free, z->min +
				      z->protection[r->zones - 1]);
		if (z->apart) {
			s->apart_pages += z->high ? 0 : z->free;
			s->high_pages += z->high ? z->free : 0;
			continue;
		}
		s->cma_pages += cma;
		room = above(free, z->min + z->protection[own]);
		kept = z->min < free ? z->min : free;
		s->own_pages += room;
		s->own_min_pages += z->min;
		s->kept_pages += kept;
		s->reserve_pages += free - room - kept;
	}
	r->zones = 0;
}

static void take_protection(struct zone *z, struct word *rest)
{
	struct word w;

	word_to(rest, '(', &w);
	for (uint32_t i = 0; i < ZONES_MOST && rest->at; i++) {
		word_to(past_blanks(rest), ',', &w);
		if (number_to(&w, ')', 10, &z->protection[i]))
			return;
	}
}

static void begin_zone(struct reader *r, struct word *rest)
{
	struct word w;
	uint64_t node;

	if (number_to(past_blanks(rest), ',', 10, &node))
		return;
	if (node != r->node)
		end_node(r);
	r->node = node;
	if (r->zones == ZONES_MOST)	/* no kernel has more zones */
		return;
	next_word(rest, &w);
	next_word(rest, &w);
	r->zone[r->zones++] = (struct zone){
		.apart = word_is(&w, "HighMem") || word_is(&w, "Movable") ||
			 word_is(&w, "Device"),
		.high = word_is(&w, "HighMem"),
	};
}

static void take_counter(struct zone *z, const struct word *name,
			 struct word *rest)
{
	static const struct { const char *name; size_t at; } counters[] = {
		{ "min", offsetof(struct zone, min) },
		{ "managed", offsetof(struct zone, managed) },
		{ "nr_free_pages", offsetof(struct zone, free) },
		{ "nr_free_cma", offsetof(struct zone, cma) },
		{ "nr_zspages", offsetof(struct zone, packed) },
	};
	uint64_t pages;

	if (word_is(name, "protection:")) {
		take_protection(z, rest);
		return;
	}
	for (uint32_t i = 0; i < ARRAY_LEN(counters); i++)
		if (word_is(name, counters[i].name) &&
		    !word_number(past_blanks(rest), 10, &pages) &&
		    pages <= UINT32_MAX)
			*(uint64_t *)((char *)z + counters[i].at) = pages;
}

static void take_line_of_node(void *context, char *line, size_t len)
{
	struct reader *r = context;
	struct word rest = { line, len }, w;

	if (word_is(next_word(&rest, &w), "Node"))
		begin_zone(r, &rest);
	else if (r->zones)
		take_counter(&r->zone[r->zones - 1], &w, &rest);
}

void proc_zones(int zoneinfo_fd, struct zones *z)
{
	struct reader r = { .sum = z };

	*z = (struct zones){ 0 };
	each_line_again(zoneinfo_fd, take_line_of_node, &r);
	end_node(&r);
}

void room_look(struct room *r, uint64_t now_ns)
{
	proc_zones(r->fd, &r->zones);
	r->read_ns = now_ns;
}

uint64_t room_pages(struct room *r, uint64_t free_pages, uint64_t enough,
		    uint64_t now_ns)
{
	const struct zones *z = &r->zones;
	const uint64_t gone = above(z->free_pages, free_pages);
	const uint64_t room = above(z->own_pages, gone);

	if (!z->known)
		return free_pages;
	if (room && (room > enough ? gone <= enough / 8 :
				     now_ns < r->read_ns + LOOK_NS))
		return room;
	room_look(r, now_ns);
	return z->own_pages;
}

void room_emit(const struct room *r, struct event_out *out, uint64_t time_ns)
{
	const struct zones *z = &r->zones;
	const uint64_t pages[KEPT_MARKS + 1] = {
		[KEPT_MIN] = z->kept_pages, [KEPT_RESERVE] = z->reserve_pages,
		[KEPT_APART] = z->apart_pages, [KEPT_CMA] = z->cma_pages,
		[KEPT_MARKS] = z->min_pages,
	};

	for (enum kept i = 0; i <= KEPT_MARKS && z->known; i++)
		kept_emit(out, time_ns, i, pages[i]);
}
