/* SPDX-License-Identifier: MIT */
/*
 * Reads recorded traces: first the layer between bytes and records.
 *
 * It returns whole records, one after another, and the parts of a record. The
 * caller asks for each part by its size, and gets either the whole part or
 * nothing. A size is 16 bits wide, so any whole record fits the buffer: only
 * the end of the file can cut off a record. Every record moves the reader
 * forward.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include "record/record.h"

_Static_assert(TRACE_BUFFER_BYTES > UINT16_MAX, "any record must fit");

#define CUT_OFF "cut off in the middle of a record"
#define TOO_SHORT "a record too short"

static size_t unread(const struct trace_reader *r)
{
	return (size_t)(r->end - r->at);
}

/* A number of 4 or 8 bytes. */
static uint64_t number(const struct trace_reader *r, const unsigned char *at,
		       size_t bytes)
{
	uint32_t narrow;
	uint64_t wide;

	if (bytes == sizeof(narrow)) {
		memcpy(&narrow, at, sizeof(narrow));
		return r->swap ? __builtin_bswap32(narrow) : narrow;
	}
	memcpy(&wide, at, sizeof(wide));
	return r->swap ? __builtin_bswap64(wide) : wide;
}

/* Called when the buffer has too little: reads until it has `bytes`. 1; 0: the
 * file ends before; or -errno. */
static int fill(struct trace_reader *r, size_t bytes)
{
	size_t filled = unread(r);

	if (r->fd < 0)
		return 0;
	r->at = memmove(r->buffer, r->at, filled);
	r->end = r->at + filled;
	while (unread(r) < bytes) {
		ssize_t n = read(r->fd, r->end, (size_t)(r->buffer +
				 TRACE_BUFFER_BYTES - r->end));

		if (n > 0)
			r->end += n;
		else if (n == 0)
			return 0;
		else if (errno != EINTR)
			return -errno;
	}
	return 1;
}

/* 1: a whole record was read, or a packed event begins; 0: the end of the file;
 * or an error (-EINVAL: r->problem says why). Until the next call r->offset is
 * the start of this record. */
static int next_record(struct trace_reader *r)
{
	const size_t mark = r->version == TRACE_VERSION_UNPACKED ?
			    0 : TRACE_MARK_BYTES;
	size_t size = mark + TRACE_HEAD_BYTES;
	int got;

	r->offset += r->record_bytes;
	r->record_bytes = 0;
	r->problem = CUT_OFF;
	if (mark && unread(r) < PACK_BYTES_MOST)
		size = PACK_BYTES_MOST;
	got = unread(r) < size ? fill(r, size) : 1;
	if (got < 0 || r->at == r->end)
		return got;
	r->type = TRACE_PACKED;
	if (mark && *r->at)
		return 1;
	size = mark + TRACE_HEAD_BYTES;
	got = unread(r) >= size;
	if (!got)
		return -EINVAL;
	r->at += mark;
	size -= mark;
	r->record_bytes = mark;
	r->type = (uint32_t)number(r, r->at, size);
	size = r->type & 0xffffu;
	r->type >>= 16;
	if (size < TRACE_HEAD_BYTES) {
		r->problem = "a record smaller than its own head";
		return -EINVAL;
	}
	got = unread(r) < size ? fill(r, size) : 1;
	if (got <= 0)
		return got ? got : -EINVAL;
	r->rest = r->at + TRACE_HEAD_BYTES;
	r->left = size - TRACE_HEAD_BYTES;
	r->at += size;
	r->record_bytes += size;
	return 1;
}

/* The next `size` bytes of a record, or NULL. */
static const unsigned char *take(struct trace_reader *r, size_t size)
{
	const unsigned char *at = r->rest;

	if (r->left < size)
		return NULL;
	r->rest += size;
	r->left -= size;
	return at;
}

/* Copies the fields of a part into its structure. Returns the rest of its
 * shape, or NULL if the record is short. */
static const uint8_t *get_part(struct trace_reader *r, void *into,
			       uint32_t part)
{
	const uint8_t *shape = trace_shapes[part];
	const struct trace_field *field;
	const unsigned char *at = r->rest;
	size_t left = r->left;

	for (; (field = trace_field_of(*shape)); shape++) {
		const size_t bytes = trace_field_bytes(field, r->word_bytes);
		unsigned char *to = (unsigned char *)into + field->offset;
		uint64_t wide;
		uint32_t narrow;

		if (left < bytes)
			return NULL;
		wide = number(r, at, bytes);
		narrow = (uint32_t)wide;
		if (field->kind == TRACE_U32)
			memcpy(to, &narrow, sizeof(narrow));
		else
			memcpy(to, &wide, sizeof(wide));
		at += bytes;
		left -= bytes;
	}
	r->rest = at;
	r->left = left;
	return shape;
}

/* Reads the next `len` bytes as a text, which must be shorter than `room`; for
 * a string, reads the length first. 1 or 0. */
static int get_text(struct trace_reader *r, size_t len, char *text, size_t room)
{
	const unsigned char *at = len < room ? take(r, len) : NULL;

	if (!at)
		return 0;
	memcpy(text, at, len);
	text[len] = '\0';
	return 1;
}

