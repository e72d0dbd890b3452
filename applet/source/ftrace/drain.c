/*
 * Rings of tracefs, drained in time order: see ftrace.h.
 *
 * The entry with a stack follows its event, in the same context of the same
 * thread. An interrupt may write events with stacks between the two. So the
 * stack of an event is the next entry of its context, if that is a stack. If
 * the event is the last one in its page, the stack begins the next page. If it
 * cannot be told whose stack an entry is, the event gets none rather than
 * another one's.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/readfile.h"
#include "base/system.h"
#include "source/ftrace/ftrace.h"

/* The longest time between an event and its stack. */
#define STACK_WAIT_NS UINT64_C(100000000)

/* The first fields of every entry: see source/perf/decode.c. */
struct common {
	uint16_t id;
	uint8_t flags, preempt_count;
	uint32_t tid;
};

/* Hard interrupt, soft interrupt, NMI. Other flags may change between an event
 * and its stack. */
#define CONTEXT_FLAGS (0x08u | 0x10u | 0x40u)

int stack_parse(struct stack_format *s, const char *text, size_t len)
{
	if (format_id(text, len, &s->id) || !s->id ||
	    format_field(text, len, "size", &s->size) ||
	    format_field(text, len, "caller", &s->caller))
		return -EINVAL;
	return 0;
}

static struct common common_of(const struct ring_entry *e)
{
	struct common c = { 0 };

	if (e->len >= sizeof(c))
		memcpy(&c, e->data, sizeof(c));
	return c;
}

static int same_context(const struct common *a, const struct common *b)
{
	return a->tid == b->tid &&
	       (a->flags & CONTEXT_FLAGS) == (b->flags & CONTEXT_FLAGS);
}

/* "overrun: 5", "commit overrun: 0", "dropped events: 7": their sum. */
static void take_lost(void *context, char *line, size_t len)
{
	uint64_t *sum = context, count;
	struct word rest = { line, len }, name;

	word_to(&rest, ':', &name);
	if (!rest.at || word_number(past_blanks(&rest), 10, &count))
		return;
	if (word_is(&name, "overrun") || word_is(&name, "commit overrun") ||
	    word_is(&name, "dropped events"))
		*sum += count;
}

uint64_t ftrace_ring_lost(struct ftrace_ring *r)
{
	uint64_t sum = 0;

	each_line_again(r->stats_fd, take_lost, &sum);
	if (sum > r->lost)
		r->lost = sum;
	return r->lost;
}

/* A ring that drops events is full: so all of its pages are then read one after
 * the other. */
static void note_read(struct ftrace *f, struct ftrace_ring *r)
{
	const uint32_t pages = f->ring_pages[r->instance];
	uint64_t used;

	r->pages_read++;
	if (r->pages_read + 1 >= pages || r->cursor.is_missed)
		r->overflown = 1;
	used = r->pages_read < pages ? r->pages_read : pages;
	used = f->source.ring_bytes * used / pages;
	if (used > f->source.used_bytes)
		f->source.used_bytes = used;
}

/* Reads the next page. The kernel also gives a page that it still writes to:
 * what comes later is in the next one. */
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

static int is_stack(const struct ftrace *f, const struct common *c)
{
	return c->id == f->stack.id;
}

/* Looks for the stack of the next event in this page. 1: the page says nothing
 * on it. */
static int look_for_stack(const struct ftrace *f, struct ftrace_ring *r)
{
	const struct common event = common_of(&r->next);
	struct ring_page look = r->cursor;
	struct ring_entry e;
	int others = 0;

	while (ring_page_next(&look, &e) > 0) {
		const struct common c = common_of(&e);

		others = 1;
		if (!same_context(&c, &event))
			continue;
		if (is_stack(f, &c)) {
			r->stack = e.data;
			r->stack_len = e.len;
		}
		return 0;
	}
	return !others;
}

/* The event was the last one in its page: keeps it and looks into the next
 * page, or later if there is none yet. */
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

/* Another CPU may stand still between an event and its stack, if it is a virtual
 * one. On one CPU the tracer does not run between the two. */
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

