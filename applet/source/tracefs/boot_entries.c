/* SPDX-License-Identifier: MIT */
/* See tracefs.h, boot entries. */
#include <errno.h>
#include <string.h>
#include "source/tracefs/tracefs.h"

void boot_initcall_parse(struct boot_formats *f, const char *text, size_t len,
			 int finish)
{
	uint32_t *id = finish ? &f->finish_id : &f->start_id;

	if (format_id(text, len, id) ||
	    format_field(text, len, "func", finish ? &f->finish : &f->start))
		*id = 0;
}

static int decode_initcall(const struct field *func,
			   const struct ring_entry *entry, struct event *e,
			   enum event_type type)
{
	e->type = type;
	return field_u64(func, entry->data, entry->len, &e->base) ? -EINVAL : 1;
}

int boot_decode(const struct boot_formats *f, const struct ring_entry *entry,
		struct event *e, uint64_t *context)
{
	const struct tracefs *t = f->points;
	const struct entry h = entry_of(entry->data, entry->len);

	if (entry->len < sizeof(h))
		return -EINVAL;
	if (!h.id || h.id == f->stack.id)
		return 0;
	event_begin(e, EVENT_REJECTED, entry->time_ns);
	e->tid = h.tid;
	*context = entry_context(&h);
	if (h.id == f->start_id)
		return decode_initcall(&f->start, entry, e,
				       EVENT_INITCALL_START);
	if (h.id == f->finish_id)
		return decode_initcall(&f->finish, entry, e,
				       EVENT_INITCALL_FINISH);
	for (unsigned int tp = TP_FREE; tp <= TP_MODULE_FREE; tp++)
		if (t->point[tp].id == h.id)
			return point_decode(&t->point[tp], entry->data,
					    entry->len, e) ? -EINVAL : 1;
	return 0;
}

static int is_tracer(const struct boot_formats *f, uint64_t addr)
{
	return addr - f->tracer < f->tracer_bytes;
}

static void take_chain(const struct boot_formats *f,
		       const struct ring_entry *entry, struct event *e)
{
	uint32_t own = 0;

	stack_decode(&f->stack, &f->layout, entry->data, entry->len,
		     CHAIN_FRAMES_MAX, e);
	while (own < e->chain_len && is_tracer(f, e->chain[own]))
		own++;
	e->chain_len -= own;
	memmove(e->chain, e->chain + own, e->chain_len * sizeof(*e->chain));
}

int boot_find_chain(const struct boot_formats *f, struct ring_page rest,
		    uint64_t context, struct event *e)
{
	struct ring_entry entry;

	while (ring_page_next(&rest, &entry) > 0) {
		const struct entry h = entry_of(entry.data, entry.len);

		if (entry.len < sizeof(h) || entry_context(&h) != context)
			continue;
		if (h.id == f->stack.id)
			take_chain(f, &entry, e);
		return 1;
	}
	return 0;
}
