/* SPDX-License-Identifier: MIT */
/* The records of kmemtrace: see kmemtrace.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "output/output.h"
#include "record/record.h"
#include "host/kmemtrace/kmemtrace.h"

/* Offsets of the fields, and sizes of the records. */
enum {
	AT_EVENT, AT_TYPE, AT_SIZE, AT_SEQUENCE = 4, AT_SITE = 8,
	AT_POINTER = 16, AT_REQUESTED = 24, AT_ALLOCATED = 32,
	FREE_BYTES = 24, ALLOC_BYTES = 48,
	AT_TIME = 48, FIRST_BYTES = 56,
};

enum { TYPE_KMALLOC, TYPE_CACHE, TYPE_PAGES };

#define NO_RECORD "not a stream of kmemtrace"

static uint64_t number(const struct kmem_stream *s, const unsigned char *at,
		       size_t bytes)
{
	uint64_t wide = 0;

	for (size_t i = 0; i < bytes; i++) {
		const int little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) !=
				   s->swap;

		wide |= (uint64_t)at[i] << 8 * (little ? i : bytes - 1 - i);
	}
	return wide;
}

/* In the first published form all records have the same size, and a free has id
 * 2. In the relay form a record with extensions may have this size too, but no
 * id is 2, and frees and allocations hardly all have this size. */
static enum kmem_form form_of(const struct kmem_stream *s)
{
	const unsigned char *at = s->at;
	enum kmem_form form = KMEM_RELAY;

	while (s->end - at >= FIRST_BYTES) {
		if (number(s, at + AT_SIZE, 2) != FIRST_BYTES)
			return KMEM_RELAY;
		if (at[AT_EVENT] == 2)
			return KMEM_FIRST;
		if (at[AT_EVENT] == 1)
			form = KMEM_FIRST;
		at += FIRST_BYTES;
	}
	return form;
}

const char *kmem_open(struct kmem_stream *s, const unsigned char *bytes,
		      size_t len, uint32_t cpu)
{
	uint64_t size, other;

	*s = (struct kmem_stream){
		.at = bytes, .begin = bytes, .end = bytes + len, .cpu = cpu,
	};
	if (!len)
		return NULL;
	if (len < FREE_BYTES)
		return NO_RECORD;
	size = number(s, bytes + AT_SIZE, 2);
	s->swap = 1;
	other = number(s, bytes + AT_SIZE, 2);
	s->swap = size < FREE_BYTES || (other >= FREE_BYTES && other < size);
	if (s->swap)
		size = other;
	if (size == FIRST_BYTES)
		s->form = form_of(s);
	if (s->form == KMEM_FIRST)
		return NULL;
	if (bytes[AT_EVENT] > 1 ||
		 size < (bytes[AT_EVENT] ? FREE_BYTES : ALLOC_BYTES))
		return NO_RECORD;
	return NULL;
}

/* The minimum size of the next record; 0: its ids are illegal. */
static size_t least_size(const struct kmem_stream *s)
{
	const unsigned int event = s->at[AT_EVENT];

	if (s->at[AT_TYPE] > TYPE_PAGES)
		return 0;
	if (s->form == KMEM_FIRST)
		return event == 1 || event == 2 ? FIRST_BYTES : 0;
	return event > 1 ? 0 : event ? FREE_BYTES : ALLOC_BYTES;
}

static uint64_t stamp(struct kmem_stream *s)
{
	uint64_t now;

	if (s->form == KMEM_FIRST) {
		now = number(s, s->at + AT_TIME, 8);
	} else {
		const uint32_t sequence =
			(uint32_t)number(s, s->at + AT_SEQUENCE, 4);

		if (!s->last)
			s->last = sequence;
		now = s->last + (uint64_t)(int32_t)(sequence -
						    (uint32_t)s->last);
	}
	if (now < s->last)
		s->disorder++;
	else
		s->last = now;
	return now;
}

static void take(struct kmem_stream *s, struct event *e)
{
	const int is_free = s->at[AT_EVENT] == (s->form == KMEM_FIRST ? 2 : 1);

	event_begin(e, is_free ? EVENT_OBJECT_FREE : EVENT_OBJECT_ALLOC,
		    stamp(s));
	e->cpu = s->cpu;
	e->flags = s->at[AT_TYPE] == TYPE_CACHE ? EVENT_CACHE : 0;
	e->site = number(s, s->at + AT_SITE, 8);
	e->base = number(s, s->at + AT_POINTER, 8);
	if (is_free)
		return;
	e->size = number(s, s->at + AT_REQUESTED, 8);
	e->allocated_bytes = number(s, s->at + AT_ALLOCATED, 8);
}

static void note_illegal(struct kmem_stream *s)
{
	s->illegal++;
	s->illegal_at = (uint64_t)(s->at - s->begin);
}

