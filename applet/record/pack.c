/* SPDX-License-Identifier: MIT */
/*
 * Packed events: those of pages, which are nearly all events of a trace, in six
 * to ten bytes each: see record.h, pack, and TRACE-FORMAT.md.
 *
 * A packed event says how it differs from the packed event before it. Its call
 * chain is the number of a place, if the chain stands in the table of chains;
 * else the chain follows, and takes that place. Writer and reader have the same
 * table, and the reader need not know how the writer chooses a place.
 */
#include <endian.h>
#include <string.h>
#include "base/base.h"
#include "record/record.h"

/* The first byte of a packed event. Without these bits: an allocation without
 * chain, by the same task, with neither flags nor order. */
enum {
	PACKED = 1,		/* always set */
	IS_FREE = 2,
	HAS_TASK = 4,		/* thread id and thread group id follow */
	HAS_FLAGS = 8,		/* flags, and order in the high 8 bits, follow */
	HAS_CHAIN = 16,		/* its place in the table follows; */
	NEW_CHAIN = 32,		/* and then its length and frames */
	NO_PAGE = 64,		/* the allocation failed */
	UNUSED = 128,
};

/* The second byte: the sizes of the changes of time and page frame number, each
 * 1 << SIZE bytes. */
#define SIZE_BITS 2u
#define SIZE_MASK 3u

/* The difference of two numbers, of which the sign becomes the lowest bit; and
 * back. */
static uint64_t folded(uint64_t n)
{
	return n << 1 ^ (0 - (n >> 63));
}

static uint64_t unfolded(uint64_t n)
{
	return n >> 1 ^ (0 - (n & 1));
}

/* --- pack */

/* Seven bits a byte, the lowest first; the highest bit: more bytes follow. */
static unsigned char *put(unsigned char *to, uint64_t n)
{
	for (; n > 127; n >>= 7)
		*to++ = (unsigned char)(n | 128);
	*to = (unsigned char)n;
	return to + 1;
}

/* Writes the change of a number, in little-endian order, and its size. */
static unsigned char *put_change(unsigned char *to, uint64_t *last, uint64_t n,
				 unsigned char *sizes, uint32_t at)
{
	const uint64_t change = folded(n - *last), bytes = htole64(change);
	const uint32_t size = change >> 32 ? 3 : change >> 16 ? 2 :
			      change >> 8 ? 1 : 0;

	*last = n;
	*sizes |= (unsigned char)(size << at);
	memcpy(to, &bytes, sizeof(bytes));
	return to + (1u << size);
}

static uint32_t place_of(const uint64_t *chain, uint32_t len)
{
	uint64_t key = len;

	for (uint32_t i = 0; i < len; i++)
		key = (key ^ chain[i]) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(key >> 32) % PACK_CHAINS;
}

static void keep_chain(struct pack_chain *c, const uint64_t *chain,
		       uint32_t len)
{
	if (len > PACK_FRAMES)
		return;
	c->len = len;
	memcpy(c->frame, chain, len * sizeof(*chain));
}

static unsigned char *put_chain(struct pack *p, unsigned char *record,
				unsigned char *to, const struct event *e)
{
	const uint32_t len = e->chain_len < CHAIN_FRAMES_MAX ?
			     e->chain_len : CHAIN_FRAMES_MAX;
	const uint32_t place = place_of(e->chain, len);
	struct pack_chain *c = &p->chain[place];

	*record |= HAS_CHAIN;
	*to++ = (unsigned char)place;
	if (c->len == len &&
	    !memcmp(c->frame, e->chain, len * sizeof(e->chain[0])))
		return to;
	*record |= NEW_CHAIN;
	*to++ = (unsigned char)len;
	for (uint32_t i = 0; i < len; i++) {
		to = put(to, folded(e->chain[i] - p->frame));
		p->frame = e->chain[i];
	}
	keep_chain(c, e->chain, len);
	return to;
}

