/* SPDX-License-Identifier: MIT */
/*
 * record/kmemtrace.c on any bytes as a stream. Reading ends, each event is one of
 * an object, and what is not read as a record is counted. Written again, an event
 * of the relay form is read as the same.
 */
#include "fuzz.h"
#include "record/record.h"

static void again(const struct event *e)
{
	unsigned char record[KMEM_RELAY_BYTES];
	const size_t bytes = kmem_write(record, e, 7);
	struct kmem_stream s;
	struct event read;

	must(bytes == (e->type == EVENT_OBJECT_FREE ? 24 : 48));
	must(!kmem_open(&s, record, bytes, e->cpu));
	must(kmem_next(&s, &read) == 1 && read.type == e->type);
	must(read.time_ns == 7 && read.base == e->base &&
	     read.site == e->site && read.size == e->size &&
	     read.allocated_bytes == e->allocated_bytes &&
	     read.flags == e->flags && read.cpu == e->cpu);
	must(!kmem_next(&s, &read) && !s.illegal && !s.cut_bytes);
}

void fuzz_kmemtrace(const uint8_t *data, size_t size)
{
	struct kmem_stream s;
	struct event e;
	size_t events = 0;

	if (kmem_open(&s, data, size, 3))
		return;
	while (kmem_next(&s, &e)) {
		events++;
		must(e.cpu == 3 && (e.type == EVENT_OBJECT_ALLOC ||
				    e.type == EVENT_OBJECT_FREE));
		again(&e);
	}
	must(s.at == s.end && events <= size / 24);
	must(s.cut_bytes <= size);
}
