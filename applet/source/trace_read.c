/*
 * Replaying: bytes of any origin -> events (format: TRACE-FORMAT.md).
 *
 * What must hold: every read is inside the bytes that are there, whatever
 * they say; nothing is allocated. Sits in the middle of a replay: only the
 * fields that a type has are set, the rest of the event is left as it was.
 */
#include <errno.h>
#include <string.h>
#include "trace_record.h"

/* A page is at least this, and a machine's address is 64 bits. */
#define PAGE_SIZE_LEAST 512u
#define PAGE_SIZE_MOST (1u << 20)
#define PFN_MOST (UINT64_C(1) << 55)

/* All of a record's rest, which must be shorter than `room`. */
static int get_rest(struct trace_record *c, char *text, size_t room)
{
	size_t len = c->left;

	if (len >= room)
		return 0;
	memcpy(text, trace_take(c, len), len);
	text[len] = '\0';
	return 1;
}

static int get_ram(const struct trace_reader *r, struct trace_record *c,
		   struct ram *ram)
{
	const unsigned char *at;

	for (ram->count = 0; c->left; ram->count++) {
		struct ram_range *range = &ram->range[ram->count];

		if (ram->count == RAM_RANGES_MAX)
			return 0;
		at = trace_take(c, 16);
		if (!at)
			return 0;
		range->first_pfn = trace_get_u64(r, at);
		range->count_pages = trace_get_u64(r, at + 8);
		if (range->first_pfn > PFN_MOST || !range->count_pages ||
		    range->count_pages > PFN_MOST)
			return 0;
	}
	return ram->count != 0;
}

static int get_header(struct trace_reader *r, struct trace_header *h)
{
	struct trace_record c;
	int got = trace_next_record(r, &c);

	if (got <= 0)
		return got ? got : trace_problem(r, TRACE_CUT_OFF);
	memset(h, 0, sizeof(*h));
	if (c.type != TRACE_HEADER_RECORD)
		return trace_problem(r, "no header where it must be");
	if (!trace_get_fields(r, &c, h, trace_header_fields,
			      TRACE_HEADER_FIELDS) ||
	    !trace_get_string(r, &c, h->kernel, sizeof(h->kernel)))
		return trace_problem(r, "a header too short");
	if (h->page_size < PAGE_SIZE_LEAST || h->page_size > PAGE_SIZE_MOST ||
	    (h->page_size & (h->page_size - 1)))
		return trace_problem(r, "a page size that no machine has");
	if (!get_ram(r, &c, &h->ram))
		return trace_problem(r, "memory ranges that no machine has");
	return 0;
}

/* What stands before the first record; *at is moved to what is wrong. */
static const char *check_prelude(struct trace_reader *r,
				 const unsigned char *p, size_t len,
				 uint64_t *at)
{
	uint32_t mark;

	if (memcmp(p, TRACE_MAGIC, len < TRACE_MAGIC_BYTES ?
		   len : TRACE_MAGIC_BYTES))
		return "not a recorded trace";
	if (len < TRACE_PRELUDE_BYTES)
		return TRACE_CUT_OFF;
	*at = TRACE_MAGIC_BYTES;
	memcpy(&mark, p + *at, sizeof(mark));
	r->swap = mark != TRACE_ORDER_MARK;
	if (trace_get_u32(r, p + *at) != TRACE_ORDER_MARK)
		return "a byte order that no machine has";
	*at += 4;
	r->version = trace_get_u32(r, p + *at);
	if (r->version != TRACE_VERSION)
		return "a version that this program does not know";
	*at += 4;
	r->word_bytes = trace_get_u32(r, p + *at);
	if (r->word_bytes != 4 && r->word_bytes != 8)
		return "a word size that no machine has";
	*at += 4;
	if (trace_get_u32(r, p + *at) != TRACE_CLOCK_MONOTONIC)
		return "a clock that this program does not know";
	*at = 0;
	return NULL;
}

static int open_trace(struct trace_reader *r, struct trace_header *h)
{
	int error = trace_fill(r, TRACE_PRELUDE_BYTES);

	if (error)
		return error;
	r->problem = check_prelude(r, r->buffer + r->at, r->filled - r->at,
				   &r->offset);
	if (r->problem)
		return -EINVAL;
	r->at += TRACE_PRELUDE_BYTES;
	r->record_bytes = TRACE_PRELUDE_BYTES;
	return get_header(r, h);
}

