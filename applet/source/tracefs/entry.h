/* SPDX-License-Identifier: MIT */
/*
 * What every entry of a tracefs ring begins with, and the entry that holds the
 * call chain of another one ("kernel_stack").
 *
 * The chain follows its event, in the same context of the same thread. An
 * interrupt may write events with chains between the two.
 */
#ifndef MEMSTRACK_ENTRY_H
#define MEMSTRACK_ENTRY_H

#include "source/event.h"
#include "source/tracefs/ring_page.h"

/* include/linux/trace_events.h, struct trace_entry, the same since 2.6.33. */
struct entry {
	uint16_t id;
	uint8_t flags, preempt_count;
	uint32_t tid;
};

/* All are 0 if the data are too short. */
struct entry entry_of(const unsigned char *data, size_t len);

/* The thread, and whether it or an interrupt ran. Other flags may change
 * between an event and its stack. */
uint64_t entry_context(const struct entry *h);

struct stack_format {
	uint32_t id;
	struct field size, caller;	/* frames, the first of them */
};

/* The text of ftrace/kernel_stack/format. 0, or -EINVAL: then the id is 0. */
int stack_parse(struct stack_format *s, const char *text, size_t len);

/* Adds the frames of an entry to the event's chain, up to `most`. A frame has
 * the size of an unsigned long of that kernel, as the commit of a page. */
void stack_decode(const struct stack_format *s, const struct ring_layout *l,
		  const unsigned char *data, size_t len, uint32_t most,
		  struct event *e);

#endif