static int get_string(struct trace_reader *r, char *text, size_t room)
{
	const unsigned char *at = take(r, 2);
	uint16_t len;

	if (!at)
		return 0;
	memcpy(&len, at, sizeof(len));
	if (r->swap)
		len = __builtin_bswap16(len);
	return get_text(r, len, text, room);
}

/*
 * --- read
 *
 * What must hold: every read stays within the bytes of the record, whatever
 * their values, and nothing is allocated. A replay spends much of its time
 * here, so only the fields that an event's type has are set; other fields keep
 * their values.
 */

/* Bounds for any machine: a page has at least 512 bytes, an address 64 bits. */
#define PAGE_SIZE_LEAST 512u
#define PAGE_SIZE_MOST (1u << 20)
#define PFN_MOST (UINT64_C(1) << 55)

static int get_ram(struct trace_reader *r, struct ram *ram)
{
	for (ram->count = 0; r->left; ram->count++) {
		struct ram_range *range = &ram->range[ram->count];

		if (ram->count == RAM_RANGES_MAX ||
		    !get_part(r, range, TRACE_PART_RANGE) ||
		    range->first_pfn > PFN_MOST || !range->count_pages ||
		    range->count_pages > PFN_MOST)
			return 0;
	}
	return ram->count != 0;
}

/* The get functions below return NULL, or a text that says what is wrong. */
static const char *get_header(struct trace_reader *r, struct trace_header *h)
{
	memset(h, 0, sizeof(*h));
	if (r->type != TRACE_HEADER_RECORD)
		return "no header where it must be";
	if (!get_part(r, h, TRACE_PART_HEADER) ||
	    !get_part(r, h, TRACE_PART_SIZES) ||
	    !get_string(r, h->kernel, sizeof(h->kernel)))
		return TOO_SHORT;
	if (h->page_size < PAGE_SIZE_LEAST || h->page_size > PAGE_SIZE_MOST ||
	    (h->page_size & (h->page_size - 1)))
		return "a page size that no machine has";
	return get_ram(r, &h->ram) ? NULL : "memory ranges that no machine has";
}

/* Reads a number of the prelude, and sets r->offset to its place. */
static uint32_t prelude_number(struct trace_reader *r, const unsigned char *p,
			       size_t offset)
{
	r->offset = offset;
	return (uint32_t)number(r, p + offset, sizeof(uint32_t));
}

/* Reads the bytes before the first record. NULL, or a text that says what is
 * wrong; then r->offset is the place. */
static const char *check_prelude(struct trace_reader *r,
				 const unsigned char *p, size_t len)
{
	const size_t order_mark = offsetof(struct trace_prelude, order_mark);

	if (memcmp(p, trace_prelude.magic, len < TRACE_MAGIC_BYTES ?
		   len : TRACE_MAGIC_BYTES))
		return "not a recorded trace";
	if (len < TRACE_PRELUDE_BYTES)
		return CUT_OFF;
	r->swap = prelude_number(r, p, order_mark) != TRACE_ORDER_MARK;
	if (prelude_number(r, p, order_mark) != TRACE_ORDER_MARK)
		return "a byte order that no machine has";
	r->version = prelude_number(r, p, offsetof(struct trace_prelude,
						   version));
	if (!r->version || r->version > TRACE_VERSION)
		return "a version that this program does not know";
	r->word_bytes = prelude_number(r, p, offsetof(struct trace_prelude,
						      word_bytes));
	if (r->word_bytes != 4 && r->word_bytes != 8)
		return "a word size that no machine has";
	if (prelude_number(r, p, offsetof(struct trace_prelude, clock)) !=
	    TRACE_CLOCK_MONOTONIC)
		return "a clock that this program does not know";
	r->offset = 0;
	return NULL;
}

/* Reads the record that only a trace with objects of slab has. Any other
 * record, or an error, is left to trace_next(). */
static int get_slab(struct trace_reader *r, struct trace_header *h)
{
	r->again = next_record(r) > 0;
	if (!r->again || r->type != TRACE_SLAB_RECORD)
		return 0;
	r->again = 0;
	r->problem = TOO_SHORT;
	return get_part(r, h, TRACE_PART_SLAB) ? 0 : -EINVAL;
}

int trace_open(struct trace_reader *r, int fd, unsigned char *buffer,
	       size_t filled, struct trace_header *h)
{
	int got;

	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->buffer = r->at = buffer;
	r->end = buffer + filled;
	got = filled < TRACE_PRELUDE_BYTES ? fill(r, TRACE_PRELUDE_BYTES) : 1;
	if (got < 0)
		return got;
	r->problem = check_prelude(r, r->at, unread(r));
	if (r->problem)
		return -EINVAL;
	r->at += TRACE_PRELUDE_BYTES;
	r->record_bytes = TRACE_PRELUDE_BYTES;
	got = next_record(r);
	if (got < 0)
		return got;
	r->problem = got ? get_header(r, h) : CUT_OFF;
	return r->problem ? -EINVAL : get_slab(r, h);
}