int trace_open(struct trace_reader *r, int fd, unsigned char *buffer,
	       struct trace_header *h)
{
	*r = (struct trace_reader){ .fd = fd, .buffer = buffer };
	return open_trace(r, h);
}

int trace_open_bytes(struct trace_reader *r, unsigned char *bytes, size_t len,
		     struct trace_header *h)
{
	*r = (struct trace_reader){
		.fd = -1, .buffer = bytes, .filled = len,
	};
	return open_trace(r, h);
}

static int get_chain(struct trace_reader *r, const struct trace_record *c,
		     struct event *e)
{
	size_t width = r->word_bytes;
	size_t len = c->left / width;

	if (c->left % width || len > CHAIN_FRAMES_MAX)
		return trace_problem(r, "a call chain of an impossible length");
	e->chain_len = (uint32_t)len;
	if (width == sizeof(uint64_t) && !r->swap)
		memcpy(e->chain, c->at, c->left);
	else
		for (size_t i = 0; i < len; i++)
			e->chain[i] = trace_get_word(r, c->at + i * width);
	return 1;
}

static int get_event(struct trace_reader *r, struct trace_record *c,
		     struct event *e)
{
	const struct trace_shape *shape = &trace_shapes[c->type];
	const unsigned char *at;
	uint32_t packed;

	at = trace_take(c, TRACE_COMMON_BYTES - TRACE_HEAD_BYTES);
	if (!at)
		return trace_problem(r, "an event too short");
	e->type = c->type;
	e->tid = trace_get_u32(r, at);
	e->time_ns = trace_get_u64(r, at + 4);
	e->tgid = trace_get_u32(r, at + 12);
	packed = trace_get_u32(r, at + 16);
	e->flags = packed & TRACE_FLAGS_MASK;
	e->order = packed >> TRACE_ORDER_SHIFT;
	if (!trace_get_fields(r, c, e, shape->field, shape->fields))
		return trace_problem(r, "an event too short");
	if (shape->tail == TRACE_CHAIN)
		return get_chain(r, c, e);
	if (shape->tail == TRACE_NAME &&
	    !get_rest(c, e->name, sizeof(e->name)))
		return trace_problem(r, "a name longer than any");
	return 1;
}

static int get_symbol(struct trace_reader *r, struct trace_record *c,
		      struct trace_symbol *s)
{
	const unsigned char *at = trace_take(c, 2 * (size_t)r->word_bytes);

	if (!at)
		return trace_problem(r, "a symbol too short");
	s->addr = trace_get_word(r, at);
	s->start = trace_get_word(r, at + r->word_bytes);
	s->name = (const char *)c->at;
	s->len = c->left;
	return 1;
}

static int get_end(struct trace_reader *r, struct trace_record *c,
		   struct session *session)
{
	if (!trace_get_fields(r, c, session, trace_end_fields,
			      TRACE_END_FIELDS) ||
	    !trace_get_string(r, c, session->reason, sizeof(session->reason)))
		return trace_problem(r, "an end too short");
	for (session->notes = 0; c->left; session->notes++)
		if (session->notes == NOTES_MAX ||
		    !trace_get_string(r, c, session->note[session->notes],
				sizeof(session->note[0])))
			return trace_problem(r, "notes that do not fit");
	r->ended = 1;
	return 1;
}

int trace_next(struct trace_reader *r, enum trace_item *item, struct event *e,
	       struct trace_symbol *s, struct session *session)
{
	struct trace_record c;

	for (;;) {
		int got = trace_next_record(r, &c);

		if (got < 0)
			return got;
		if (!got)
			return r->ended ? 0 : trace_problem(r, "no end record");
		if (r->ended)
			return trace_problem(r, "more after the end record");
		if (c.type && c.type < TRACE_EVENT_TYPES) {
			*item = TRACE_EVENT;
			return get_event(r, &c, e);
		}
		if (c.type == TRACE_SYMBOL_RECORD) {
			*item = TRACE_SYMBOL;
			return get_symbol(r, &c, s);
		}
		if (c.type == TRACE_END_RECORD) {
			*item = TRACE_END;
			return get_end(r, &c, session);
		}
		r->unknown++;
	}
}
