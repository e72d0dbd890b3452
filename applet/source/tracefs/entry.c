/* SPDX-License-Identifier: MIT */
/* See tracefs.h, entry. */
#include <errno.h>
#include <string.h>
#include "source/tracefs/tracefs.h"

/* TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ and TRACE_FLAG_NMI. */
#define CONTEXT_FLAGS (0x08u | 0x10u | 0x40u)

struct entry entry_of(const unsigned char *data, size_t len)
{
	struct entry h = { 0 };

	if (len >= sizeof(h))
		memcpy(&h, data, sizeof(h));
	return h;
}

uint64_t entry_context(const struct entry *h)
{
	return (uint64_t)h->tid << 8 | (h->flags & CONTEXT_FLAGS);
}

int stack_parse(struct stack_format *s, const char *text, size_t len)
{
	if (!format_id(text, len, &s->id) && s->id &&
	    !format_field(text, len, "size", &s->size) &&
	    !format_field(text, len, "caller", &s->caller))
		return 0;
	s->id = 0;
	return -EINVAL;
}

/* The kernel has ended short stacks with -1. */
void stack_decode(const struct stack_format *s, const struct ring_layout *l,
		  const unsigned char *data, size_t len, uint32_t most,
		  struct event *e)
{
	struct field frame = {
		.offset = s->caller.offset, .size = l->commit.size,
	};
	const uint64_t end = UINT64_MAX >> (64 - 8 * frame.size);
	uint64_t count, addr;

	if (field_u64(&s->size, data, len, &count))
		return;
	while (count-- && e->chain_len < most &&
	       !field_u64(&frame, data, len, &addr) && addr && addr != end) {
		e->chain[e->chain_len++] = addr;
		frame.offset = (uint16_t)(frame.offset + frame.size);
	}
}