static const char *get_chain(struct trace_reader *r, struct event *e)
{
	const size_t width = r->word_bytes;
	const unsigned char *at = r->rest, *end = at + r->left;
	uint64_t *to = e->chain;

	if (r->left & (width - 1) || r->left > width * CHAIN_FRAMES_MAX)
		return "a call chain of an impossible length";
	/* The usual case: nothing to convert. */
	if (width == sizeof(*to) && !r->swap)
		for (; at < end; at += sizeof(*to))
			memcpy(to++, at, sizeof(*to));
	for (; at < end; at += width)
		*to++ = number(r, at, width);
	e->chain_len = (uint32_t)(to - e->chain);
	return NULL;
}

static int get_common(struct trace_reader *r, struct event *e)
{
	const unsigned char *at = take(r, sizeof(struct trace_common));

	if (!at)
		return 0;
	e->type = r->type;
	e->tid = (uint32_t)number(r, at, 4);
	e->time_ns = number(r, at + offsetof(struct trace_common, time_ns), 8);
	e->tgid = (uint32_t)number(r, at + offsetof(struct trace_common, tgid),
				   4);
	e->flags = (uint32_t)number(r, at + offsetof(struct trace_common,
						     flags), 4);
	e->order = e->flags >> TRACE_ORDER_SHIFT;
	e->flags &= TRACE_FLAGS_MASK;
	return 1;
}

static const char *get_event(struct trace_reader *r, struct event *e)
{
	const uint8_t *tail = get_common(r, e) ? get_part(r, e, r->type) : NULL;

	if (!tail)
		return TOO_SHORT;
	if ((*tail == TRACE_NAME &&
	     !get_text(r, r->left, e->name, sizeof(e->name))) ||
	    (*tail == TRACE_NAME_CHAIN &&
	     !get_string(r, e->name, sizeof(e->name))))
		return "a name longer than any";
	return *tail >= TRACE_CHAIN ? get_chain(r, e) : NULL;
}

/* At the end of the file zeros stand for what is missing. */
static const char *get_packed(struct trace_reader *r, struct event *e)
{
	unsigned char padded[PACK_BYTES_MOST];
	const unsigned char *at = r->at;
	size_t bytes;

	if (unread(r) < PACK_BYTES_MOST) {
		memset(padded, 0, sizeof(padded));
		at = memcpy(padded, r->at, unread(r));
	}
	bytes = unpack_event(&r->pack, at, e);
	if (!bytes)
		return "an event that no page has";
	if (bytes > unread(r))
		return CUT_OFF;
	r->at += bytes;
	r->record_bytes = bytes;
	return NULL;
}

static const char *get_symbol(struct trace_reader *r, struct trace_symbol *s)
{
	if (!get_part(r, s, TRACE_PART_SYMBOL))
		return TOO_SHORT;
	s->name = (const char *)r->rest;
	s->len = r->left;
	return NULL;
}

static const char *get_picture(struct trace_reader *r, struct session *session)
{
	if (!get_part(r, session, TRACE_PART_PICTURE))
		return TOO_SHORT;
	session->layout.history = session->layout.history != 0;
	return get_text(r, r->left, session->cmdline,
			      sizeof(session->cmdline)) ? NULL :
	       "a command line longer than any";
}

static const char *get_end(struct trace_reader *r, struct session *session)
{
	if (!get_part(r, session, TRACE_PART_END) ||
	    !get_string(r, session->reason, sizeof(session->reason)))
		return TOO_SHORT;
	for (session->notes = 0; r->left; session->notes++)
		if (session->notes == NOTES_MAX ||
		    !get_string(r, session->note[session->notes],
				sizeof(session->note[0])))
			return "notes that do not fit";
	r->ended = 1;
	return NULL;
}

int trace_next(struct trace_reader *r, struct event *e, struct trace_symbol *s,
	       struct session *session)
{
	for (;;) {
		int got = r->again ? 1 : next_record(r), item = 0;

		r->again = 0;
		if (got > 0 && r->type == TRACE_PACKED && !r->ended) {
			r->problem = get_packed(r, e);
			return r->problem ? -EINVAL : TRACE_EVENT;
		}
		if (got < 0 || (!got && r->ended))
			return got;
		if (!got) {
			r->problem = "no end record";
		} else if (r->ended) {
			r->problem = "more after the end record";
		} else if (r->type && r->type < TRACE_EVENT_TYPES) {
			item = TRACE_EVENT;
			r->problem = get_event(r, e);
		} else if (r->type == TRACE_SYMBOL_RECORD) {
			item = TRACE_SYMBOL;
			r->problem = get_symbol(r, s);
		} else if (r->type == TRACE_END_RECORD) {
			item = TRACE_END;
			r->problem = get_end(r, session);
		} else if (r->type == TRACE_PICTURE_RECORD) {
			r->problem = get_picture(r, session);
			if (!r->problem)
				continue;
		} else {
			r->unknown++;
			continue;
		}
		return r->problem ? -EINVAL : item;
	}
}
