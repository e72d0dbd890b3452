/* SPDX-License-Identifier: MIT */
/*
 * Recording: events, then symbols, then the end (format: TRACE-FORMAT.md).
 *
 * This runs in the tracer's loop, so it must be cheap, and a failure must never
 * block the boot: records go into one buffer, and a full buffer goes out with
 * one write(2). After the first failed write nothing more is written, because a
 * file with a hole cannot be read; trace_finish() returns the error.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "record/record.h"

/* More than the largest record, the end record with all its notes, takes. */
#define RECORD_ROOM_BYTES 2048u

/* The kernel's KSYM_NAME_LEN; reports cut names much shorter. */
#define SYMBOL_LEN_MAX 512u

_Static_assert(NOTES_MAX * (NOTE_BYTES + 2) + 256 < RECORD_ROOM_BYTES,
	       "the end record must fit");
_Static_assert(PACK_BYTES_MOST < RECORD_ROOM_BYTES,
	       "a packed event must fit");
_Static_assert(RAM_RANGES_MAX * 16 + RELEASE_BYTES + 128 < RECORD_ROOM_BYTES,
	       "the header record must fit");

static void flush(struct trace_writer *w)
{
	size_t done = 0;

	while (done < w->used && !w->error) {
		ssize_t n = write(w->fd, w->buffer + done, w->used - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			w->error = EIO;
		else if (errno != EINTR)
			w->error = errno;
	}
	w->used = 0;
}

static void put(struct trace_writer *w, const void *value, size_t size)
{
	memcpy(w->buffer + w->used, value, size);
	w->used += size;
}

/* A 32-bit memstrack on a 64-bit kernel sees addresses that do not fit its
 * words. Then the recording fails, rather than being wrong. */
static void put_word(struct trace_writer *w, uint64_t value)
{
	unsigned long word = (unsigned long)value;

	if (word != value && !w->error)
		w->error = EOVERFLOW;
	put(w, &word, sizeof(word));
}

static void put_string(struct trace_writer *w, const char *text, size_t room)
{
	uint16_t len = (uint16_t)strnlen(text, room);

	put(w, &len, sizeof(len));
	put(w, text, len);
}

static enum trace_tail put_part(struct trace_writer *w, const void *from,
				uint32_t part)
{
	const uint8_t *shape = trace_shapes[part];
	const struct trace_field *field;

	for (; (field = trace_field_of(*shape)); shape++) {
		const unsigned char *at = from;
		uint64_t word;

		at += field->offset;
		if (field->kind != TRACE_WORD) {
			put(w, at, trace_field_bytes(field, 0));
			continue;
		}
		memcpy(&word, at, sizeof(word));
		put_word(w, word);
	}
	return *shape;
}

/* end_record() writes the head. */
static void begin_record(struct trace_writer *w)
{
	if (TRACE_BUFFER_BYTES - w->used < RECORD_ROOM_BYTES)
		flush(w);
	w->buffer[w->used] = 0;
	w->used += TRACE_MARK_BYTES;
	w->record = w->used;
	w->used += TRACE_HEAD_BYTES;
}

static void end_record(struct trace_writer *w, uint32_t type)
{
	uint32_t head = (uint32_t)(w->used - w->record) | (type << 16);

	memcpy(w->buffer + w->record, &head, sizeof(head));
	if (w->error)
		w->used = w->record;
}

int trace_create(struct trace_writer *w, int fd, struct trace_memory *memory,
		 const struct trace_header *h)
{
	*w = (struct trace_writer){
		.fd = fd, .buffer = memory->buffer, .pack = &memory->pack,
	};
	memset(w->pack, 0, sizeof(*w->pack));
	put(w, &trace_prelude, sizeof(trace_prelude));
	begin_record(w);
	put_part(w, h, TRACE_PART_HEADER);
	put_part(w, h, TRACE_PART_SIZES);
	put_string(w, h->kernel, sizeof(h->kernel) - 1);
	for (uint32_t i = 0; i < h->ram.count && i < RAM_RANGES_MAX; i++)
		put_part(w, &h->ram.range[i], TRACE_PART_RANGE);
	end_record(w, TRACE_HEADER_RECORD);
	if (h->layout.slab_bytes) {
		begin_record(w);
		put_part(w, h, TRACE_PART_SLAB);
		end_record(w, TRACE_SLAB_RECORD);
	}
	/* Write now, so that an error (full, read-only) shows before tracing
	 * starts. */
	flush(w);
	return -w->error;
}

void trace_write_picture(struct trace_writer *w, const struct session *s)
{
	if (w->fd < 0 || w->error || (!s->cmdline[0] && !s->layout.history))
		return;
	begin_record(w);
	put_part(w, s, TRACE_PART_PICTURE);
	put(w, s->cmdline, strnlen(s->cmdline, sizeof(s->cmdline) - 1));
	end_record(w, TRACE_PICTURE_RECORD);
}

static void put_chain(struct trace_writer *w, const struct event *e)
{
	uint32_t len = e->chain_len;

	if (len > CHAIN_FRAMES_MAX)
		len = CHAIN_FRAMES_MAX;
	for (uint32_t i = 0; i < len; i++)
		put_word(w, e->chain[i]);
}

static void write_page(struct trace_writer *w, const struct event *e)
{
	const uint32_t order = e->order < TRACE_ORDER_SATURATED ?
			       e->order : TRACE_ORDER_SATURATED;

	if (TRACE_BUFFER_BYTES - w->used < RECORD_ROOM_BYTES)
		flush(w);
	w->used += pack_event(w->pack, e, (e->flags & TRACE_FLAGS_MASK) |
			      order << TRACE_ORDER_SHIFT, w->buffer + w->used);
}

void trace_write(struct trace_writer *w, const struct event *e)
{
	struct trace_common common;
	enum trace_tail tail;

	if (w->fd < 0 || w->error || e->type >= TRACE_EVENT_TYPES)
		return;
	if (e->type == EVENT_ALLOC || e->type == EVENT_FREE) {
		write_page(w, e);
		return;
	}
	begin_record(w);
	common = (struct trace_common){
		.tid = e->tid, .time_ns = e->time_ns, .tgid = e->tgid,
		.flags = e->flags & TRACE_FLAGS_MASK,
	};
	put(w, &common, sizeof(common));
	tail = put_part(w, e, e->type);
	if (tail == TRACE_NAME)
		put(w, e->name, strnlen(e->name, sizeof(e->name) - 1));
	if (tail == TRACE_NAME_CHAIN)
		put_string(w, e->name, sizeof(e->name) - 1);
	if (tail >= TRACE_CHAIN)
		put_chain(w, e);
	end_record(w, e->type);
}

void trace_write_symbol(struct trace_writer *w, const struct trace_symbol *s)
{
	if (w->fd < 0 || w->error)
		return;
	begin_record(w);
	put_part(w, s, TRACE_PART_SYMBOL);
	put(w, s->name, s->len < SYMBOL_LEN_MAX ? s->len : SYMBOL_LEN_MAX);
	end_record(w, TRACE_SYMBOL_RECORD);
}

int trace_finish(struct trace_writer *w, const struct session *session)
{
	if (w->fd < 0)
		return 0;
	begin_record(w);
	put_part(w, session, TRACE_PART_END);
	put_string(w, session->reason, sizeof(session->reason) - 1);
	for (uint32_t i = 0; i < session->notes && i < NOTES_MAX; i++)
		put_string(w, session->note[i], sizeof(session->note[i]) - 1);
	end_record(w, TRACE_END_RECORD);
	flush(w);
	return -w->error;
}
