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

/* Called when the buffer has too little: reads until it has `bytes`, or the
 * file ends. 0 or -errno. */
static int trace_fill(struct trace_reader *r, size_t bytes)
{
	size_t filled = trace_unread(r);

	if (r->fd < 0)
		return 0;
	r->at = memmove(r->buffer, r->at, filled);
	r->end = r->at + filled;
	while (trace_unread(r) < bytes) {
		ssize_t n = read(r->fd, r->end, (size_t)(r->buffer +
				 TRACE_BUFFER_BYTES - r->end));

		if (n > 0)
			r->end += n;
		else if (n == 0)
			break;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* 1: a whole record was read; 0: the end of the file; or an error (-EINVAL:
 * r->problem says why). Until the next call r->offset is the start of this
 * record. */
static int trace_next_record(struct trace_reader *r)
{
	size_t size = TRACE_HEAD_BYTES;
	int error;

	r->offset += r->record_bytes;
	r->record_bytes = 0;
	r->problem = TRACE_CUT_OFF;
	if (trace_unread(r) < size) {
		error = trace_fill(r, size);
		if (error || r->at == r->end)
			return error;
		if (trace_unread(r) < size)
			return -EINVAL;
	}
	r->type = (uint32_t)trace_number(r, r->at, size);
	size = r->type & 0xffffu;
	r->type >>= 16;
	if (size < TRACE_HEAD_BYTES) {
		r->problem = "a record smaller than its own head";
		return -EINVAL;
	}
	if (trace_unread(r) < size) {
		error = trace_fill(r, size);
		if (error)
			return error;
		if (trace_unread(r) < size)
			return -EINVAL;
	}
	r->rest = r->at + TRACE_HEAD_BYTES;
	r->left = size - TRACE_HEAD_BYTES;
	r->at += size;
	r->record_bytes = size;
	return 1;
}

/* The next `size` bytes of a record, or NULL. */
static const unsigned char *trace_take(struct trace_reader *r, size_t size)
{
	const unsigned char *at = r->rest;

	if (r->left < size)
		return NULL;
	r->rest += size;
	r->left -= size;
	return at;
}

/* Copies the fields of a part into its structure: 1, or 0 if the record is
 * short. */
static int trace_get_part(struct trace_reader *r, void *into, uint32_t part)
{
	const struct trace_field *field = trace_fields[part];
	const unsigned char *at = r->rest;
	size_t left = r->left;

	for (; field && field->kind != TRACE_NONE; field++) {
		const size_t bytes = trace_field_bytes(field, r->word_bytes);
		unsigned char *to = (unsigned char *)into + field->offset;
		uint64_t wide;
		uint32_t narrow;

		if (left < bytes)
			return 0;
		wide = trace_number(r, at, bytes);
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
	return 1;
}

/* Reads the next `len` bytes as a text, which must be shorter than `room`; for
 * a string, reads the length first. 1 or 0. */
static int trace_get_text(struct trace_reader *r, size_t len, char *text,
			  size_t room)
{
	const unsigned char *at = len < room ? trace_take(r, len) : NULL;

	if (!at)
		return 0;
	memcpy(text, at, len);
	text[len] = '\0';
	return 1;
}

static int trace_get_string(struct trace_reader *r, char *text, size_t room)
{
	const unsigned char *at = trace_take(r, 2);
	uint16_t len;

	if (!at)
		return 0;
	memcpy(&len, at, sizeof(len));
	if (r->swap)
		len = __builtin_bswap16(len);
	return trace_get_text(r, len, text, room);
}

/*
 * --- read
 *
 * Bytes of any origin -> events (format: TRACE-FORMAT.md).
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
		    !trace_get_part(r, range, TRACE_PART_RANGE) ||
		    range->first_pfn > PFN_MOST || !range->count_pages ||
		    range->count_pages > PFN_MOST)
			return 0;
	}
	return ram->count != 0;
}

/* This function and the get functions below return NULL, or a text that says
 * what is wrong. */
static const char *get_header(struct trace_reader *r, struct trace_header *h)
{
	memset(h, 0, sizeof(*h));
	if (r->type != TRACE_HEADER_RECORD)
		return "no header where it must be";
	if (!trace_get_part(r, h, TRACE_PART_HEADER) ||
	    !trace_get_string(r, h->kernel, sizeof(h->kernel)))
		return TRACE_TOO_SHORT;
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
	return (uint32_t)trace_number(r, p + offset, sizeof(uint32_t));
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
		return TRACE_CUT_OFF;
	r->swap = prelude_number(r, p, order_mark) != TRACE_ORDER_MARK;
	if (prelude_number(r, p, order_mark) != TRACE_ORDER_MARK)
		return "a byte order that no machine has";
	if (prelude_number(r, p, offsetof(struct trace_prelude, version)) !=
	    TRACE_VERSION)
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
	r->again = trace_next_record(r) > 0;
	if (!r->again || r->type != TRACE_SLAB_RECORD)
		return 0;
	r->again = 0;
	r->problem = TRACE_TOO_SHORT;
	return trace_get_part(r, h, TRACE_PART_SLAB) ? 0 : -EINVAL;
}

static int open_trace(struct trace_reader *r, struct trace_header *h)
{
	int got = trace_unread(r) < TRACE_PRELUDE_BYTES ?
		  trace_fill(r, TRACE_PRELUDE_BYTES) : 0;

	if (got)
		return got;
	r->problem = check_prelude(r, r->at, trace_unread(r));
	if (r->problem)
		return -EINVAL;
	r->at += TRACE_PRELUDE_BYTES;
	r->record_bytes = TRACE_PRELUDE_BYTES;
	got = trace_next_record(r);
	if (got < 0)
		return got;
	r->problem = got ? get_header(r, h) : TRACE_CUT_OFF;
	return r->problem ? -EINVAL : get_slab(r, h);
}

int trace_begins(const unsigned char *bytes, size_t len)
{
	return len >= TRACE_MAGIC_BYTES &&
	       !memcmp(bytes, trace_prelude.magic, TRACE_MAGIC_BYTES);
}

int trace_open_begun(struct trace_reader *r, int fd, unsigned char *buffer,
		     size_t filled, struct trace_header *h)
{
	*r = (struct trace_reader){
		.fd = fd, .buffer = buffer, .at = buffer,
		.end = buffer + filled,
	};
	return open_trace(r, h);
}

int trace_open(struct trace_reader *r, int fd, unsigned char *buffer,
	       struct trace_header *h)
{
	return trace_open_begun(r, fd, buffer, 0, h);
}

int trace_open_bytes(struct trace_reader *r, unsigned char *bytes, size_t len,
		     struct trace_header *h)
{
	*r = (struct trace_reader){
		.fd = -1, .at = bytes, .end = bytes + len,
	};
	return open_trace(r, h);
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
		*to++ = trace_number(r, at, width);
	e->chain_len = (uint32_t)(to - e->chain);
	return NULL;
}

static int get_common(struct trace_reader *r, struct event *e)
{
	const unsigned char *at = trace_take(r, sizeof(struct trace_common));

	if (!at)
		return 0;
	e->type = r->type;
	e->tid = (uint32_t)trace_number(r, at, sizeof(e->tid));
	e->time_ns = trace_number(r, at + offsetof(struct trace_common,
						   time_ns), 8);
	e->tgid = (uint32_t)trace_number(r, at + offsetof(struct trace_common,
							  tgid), 4);
	e->flags = (uint32_t)trace_number(r, at + offsetof(struct trace_common,
							   flags), 4);
	e->order = e->flags >> TRACE_ORDER_SHIFT;
	e->flags &= TRACE_FLAGS_MASK;
	return 1;
}

static const char *get_event(struct trace_reader *r, struct event *e)
{
	uint32_t tail = trace_tails[r->type];

	if (!get_common(r, e) || !trace_get_part(r, e, r->type))
		return TRACE_TOO_SHORT;
	if (tail == TRACE_NAME &&
	    !trace_get_text(r, r->left, e->name, sizeof(e->name)))
		return "a name longer than any";
	if (tail == TRACE_NAME_CHAIN &&
	    !trace_get_string(r, e->name, sizeof(e->name)))
		return "a name longer than any";
	return tail >= TRACE_CHAIN ? get_chain(r, e) : NULL;
}

static const char *get_symbol(struct trace_reader *r, struct trace_symbol *s)
{
	if (!trace_get_part(r, s, TRACE_PART_SYMBOL))
		return TRACE_TOO_SHORT;
	s->name = (const char *)r->rest;
	s->len = r->left;
	return NULL;
}

static const char *get_picture(struct trace_reader *r, struct session *session)
{
	if (!trace_get_part(r, session, TRACE_PART_PICTURE))
		return TRACE_TOO_SHORT;
	session->layout.history = session->layout.history != 0;
	return trace_get_text(r, r->left, session->cmdline,
			      sizeof(session->cmdline)) ? NULL :
	       "a command line longer than any";
}

static const char *get_end(struct trace_reader *r, struct session *session)
{
	if (!trace_get_part(r, session, TRACE_PART_END) ||
	    !trace_get_string(r, session->reason, sizeof(session->reason)))
		return TRACE_TOO_SHORT;
	for (session->notes = 0; r->left; session->notes++)
		if (session->notes == NOTES_MAX ||
		    !trace_get_string(r, session->note[session->notes],
				sizeof(session->note[0])))
			return "notes that do not fit";
	r->ended = 1;
	return NULL;
}

int trace_next(struct trace_reader *r, struct event *e, struct trace_symbol *s,
	       struct session *session)
{
	for (;;) {
		int got = r->again ? 1 : trace_next_record(r), item = 0;

		r->again = 0;
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
