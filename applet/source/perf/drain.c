/* SPDX-License-Identifier: MIT */
/*
 * Decodes perf records into events.
 *
 * Every record carries its own size, and nothing is read beyond the record. The
 * layout of a sample follows from sample_type, which source/perf/ring.c sets:
 * TID if the ids of processes are needed, TIME, RAW, and CALLCHAIN before RAW
 * for the events whose stack is wanted. The raw data start with the id of the
 * tracepoint (common_type, two bytes).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include "source/perf/perf.h"
#include "source/tracefs/tracefs.h"

struct cursor {
	const unsigned char *at, *end;
};

/* Each size is a constant, so that the inlined copy is one load. */
__attribute__((always_inline))
static inline int take(struct cursor *c, void *out, size_t size)
{
	if ((size_t)(c->end - c->at) < size)
		return -EINVAL;
	memcpy(out, c->at, size);
	c->at += size;
	return 0;
}

/* Context markers (PERF_CONTEXT_KERNEL …) are not addresses, and neither is the
 * 0 that powerpc writes for an unused link register. The first entry is a
 * marker. Linux 5.10 writes the innermost frame twice. */
static void decode_chain(struct cursor *c, uint64_t count, struct event *e)
{
	const unsigned char *at = c->at, *end = at + count * sizeof(uint64_t);
	uint64_t addr = 0, *to = e->chain;

	c->at = end;
	if (count)
		memcpy(&addr, at, sizeof(addr));
	if (addr >= PERF_CONTEXT_MAX)
		at += sizeof(addr);
	if ((size_t)(end - at) > sizeof(e->chain))
		end = at + sizeof(e->chain);
	for (; at < end; at += sizeof(addr)) {
		memcpy(&addr, at, sizeof(addr));
		*to = addr;
		to += addr - 1 < PERF_CONTEXT_MAX - 1;
	}
	e->chain_len = (uint32_t)(to - e->chain);
	if (e->chain_len > 1 && e->chain[0] == e->chain[1])
		memmove(e->chain, e->chain + 1,
			--e->chain_len * sizeof(e->chain[0]));
}

/* Without a chain, the raw part comes next, and its length (4 bytes) is the
 * length of the rest of the record. With a chain, the number of frames comes
 * next, which is smaller, because each frame takes 8 bytes of the rest. */
static int has_chain(const struct cursor *c)
{
	const size_t rest = (size_t)(c->end - c->at);
	uint32_t raw_bytes;

	if (rest < sizeof(raw_bytes))
		return 0;
	memcpy(&raw_bytes, c->at, sizeof(raw_bytes));
	return raw_bytes != rest - sizeof(raw_bytes);
}

static int decode_sample(const struct tracefs *points, int has_tgids,
			 struct cursor *c, struct event *e)
{
	struct { uint32_t tgid, tid; } ids = { 0, 0 };
	const struct point *point;
	struct entry entry;
	uint64_t frames = 0;
	uint32_t raw_bytes;

	if ((has_tgids && take(c, &ids, sizeof(ids))) ||
	    take(c, &e->time_ns, sizeof(e->time_ns)) ||
	    (has_chain(c) && take(c, &frames, sizeof(frames))) ||
	    frames > (uint64_t)(c->end - c->at) / sizeof(uint64_t))
		return -EINVAL;
	decode_chain(c, frames, e);
	if (take(c, &raw_bytes, 4) || raw_bytes < sizeof(entry) ||
	    raw_bytes > (size_t)(c->end - c->at))
		return -EINVAL;
	memcpy(&entry, c->at, sizeof(entry));
	e->tgid = ids.tgid;
	e->tid = has_tgids ? ids.tid : entry.tid;
	point = point_find(points, entry.id);
	return !point || point_decode(point, c->at, raw_bytes, e) ? -EINVAL : 1;
}

/* Every record except a sample ends with tgid and tid, if records have them,
 * and the time. */
static int cut_trailer(struct cursor *c, int has_tgids, struct event *e)
{
	const long bytes = has_tgids ? 16 : 8;

	if (c->end - c->at < bytes)
		return -EINVAL;
	memcpy(&e->time_ns, c->end - 8, 8);
	c->end -= bytes;
	return 0;
}

/* Fork and exit: pid, ppid, tid, ptid and a time, which is later than the time
 * in the trailer. Records are merged by the time in the trailer. */
static int decode_task(struct cursor *c, struct event *e, uint32_t type)
{
	struct { uint32_t tgid, parent_tgid, tid, parent_tid; } task;

	if (take(c, &task, sizeof(task)))
		return -EINVAL;
	e->type = type;
	e->flags = 0;
	e->tgid = task.tgid;
	e->parent_tgid = task.parent_tgid;
	e->tid = task.tid;
	e->parent_tid = task.parent_tid;
	return 1;
}

static int decode_comm(struct cursor *c, struct event *e, uint32_t misc)
{
	size_t len;

	if (take(c, &e->tgid, 4) || take(c, &e->tid, 4))
		return -EINVAL;
	len = (size_t)(c->end - c->at);
	if (len > COMM_BYTES)
		len = COMM_BYTES;
	memset(e->name, 0, COMM_BYTES);
	memcpy(e->name, c->at, len);
	e->name[COMM_BYTES - 1] = '\0';
	e->type = EVENT_COMM;
	e->flags = misc & PERF_RECORD_MISC_COMM_EXEC ? EVENT_EXEC : 0;
	return 1;
}

static int decode_lost(struct cursor *c, struct event *e)
{
	struct { uint64_t id, lost; } count;

	if (take(c, &count, sizeof(count)))
		return -EINVAL;
	e->type = EVENT_LOST;
	e->flags = 0;
	e->lost = count.lost;
	return 1;
}

int perf_decode(const struct tracefs *points, int has_tgids,
		const unsigned char *record, size_t len, struct event *e)
{
	struct perf_event_header h;
	struct cursor c = { record, record + len };

	if (take(&c, &h, sizeof(h)))
		return -EINVAL;
	if (h.type == PERF_RECORD_SAMPLE)
		return decode_sample(points, has_tgids, &c, e);
	if (cut_trailer(&c, has_tgids, e))
		return -EINVAL;
	switch (h.type) {
	case PERF_RECORD_FORK: return decode_task(&c, e, EVENT_FORK);
	case PERF_RECORD_EXIT: return decode_task(&c, e, EVENT_EXIT);
	case PERF_RECORD_COMM: return decode_comm(&c, e, h.misc);
	case PERF_RECORD_LOST: return decode_lost(&c, e);
	default: return 0;
	}
}

/* --- drain: perf rings, drained in time order */

/* The longest record that is decoded: a chain of CHAIN_FRAMES_MAX and a raw
 * part. A record that wraps around the end of the ring is copied into a buffer
 * of this size on the stack. */
#define RECORD_BYTES_MAX 2048u

/* A 32-bit kernel counts in 32 bits: its head wraps after 4 GiB. Our tail has
 * 64 bits, of which that kernel reads the lower half. The distance of head and
 * tail fits 32 bits on all machines, because a ring has at most 1 GiB. */
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

/* `size` bytes at a place in the ring. Bytes that wrap around the end of the
 * ring are copied into `bounce`. */
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

/* Returns the type of the next record and sets r->size; 0: no record. If type
 * or size are impossible, the next record cannot be found: then the whole
 * content of the ring is dropped, and counted as a stall. */
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

/* The time stamp of a ring's next record; 0: no record. In a sample the time
 * comes first, or follows tgid and tid. All other records end with the time. */
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
