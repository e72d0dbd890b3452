/* SPDX-License-Identifier: MIT */
/*
 * A page of a ring buffer while it is written, as trace_pipe_raw gives it on
 * machines with 64 bits.
 */
#ifndef RING_FIXTURE_H
#define RING_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include "base/system.h"
#include "source/tracefs/tracefs.h"

#define TOLD(text) text, sizeof(text) - 1
#define RING_HEAD 16u

static const struct ring_layout ring_layout_64 = {
	.time = { .size = 8 }, .commit = { .offset = 8, .size = 8 },
	.data = RING_HEAD, .data_max = 28, .padding = 29, .time_extend = 30,
	.time_stamp = 31,
};

/* The texts of events/header_page and events/header_event of 6.1. */
static inline const char *ring_headers(const char **event)
{
	static char text[1024];		/* 'T', the one, 0, the other */

	if (readfile("tests/fuzz/corpus/ring_page/layout-6.1", text,
		     sizeof(text)) <= 0)
		abort();
	*event = text + strlen(text) + 1;
	return text + 1;
}

/* A page event: pfn at 8, order at 16. */
static inline struct point page_point(uint32_t id, uint32_t type)
{
	return (struct point){
		.id = id, .type = type, .flags = { 2, 1, 0, 0 },
		.number = { 8, 8, 0, 0 }, .order = { 16, 4, 0, 0 },
	};
}

static unsigned char page[4096];
static size_t filled;		/* behind its head */

static inline void begin_page(void)
{
	memset(page, 0, sizeof(page));
	filled = 0;
}

static inline void put(const void *data, size_t len)
{
	memcpy(page + RING_HEAD + filled, data, len);
	filled += len;
}

static inline void put_u32(uint32_t value)
{
	put(&value, sizeof(value));
}

/* The first word of an entry. */
#define RING_ENTRY(type, delta) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? \
	(type) << 27 | (uint32_t)(delta) : (type) | (uint32_t)(delta) << 5)

/* An event so much later than what is before it, and what is behind its common
 * fields. */
static inline void put_event(uint32_t delta_ns, uint16_t id, uint8_t flags,
			     uint32_t tid, const void *rest, size_t len)
{
	put_u32(RING_ENTRY((uint32_t)(8 + len) / 4, delta_ns));
	put(&id, sizeof(id));
	put((uint8_t[]){ flags, 0 }, 2);
	put_u32(tid);
	put(rest, len);
}

static inline void commit_page(uint64_t time_ns, uint64_t flags)
{
	const uint64_t bytes = filled | flags;

	memcpy(page, &time_ns, 8);
	memcpy(page + 8, &bytes, 8);
}

#endif
