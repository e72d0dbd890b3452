/* SPDX-License-Identifier: MIT */
/* perf rings, drained in time order: see perf.h. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include "source/perf/perf.h"

/* The longest record that is kept: a chain of CHAIN_FRAMES_MAX and a raw part.
 * A record that wraps round the ring's end is copied into a buffer of this size
 * on the stack. */
#define RECORD_BYTES_MAX 2048u

/* A 32-bit kernel counts in 32 bits: its head is 0 again after 4 GiB. The tail
 * goes on, and that kernel reads only its lower half. The distance of the two
 * fits into 32 bits on all machines: a ring has at most 1 GiB. */
static uint64_t load_head(const struct perf_ring *r)
{
	const struct perf_event_mmap_page *c = r->control;
	const uint64_t head = __atomic_load_n(&c->data_head, __ATOMIC_ACQUIRE);

	return r->tail + (uint32_t)(head - r->tail);
}

static void release(struct perf_ring *r)
{
	struct perf_event_mmap_page *c = r->control;

	r->released = r->tail;
	__atomic_store_n(&c->data_tail, r->tail, __ATOMIC_RELEASE);
}

/* `size` bytes at a place in the ring. If they wrap round the ring's end, they
 * are copied into `bounce`. */
static const unsigned char *at(const struct perf *p, const struct perf_ring *r,
			       uint64_t place, size_t size,
			       unsigned char *bounce)
{
	uint64_t start = place & (p->source.ring_bytes - 1);
	size_t first = (size_t)(p->source.ring_bytes - start);

	if (size <= first)
		return r->data + start;
	memcpy(bounce, r->data + start, first);
	memcpy(bounce + first, r->data, size - first);
	return bounce;
}

/* Eight bytes at a place in the ring. The lengths of records and rings are
 * multiples of eight, so an aligned part of eight bytes never wraps. */
static uint64_t word_at(const struct perf *p, const struct perf_ring *r,
			uint64_t place)
{
	uint64_t word;

	memcpy(&word, r->data + (place & (p->source.ring_bytes - 8)),
	       sizeof(word));
	return word;
}

/* The type of the next record, whose size is stored in the ring; 0: no record.
 * If type or size are impossible, the next record cannot be found: then all
 * that the ring holds is dropped, and this is counted. */
static int next_type(struct perf *p, struct perf_ring *r)
{
	struct perf_event_header h;
	uint64_t word;

	if (r->tail == r->head)
		return 0;
	word = word_at(p, r, r->tail);
	memcpy(&h, &word, sizeof(h));
	if (h.type && h.size >= sizeof(h) && !(h.size & 7) &&
	    h.size <= r->head - r->tail) {
		r->size = h.size;
		return (int)h.type;
	}
	r->tail = r->head;
	p->source.stalls++;
	return 0;
}

/* Finds the time stamp of a ring's next record; 0: no record. In a sample the
 * time comes first, or follows tgid and tid. All other records end with it. */
static int next_time(struct perf *p, struct perf_ring *r, uint64_t *time_ns)
{
	int type = next_type(p, r);

	if (!type)
		return 0;
	*time_ns = word_at(p, r, type == PERF_RECORD_SAMPLE ?
			     r->tail + (p->has_tgids ? 16 : 8) :
			     r->tail + r->size - 8);
	return 1;
}

/* Is there a next record that is older than the horizon? */
static int is_due(struct perf *p, struct perf_ring *r, uint64_t *time_ns)
{
	if (!next_time(p, r, time_ns))
		return 0;
	if (*time_ns < p->horizon_ns)
		return 1;
	p->source.pending = 1;
	return 0;
}

void perf_begin(struct source *s, uint64_t horizon_ns)
{
	struct perf *p = perf_of(s);

	p->horizon_ns = horizon_ns;
	p->merge.count = 0;
	p->source.pending = 0;
	p->source.used_bytes = 0;
	for (uint32_t i = 0; i < p->source.rings; i++) {
		struct perf_ring *r = &p->ring[i];
		uint64_t time_ns;

		if (!r->data)	/* it could not be opened again */
			continue;
		r->head = load_head(r);
		if (r->head - r->tail > p->source.used_bytes)
			p->source.used_bytes = r->head - r->tail;
		if (is_due(p, r, &time_ns))
			merge_add(&p->merge, i, time_ns);
		else if (r->tail != r->released)
			release(r);
	}
	merge_order(&p->merge);
}

/* Decodes the record at the ring's tail and moves past it. */
static int consume(struct perf *p, struct perf_ring *r, struct event *e)
{
	unsigned char bounce[RECORD_BYTES_MAX];
	int found = -EINVAL;

	if (r->size <= sizeof(bounce))
		found = perf_decode(p->source.points, p->has_tgids,
				    at(p, r, r->tail, r->size, bounce),
				    r->size, e);
	r->tail += r->size;
	if (found < 0) {
		e->type = EVENT_REJECTED;
		e->flags = 0;
		return 1;
	}
	return found;
}

int perf_next(struct source *s, struct event *e)
{
	struct perf *p = perf_of(s);

	while (p->merge.count) {
		struct perf_ring *r = &p->ring[p->merge.heap[0].ring];
		uint64_t time_ns = p->merge.heap[0].time_ns;
		int found, more;

		e->time_ns = time_ns;
		e->cpu = r->cpu;
		found = consume(p, r, e);
		more = is_due(p, r, &time_ns);
		if (more)
			merge_again(&p->merge, time_ns);
		else
			merge_drop(&p->merge);
		if (!more || r->tail - r->released > p->source.ring_bytes / 8)
			release(r);
		if (found)
			return found;
	}
	return 0;
}
