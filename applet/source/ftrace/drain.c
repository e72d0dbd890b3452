/* SPDX-License-Identifier: MIT */
/*
 * Decodes the entries of rings of tracefs, and drains the rings in time order:
 * see ftrace.h.
 *
 * The entry with a stack follows its event, in the same context of the same
 * thread. An interrupt may write events with stacks between the two. So the
 * stack of an event is the next entry of its context, if this entry is a stack.
 * If the event is the last one in its page, the stack begins the next page. An
 * event whose stack cannot be identified gets no stack, rather than the stack
 * of another event.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/system.h"
#include "source/ftrace/ftrace.h"

int ftrace_is_stack(const struct ftrace *f, const struct ring_entry *entry)
{
	return entry_of(entry->data, entry->len).id == f->stack.id;
}

/* The same condition as the filter in the kernel: source/tracefs/format.c. */
static int is_first_touch(const struct ftrace *f,
			  const struct ring_entry *entry)
{
	const uint64_t *bit = f->points.anon;
	uint64_t flags;

	return f->source.split &&
	       !field_u64(&f->points.gfp_flags, entry->data, entry->len,
			  &flags) &&
	       (flags & bit[0]) && (flags & bit[1]) && (flags & bit[2]);
}

/* Does the kernel add a stack to this event? */
static int wants_stack(const struct ftrace *f, const struct ring_entry *entry)
{
	const uint32_t id = entry_of(entry->data, entry->len).id;
	const struct point *point = f->points.point;

	if (id == point[TP_ALLOC].id)
		return !is_first_touch(f, entry);
	if (!id || (!f->points.slab_chains && id != point[TP_AREA_ALLOC].id))
		return 0;
	for (enum tracepoint tp = TP_KMALLOC; tp <= TP_CACHE_ALLOC_NODE; tp++)
		if (id == point[tp].id)
			return 1;
	return id == point[TP_AREA_ALLOC].id;
}

static void cut_tracer(const struct ftrace *f, struct event *e)
{
	uint32_t own = 0;

	while (own < e->chain_len &&
	       e->chain[own] - f->tracer < f->tracer_bytes)
		own++;
	e->chain_len -= own;
	memmove(e->chain, e->chain + own, e->chain_len * sizeof(*e->chain));
}

static int decode_point(const struct ftrace *f, const struct ftrace_ring *r,
			uint32_t id, struct event *e)
{
	const struct point *p = point_find(&f->points, id);

	if (!p)
		return task_decode(&f->tasks, id, r->next.data, r->next.len, e);
	if (point_decode(p, r->next.data, r->next.len, e))
		return -EINVAL;
	if (!r->stack)
		return 1;
	stack_decode(&f->stack, &f->layout, r->stack, r->stack_len,
		     f->source.frames, e);
	if (f->tracer_bytes)
		cut_tracer(f, e);
	return 1;
}

/* Decodes the next event of a ring, with its stack if it has one. 1: *e is the
 * event; 0: an event that we do not use. */
static int decode(const struct ftrace *f, const struct ftrace_ring *r,
		  struct event *e)
{
	const struct entry h = entry_of(r->next.data, r->next.len);
	int found;

	e->time_ns = r->next.time_ns;
	e->cpu = r->cpu;
	e->tid = h.tid;
	e->tgid = 0;
	e->chain_len = 0;
	found = r->next.len < sizeof(h) ? -EINVAL : decode_point(f, r, h.id, e);
	if (found >= 0)
		return found;
	e->type = EVENT_REJECTED;
	e->flags = 0;
	return 1;
}

/* --- drain */

/* The longest time between an event and its stack. */
#define STACK_WAIT_NS UINT64_C(100000000)

struct stats {
	uint64_t dropped, entries;	/* entries: written, and not yet read */
};

/* "entries: 9", "overrun: 5", "commit overrun: 0", "dropped events: 7": the
 * last three are dropped entries. */
static void take_stats(void *context, char *line, size_t len)
{
	struct stats *s = context;
	uint64_t count;
	struct word rest = { line, len }, name;

	word_to(&rest, ':', &name);
	if (!rest.at || word_number(past_blanks(&rest), 10, &count))
		return;
	if (word_is(&name, "entries"))
		s->entries = count;
	else if (word_is(&name, "overrun") ||
		 word_is(&name, "commit overrun") ||
		 word_is(&name, "dropped events"))
		s->dropped += count;
}

/* Brings r->lost up to date, and returns the number of entries in the ring. */
static uint64_t read_stats(struct ftrace_ring *r)
{
	struct stats s = { 0 };

	each_line_again(r->stats_fd, take_stats, &s);
	if (s.dropped > r->lost)
		r->lost = s.dropped;
	return s.entries;
}

/* A ring that drops events is full: then all its pages are read without a
 * break, in one drain or in several. */
static void note_read(struct ftrace *f, struct ftrace_ring *r)
{
	uint64_t used;

	r->pages_read++;
	r->pages_now++;
	if (r->pages_read + 1 >= r->pages || r->cursor.is_missed)
		r->overflown = 1;
	used = r->pages_now < r->pages ? r->pages_now : r->pages;
	used = f->source.ring_bytes * used / r->pages;
	if (used > f->source.used_bytes)
		f->source.used_bytes = used;
}

/* Reads the next page. The kernel also returns the page that it is writing to:
 * then later entries are in the next page. */