/* Moves to the next event. */
static void advance(struct ftrace *f, struct ftrace_ring *r)
{
	for (;;) {
		const int found = ring_page_next(&r->cursor, &r->next);
		struct common c;

		r->has_next = found > 0;
		f->source.stalls += found < 0;
		if (!found && !load(f, r))
			return;
		if (found <= 0)
			continue;
		c = common_of(&r->next);
		if (is_stack(f, &c))
			continue;
		r->stack = NULL;
		r->wants_stack = 0;
		if (r->instance == STACKS)
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

void ftrace_begin(struct ftrace *f, uint64_t horizon_ns)
{
	f->horizon_ns = horizon_ns;
	f->merge.count = 0;
	f->source.pending = 0;
	f->source.used_bytes = 0;
	for (uint32_t i = 0; i < f->rings; i++) {
		struct ftrace_ring *r = &f->ring[i];

		if (r->overflown) {
			r->overflown = 0;
			f->untold += ftrace_ring_lost(r) - r->told;
			r->told = r->lost;
		}
		if (!r->has_next)
			advance(f, r);
		if (is_due(f, r))
			merge_add(&f->merge, i, r->next.time_ns);
	}
	merge_order(&f->merge);
}

static uint64_t word_at(const unsigned char *at, size_t size)
{
	uint64_t wide;
	uint32_t narrow;

	if (size == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return narrow == UINT32_MAX ? UINT64_MAX : narrow;
}

/* The frames have the size of an unsigned long, as the commit of a page. The
 * kernel rounds the length of an entry up, and has ended short stacks with
 * -1. */
static void decode_stack(const struct ftrace *f, const struct ftrace_ring *r,
			 struct event *e)
{
	const size_t word = f->layout.commit.size;
	const unsigned char *at;
	uint64_t count;

	if (!r->stack || f->stack.caller.offset > r->stack_len ||
	    field_u64(&f->stack.size, r->stack, r->stack_len, &count))
		return;
	at = r->stack + f->stack.caller.offset;
	if (count > (r->stack_len - f->stack.caller.offset) / word)
		count = (r->stack_len - f->stack.caller.offset) / word;
	if (count > f->source.frames)
		count = f->source.frames;
	for (; count; count--, at += word) {
		const uint64_t addr = word_at(at, word);

		if (addr == UINT64_MAX)
			break;
		e->chain[e->chain_len++] = addr;
	}
}

static int decode_point(const struct ftrace *f, const struct ftrace_ring *r,
			uint32_t id, struct event *e)
{
	for (unsigned int tp = 0; tp < TP_COUNT; tp++) {
		const struct point *p = &f->points.point[tp];

		if (p->id != id || !id)
			continue;
		if (point_decode(p, r->next.data, r->next.len, e))
			return -EINVAL;
		/* point_decode() may have set the caller. */
		if (r->stack) {
			e->chain_len = 0;
			decode_stack(f, r, e);
		}
		return 1;
	}
	return task_decode(&f->tasks, id, r->next.data, r->next.len, e);
}

static int decode(const struct ftrace *f, const struct ftrace_ring *r,
		  struct event *e)
{
	const struct common c = common_of(&r->next);
	int found;

	e->time_ns = r->next.time_ns;
	e->tid = c.tid;
	e->tgid = 0;
	e->chain_len = 0;
	found = decode_point(f, r, c.id, e);
	if (found >= 0)
		return found;
	e->type = EVENT_REJECTED;
	e->flags = 0;
	return 1;
}

static int tell_lost(struct ftrace *f, struct event *e)
{
	e->type = EVENT_LOST;
	e->flags = 0;
	e->time_ns = f->merge.count ? f->merge.heap[0].time_ns : f->horizon_ns;
	e->tid = e->tgid = 0;
	e->lost = f->untold;
	f->untold = 0;
	return 1;
}

int ftrace_next(struct ftrace *f, struct event *e)
{
	if (f->untold)
		return tell_lost(f, e);
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
