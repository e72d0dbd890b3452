/* SPDX-License-Identifier: MIT */
/*
 * One page of a tracefs ring buffer, as trace_pipe_raw gives it: entries, each
 * with its time.
 *
 * A page begins with the time of its first entry and the number of bytes that
 * were written ("commit"). An entry has a word with its type (or length) and
 * the time since the entry before, then its data: the raw record of an event.
 * Where all this lies is read from events/header_page, and the numbers of the
 * types from events/header_event. The order of the bits in the word is not
 * told there as numbers: the type is in its low five bits on a little-endian
 * machine, in its high five bits on a big-endian one. Sources:
 * include/linux/ring_buffer.h and kernel/trace/ring_buffer.c, 6.1.
 *
 * Nothing in a page is trusted, and nothing is read beyond it.
 */
#ifndef MEMSTRACK_RING_PAGE_H
#define MEMSTRACK_RING_PAGE_H

#include "source/tracefs/format.h"

struct ring_layout {
	struct field time, commit;
	uint16_t data;		/* offset in the page */
	uint8_t data_max;	/* larger types are no lengths */
	uint8_t padding, time_extend, time_stamp; /* types */
};

/* The texts of events/header_page and events/header_event. 0, or -EINVAL: a
 * layout that we do not know. */
int ring_layout_parse(struct ring_layout *l, const char *page, size_t page_len,
		      const char *event, size_t event_len);

struct ring_page {
	const struct ring_layout *layout;
	const unsigned char *at, *end;
	uint64_t time_ns;	/* of the last entry */
	uint64_t missed;	/* entries lost before this page; */
	int is_missed;		/* or at least one, if `missed` is 0 */
};

struct ring_entry {
	uint64_t time_ns;
	const unsigned char *data;
	size_t len;
};

/* A page of `len` bytes: 0, or -EINVAL. In both cases *p can be read from. */
int ring_page_open(struct ring_page *p, const struct ring_layout *l,
		   const unsigned char *page, size_t len);

/* 1: the next entry; 0: there is none; -EINVAL: the rest of the page cannot be
 * read, and is given up. */
int ring_page_next(struct ring_page *p, struct ring_entry *e);

#endif