size_t pack_event(struct pack *p, const struct event *e, uint32_t flags,
		  unsigned char record[PACK_BYTES_MOST])
{
	unsigned char *to = record + 2, *sizes = record + 1;

	*record = PACKED;
	*sizes = 0;
	if (e->tid != p->tid || e->tgid != p->tgid) {
		*record |= HAS_TASK;
		to = put(put(to, e->tid), e->tgid);
		p->tid = e->tid;
		p->tgid = e->tgid;
	}
	if (flags) {
		*record |= HAS_FLAGS;
		to = put(to, flags);
	}
	to = put_change(to, &p->time_ns, e->time_ns, sizes, 0);
	if (e->pfn == UINT64_MAX)
		*record |= NO_PAGE;
	else
		to = put_change(to, &p->pfn, e->pfn, sizes, SIZE_BITS);
	if (e->type == EVENT_FREE)
		*record |= IS_FREE;
	else if (e->chain_len)
		to = put_chain(p, record, to, e);
	return (size_t)(to - record);
}

/* --- unpack: reads at most PACK_BYTES_MOST bytes, without looking for the end */

static uint64_t get(const unsigned char **from)
{
	const unsigned char *at = *from;
	uint64_t n = 0;

	for (uint32_t shift = 0; shift < 64; shift += 7) {
		n |= (uint64_t)(*at & 127) << shift;
		if (*at++ < 128)
			break;
	}
	*from = at;
	return n;
}

/* The change that is written in 1 << size bytes. */
static inline uint64_t change_at(const unsigned char *at, uint32_t size)
{
	uint64_t n;

	memcpy(&n, at, sizeof(n));
	return unfolded(le64toh(n) & UINT64_MAX >> (64 - (8u << size)));
}

/* Returns what follows the chain, or NULL: no event has such a chain. */
static const unsigned char *get_chain(struct pack *p, const unsigned char *at,
				      int is_new, struct event *e)
{
	struct pack_chain *c = &p->chain[*at++];
	const uint32_t len = is_new ? *at++ : c->len;

	if (!len || len > CHAIN_FRAMES_MAX)
		return NULL;
	e->chain_len = len;
	if (!is_new) {
		memcpy(e->chain, c->frame, len * sizeof(e->chain[0]));
		return at;
	}
	for (uint32_t i = 0; i < len; i++)
		e->chain[i] = p->frame += unfolded(get(&at));
	keep_chain(c, e->chain, len);
	return at;
}

size_t unpack_event(struct pack *p, const unsigned char *record,
		    struct event *e)
{
	const unsigned int has = record[0], sizes = record[1];
	const uint32_t time_size = sizes & SIZE_MASK;
	const uint32_t pfn_size = sizes >> SIZE_BITS & SIZE_MASK;
	const unsigned char *at = record + 2;
	uint32_t flags = 0;

	if (has & UNUSED || !(has & PACKED))
		return 0;
	if (has & HAS_TASK) {
		p->tid = (uint32_t)get(&at);
		p->tgid = (uint32_t)get(&at);
	}
	if (has & HAS_FLAGS)
		flags = (uint32_t)get(&at);
	e->type = has & IS_FREE ? EVENT_FREE : EVENT_ALLOC;
	e->tid = p->tid;
	e->tgid = p->tgid;
	e->order = flags >> TRACE_ORDER_SHIFT;
	e->flags = flags & TRACE_FLAGS_MASK;
	e->time_ns = p->time_ns += change_at(at, time_size);
	at += 1u << time_size;
	e->pfn = UINT64_MAX;
	if (!(has & NO_PAGE)) {
		e->pfn = p->pfn += change_at(at, pfn_size);
		at += 1u << pfn_size;
	}
	if (!(has & IS_FREE))
		e->chain_len = 0;
	if (has & HAS_CHAIN)
		at = get_chain(p, at, (has & NEW_CHAIN) != 0, e);
	return at ? (size_t)(at - record) : 0;
}
