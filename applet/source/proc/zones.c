/* SPDX-License-Identifier: MIT */
/*
 * How much the kernel's own allocations may still take: see proc.h, zones.
 *
 * "Node 0, zone   Normal", then the zone's counters, one a line, and
 * "protection: (0, 0, 1932, …)": what the zone keeps from allocations that may
 * use zones behind it, one number for each zone that they may use last. A node
 * lists all zones in their order, empty ones too (since 4.12).
 */
#include <stddef.h>
#include <string.h>
#include "base/system.h"
#include "limits.h"
#include "source/proc/proc.h"

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

static uint64_t above(uint64_t pages, uint64_t limit)
{
	return pages > limit ? pages - limit : 0;
}

/* The kernel's own allocations use the zones up to the last before one that is
 * apart, others all. */
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
	if (r->zones == ZONES_MOST)	/* no kernel has more */
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

void kept_tell(struct event_out *out, uint64_t time_ns, enum kept what,
	       uint64_t pages)
{
	struct event e;

	event_named(&e, EVENT_KEPT, time_ns, kept_names[what]);
	e.pages = pages;
	out->event(out, &e);
}

void room_tell(const struct room *r, struct event_out *out, uint64_t time_ns)
{
	const struct zones *z = &r->zones;
	const uint64_t pages[KEPT_MARKS + 1] = {
		[KEPT_MIN] = z->kept_pages, [KEPT_RESERVE] = z->reserve_pages,
		[KEPT_APART] = z->apart_pages, [KEPT_CMA] = z->cma_pages,
		[KEPT_MARKS] = z->min_pages,
	};

	for (enum kept i = 0; i <= KEPT_MARKS && z->known; i++)
		kept_tell(out, time_ns, i, pages[i]);
}