int kmem_next(struct kmem_stream *s, struct event *e)
{
	while ((size_t)(s->end - s->at) >= FREE_BYTES) {
		const size_t size = (size_t)number(s, s->at + AT_SIZE, 2);
		const size_t least = least_size(s);

		if (size < FREE_BYTES) {	/* where is the next record? */
			note_illegal(s);
			s->at = s->end;
			return 0;
		}
		if (size > (size_t)(s->end - s->at))
			break;
		if (least && size >= least)
			take(s, e);
		else
			note_illegal(s);
		s->at += size;
		if (least && size >= least)
			return 1;
	}
	s->cut_bytes = (uint64_t)(s->end - s->at);
	s->at = s->end;
	return 0;
}

size_t kmem_write(unsigned char record[KMEM_RELAY_BYTES],
		  const struct event *e, uint32_t sequence)
{
	const int is_free = e->type == EVENT_OBJECT_FREE;
	const uint16_t size = is_free ? FREE_BYTES : ALLOC_BYTES;

	if (!is_free && e->type != EVENT_OBJECT_ALLOC)
		return 0;
	memset(record, 0, ALLOC_BYTES);
	record[AT_EVENT] = (unsigned char)is_free;
	record[AT_TYPE] = e->flags & EVENT_CACHE ? TYPE_CACHE : TYPE_KMALLOC;
	memcpy(record + AT_SIZE, &size, sizeof(size));
	memcpy(record + AT_SEQUENCE, &sequence, sizeof(sequence));
	memcpy(record + AT_SITE, &e->site, sizeof(e->site));
	memcpy(record + AT_POINTER, &e->base, sizeof(e->base));
	if (is_free)
		return size;
	memcpy(record + AT_REQUESTED, &e->size, sizeof(e->size));
	memcpy(record + AT_ALLOCATED, &e->allocated_bytes,
	       sizeof(e->allocated_bytes));
	memset(record + ALLOC_BYTES - 4, 0xff, 4);	/* node -1 */
	return size;
}

/* --- kmemtrace write: a recorded trace as streams of kmemtrace */

#define CPUS_WRITTEN 256u

struct output {
	const char *prefix, *input;
	uint32_t sequence;
	int failed;
	int fd[CPUS_WRITTEN];	/* 0: not open; below: it failed */
};

static void name_stream(const struct output *o, uint32_t cpu,
			char path[PATH_BYTES])
{
	print_to(path, PATH_BYTES, "%s%u", o->prefix, cpu);
}

static int fd_of(struct output *o, uint32_t cpu)
{
	char path[PATH_BYTES];

	if (cpu >= CPUS_WRITTEN || strlen(o->prefix) > PATH_BYTES - 8) {
		o->failed = complain(o->prefix, cpu >= CPUS_WRITTEN ?
				     "an event of CPU %u: no more than 256 CPUs" :
				     "CPU %u: the name is too long", cpu);
		return -1;
	}
	if (o->fd[cpu])
		return o->fd[cpu];
	name_stream(o, cpu, path);
	if (file_replaces(path, o->input)) {
		o->failed = complain(o->input, "%s would replace it", path);
		return -1;
	}
	o->fd[cpu] = file_new(AT_FDCWD, path, FORMAT_TEXT);
	if (o->fd[cpu] < 0)
		o->failed = complain_error(path, -o->fd[cpu]);
	return o->fd[cpu];
}

/* Gives all streams their names, or, if writing failed, removes them. */
static void finish(struct output *o, int failed)
{
	char path[PATH_BYTES];

	for (uint32_t cpu = 0; cpu < CPUS_WRITTEN; cpu++) {
		int error;

		if (o->fd[cpu] <= 0)
			continue;
		name_stream(o, cpu, path);
		error = file_named(AT_FDCWD, path, o->fd[cpu], failed);
		if (error && !failed)
			o->failed = complain_error(path, error);
	}
}

static void write_event(struct output *o, const struct event *e)
{
	unsigned char record[KMEM_RELAY_BYTES];
	const size_t bytes = kmem_write(record, e, o->sequence + 1);
	int fd;

	if (!bytes)
		return;
	o->sequence++;
	fd = fd_of(o, e->cpu);
	errno = ENOSPC;
	if (fd >= 0 && write(fd, record, bytes) != (ssize_t)bytes)
		o->failed = complain_error(o->prefix, errno);
}

int kmemtrace_write(const char *prefix, const char *path)
{
	unsigned char buffer[TRACE_BUFFER_BYTES];
	struct output o = { .prefix = prefix, .input = path };
	struct trace_header header;
	struct trace_symbol symbol;
	struct trace_reader r;
	struct session session;
	struct event e = { 0 };
	int fd = system_open_input(path), item;

	if (fd < 0)
		return complain_error(path, errno);
	item = trace_open(&r, fd, buffer, 0, &header);
	while (!item || item == TRACE_EVENT || item == TRACE_SYMBOL) {
		item = trace_next(&r, &e, &symbol, &session);
		if (item == TRACE_EVENT && !o.failed)
			write_event(&o, &e);
		if (!item)
			break;
	}
	finish(&o, o.failed || item < 0);
	if (item < 0)
		o.failed = complain(path, "byte %llu: %s",
				    (unsigned long long)r.offset,
				    item == -EINVAL ? r.problem :
				    error_text(item));
	if (!o.sequence && !o.failed)
		o.failed = complain(path, "no objects of slab: record with "
				    "--slab");
	return o.failed;
}