static int load(struct ftrace *f, struct ftrace_ring *r)
{
	const ssize_t n = read(r->fd, r->page, f->page_bytes);

	if (n <= 0) {
		r->pages_read = 0;
		return 0;
	}
	if (ring_page_open(&r->cursor, &f->layout, r->page, (size_t)n))
		f->source.stalls++;
	note_read(f, r);
	return 1;
}

static int is_empty(struct ftrace *f, struct ftrace_ring *r)
{
	return !r->has_next && r->cursor.at == r->cursor.end && !load(f, r);
}

/* The kernel never returns some entries, and does not count them as lost: if a
 * CPU fills the page of the reader and leaves the page just while the reader,
 * on another CPU, finds that it has read the whole page (rb_get_reader_page()).
 * They remain in the count of entries. So entries of a ring that is then found
 * empty are lost. An entry that another CPU has written within an unfinished
 * one is not: after a moment both can be read. */
uint64_t ftrace_ring_lost(struct ftrace *f, struct ftrace_ring *r)
{
	const uint64_t entries = read_stats(r);

	if (entries > r->skipped && is_empty(f, r)) {
		poll(NULL, 0, 1);
		if (is_empty(f, r)) {
			f->source.skipped += entries - r->skipped;
			r->skipped = entries;
		}
	}
	return r->lost + r->skipped;
}

/* Looks for the stack of the next event in this page. 1: the page has no more
 * entries, so the stack may be in the next page. */
static int look_for_stack(const struct ftrace *f, struct ftrace_ring *r)
{
	const struct entry event = entry_of(r->next.data, r->next.len);
	struct ring_page look = r->cursor;
	struct ring_entry e;
	int others = 0;

	while (ring_page_next(&look, &e) > 0) {
		const struct entry h = entry_of(e.data, e.len);

		others = 1;
		if (entry_context(&h) != entry_context(&event))
			continue;
		if (ftrace_is_stack(f, &e)) {
			r->stack = e.data;
			r->stack_len = e.len;
		}
		return 0;
	}
	return !others;
}

/* If the event is the last entry of its page, keeps the event and looks into
 * the next page, or later if there is no next page yet. */
static void find_stack(struct ftrace *f, struct ftrace_ring *r)
{
	r->wants_stack = look_for_stack(f, r);
	if (!r->wants_stack || r->next.len > KEPT_BYTES) {
		r->wants_stack = 0;
		return;
	}
	if (r->next.data != r->kept) {
		memcpy(r->kept, r->next.data, r->next.len);
		r->next.data = r->kept;
	}
	if (load(f, r))
		r->wants_stack = look_for_stack(f, r);
}

/* Another CPU, if virtual, may stand still between an event and its stack. With
 * one CPU the tracer does not run between the two. */
static void wait_for_stack(struct ftrace *f, struct ftrace_ring *r)
{
	const uint64_t until_ns = r->next.time_ns + STACK_WAIT_NS;

	find_stack(f, r);
	while (r->wants_stack && f->source.rings > 1 &&
	       clock_ns(CLOCK_MONOTONIC) < until_ns) {
		poll(NULL, 0, 1);
		find_stack(f, r);
	}
}

static void advance(struct ftrace *f, struct ftrace_ring *r)
{
	for (;;) {
		const int found = ring_page_next(&r->cursor, &r->next);

		r->has_next = found > 0;
		f->source.stalls += found < 0;
		if (!found && !load(f, r))
			return;
		if (found <= 0)
			continue;
		if (ftrace_is_stack(f, &r->next))
			continue;
		r->stack = NULL;
		r->wants_stack = 0;
		if (wants_stack(f, &r->next))
			find_stack(f, r);
		return;
	}
}

/* Is there a next event that is older than the horizon? */
static int is_due(struct ftrace *f, const struct ftrace_ring *r)
{
	if (!r->has_next)
		return 0;
	if (r->next.time_ns < f->horizon_ns)
		return 1;
	f->source.pending = 1;
	return 0;
}

void ftrace_begin(struct source *s, uint64_t horizon_ns)
{
	struct ftrace *f = ftrace_of(s);

	f->horizon_ns = horizon_ns;
	f->merge.count = 0;
	f->source.pending = 0;
	f->source.used_bytes = 0;
	for (uint32_t i = 0; i < f->rings; i++) {
		struct ftrace_ring *r = &f->ring[i];

		r->pages_now = 0;
		if (r->overflown) {
			r->overflown = 0;
			read_stats(r);
			f->unreported += r->lost - r->reported;
			r->reported = r->lost;
		}
		if (!r->has_next)
			advance(f, r);
		if (is_due(f, r))
			merge_add(&f->merge, i, r->next.time_ns);
	}
	merge_order(&f->merge);
}

static int emit_lost(struct ftrace *f, struct event *e)
{
	e->type = EVENT_LOST;
	e->flags = 0;
	e->time_ns = f->merge.count ? f->merge.heap[0].time_ns : f->horizon_ns;
	e->tid = e->tgid = 0;
	e->lost = f->unreported;
	f->unreported = 0;
	return 1;
}

int ftrace_next(struct source *s, struct event *e)
{
	struct ftrace *f = ftrace_of(s);

	if (f->unreported)
		return emit_lost(f, e);
	while (f->merge.count) {
		struct ftrace_ring *r = &f->ring[f->merge.heap[0].ring];
		int found;

		if (r->wants_stack)
			wait_for_stack(f, r);
		found = decode(f, r, e);
		advance(f, r);
		if (is_due(f, r))
			merge_again(&f->merge, r->next.time_ns);
		else
			merge_drop(&f->merge);
		if (found)
			return found;
	}
	return 0;
}
