/* SPDX-License-Identifier: MIT */
/* When to look at all of /proc: see sampled.h. */
#include "source/sampled/sampled.h"

#define SHORTEST_NS 100000000u
#define LONGEST_NS 1000000000u

/* The CPU time of a pass, times this, is the rest after it: so all passes
 * together take a third of a per cent of one CPU, and slabinfo an eighth. */
#define PASS_REST 300u
#define FILE_REST 800u

/* Parts of all memory. */
#define MOVED_DIVISOR 256u
#define PLUNGE_DIVISOR 32u
#define QUARTER_DIVISOR 4u
#define LITTLE_DIVISOR 8u
#define STIR_DIVISOR 1024u
#define STIR_LOOKS 25u

#define LOOK_LITTLE_NS 5000000u
#define LOOK_QUARTER_NS 20000000u
#define LOOK_IDLE_NS 200000000u

void when_begin(struct when *w, uint64_t total_pages)
{
	*w = (struct when){
		.total_pages = total_pages, .wait_ns = SHORTEST_NS,
		.lowest_pages = UINT64_MAX,
	};
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

int when_due(struct when *w, uint64_t now_ns, uint64_t free_pages)
{
	const int first = w->lowest_pages == UINT64_MAX;
	const int plunged = !first && free_pages + w->total_pages /
			    PLUNGE_DIVISOR < w->lowest_pages;
	int due;

	w->moved |= distance(free_pages, w->free_pages) >
		    w->total_pages / MOVED_DIVISOR;
	due = first || plunged ||
	      (now_ns >= w->rest_ns && now_ns - w->last_ns >=
	       (w->moved ? SHORTEST_NS : w->wait_ns));
	if (!due)
		return 0;
	if (w->moved)
		w->wait_ns = SHORTEST_NS;
	else if (w->wait_ns < LONGEST_NS)
		w->wait_ns *= 2;
	if (w->wait_ns > LONGEST_NS)
		w->wait_ns = LONGEST_NS;
	w->moved = 0;
	w->free_pages = free_pages;
	if (free_pages < w->lowest_pages)
		w->lowest_pages = free_pages;
	return 1;
}

void when_done(struct when *w, uint64_t now_ns, uint64_t cost_ns)
{
	w->last_ns = now_ns;
	w->rest_ns = now_ns + cost_ns * PASS_REST;
}

/* Memory that has fallen may fall faster at once. 0: it has not, or there is
 * enough. */
static uint64_t longest_look_ns(struct when *w, uint64_t fell_pages,
				uint64_t free_pages)
{
	if (fell_pages > w->total_pages / STIR_DIVISOR)
		w->stirred = STIR_LOOKS;
	else if (w->stirred)
		w->stirred--;
	if (!w->stirred || free_pages >= w->total_pages / QUARTER_DIVISOR)
		return 0;
	return free_pages < w->total_pages / LITTLE_DIVISOR ? LOOK_LITTLE_NS :
							      LOOK_QUARTER_NS;
}

uint64_t when_look_ns(struct when *w, uint64_t now_ns, uint64_t free_pages,
		      uint64_t least_pages)
{
	const uint64_t elapsed_ns = now_ns - w->looked_ns;
	const uint64_t fell = w->looked_pages > free_pages ?
			      w->looked_pages - free_pages : 0;
	const uint64_t longest_ns = longest_look_ns(w, fell, free_pages);
	uint64_t left, ns;

	w->looked_ns = now_ns;
	w->looked_pages = free_pages;
	if (w->wait_ns >= LONGEST_NS && !w->moved && !longest_ns)
		return LOOK_IDLE_NS;
	if (free_pages >= w->total_pages / 2 || !fell ||
	    elapsed_ns >= LONGEST_NS)
		return longest_ns;
	left = free_pages > least_pages ? free_pages - least_pages : 0;
	ns = left * elapsed_ns / fell / 4;
	if (longest_ns && ns > longest_ns)
		return longest_ns;
	if (ns >= SHORTEST_NS)
		return 0;
	return ns < WHEN_SOONEST_NS ? WHEN_SOONEST_NS : ns;
}

int pace_due(const struct pace *p, uint64_t now_ns, uint64_t free_pages)
{
	return !p->begun || (now_ns >= p->rest_ns &&
			     free_pages < p->free_pages);
}

void pace_done(struct pace *p, uint64_t now_ns, uint64_t free_pages,
	       uint64_t cost_ns)
{
	const uint64_t rest_ns = cost_ns * FILE_REST;

	p->begun = 1;
	p->free_pages = free_pages;
	p->rest_ns = now_ns + (rest_ns > LONGEST_NS ? rest_ns : LONGEST_NS);
}
