/* SPDX-License-Identifier: MIT */
/* Tells a part of RAM: see proc.h, ram. */
#include <string.h>
#include "source/proc/proc.h"

void ram_tell(struct ram_reader *r, uint32_t flags, const struct word *name,
	      uint64_t bytes)
{
	struct event *e = &r->event;

	if (!bytes)
		return;
	e->type = EVENT_RAM;
	e->flags = flags;
	e->size = bytes;
	word_copy(name, e->name, RAM_NAME_BYTES);
	r->out->event(r->out, e);
}

void ram_tell_named(struct ram_reader *r, uint32_t flags, const char *name,
		    uint64_t bytes)
{
	ram_tell(r, flags, &(struct word){ name, strlen(name) }, bytes);
}
