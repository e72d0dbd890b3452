/* See boot_entries.h. */
#include <errno.h>
#include <string.h>
#include "source/tracefs/boot_entries.h"

/* include/linux/trace_events.h, struct trace_entry, the same since 2.6.33. */
struct entry {
	uint16_t id;
	uint8_t flags, preempt_count;
	uint32_t tid;
};

int boot_stack_parse(struct boot_formats *f, const char *text, size_t len)
{
	if (!format_field(text, len, "size", &f->frames) &&
	    !format_field(text, len, "caller", &f->frame) &&
	    !format_id(text, len, &f->stack_id))
		return 0;
	f->stack_id = 0;
	return -EINVAL;
}

void boot_initcall_parse(struct boot_formats *f, const char *text, size_t len,
			 int finish)
{
	uint32_t *id = finish ? &f->finish_id : &f->start_id;

	if (format_id(text, len, id) ||
	    format_field(text, len, "func", finish ? &f->finish : &f->start))
		*id = 0;
}

static int head_of(const struct ring_entry *entry, struct entry *h)
{
	if (entry->len < sizeof(*h))
		return -EINVAL;
	memcpy(h, entry->data, sizeof(*h));
	return 0;
}

/* TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ and TRACE_FLAG_NMI, and the task. */
static uint64_t context_of(const struct entry *h)
{
	return (uint64_t)h->tid << 8 | (h->flags & (0x08 | 0x10 | 0x40));
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
	struct entry h;

	if (head_of(entry, &h))
		return -EINVAL;
	if (!h.id || h.id == f->stack_id)
		return 0;
	event_begin(e, EVENT_REJECTED, entry->time_ns);
	e->tid = h.tid;
	*context = context_of(&h);
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

/* An address of the kernel that traces is as wide as ours. */
static void take_chain(const struct boot_formats *f,
		       const struct ring_entry *entry, struct event *e)
{
	struct field frame = f->frame;
	uint64_t count, addr;

	frame.size = sizeof(unsigned long);
	frame.is_signed = 0;
	if (field_u64(&f->frames, entry->data, entry->len, &count))
		return;
	for (; count-- && e->chain_len < CHAIN_FRAMES_MAX; ) {
		if (field_u64(&frame, entry->data, entry->len, &addr) || !addr)
			return;
		frame.offset = (uint16_t)(frame.offset + frame.size);
		if (e->chain_len || addr - f->tracer >= f->tracer_bytes)
			e->chain[e->chain_len++] = addr;
	}
}

int boot_find_chain(const struct boot_formats *f, struct ring_page rest,
		    uint64_t context, struct event *e)
{
	struct ring_entry entry;
	struct entry h;

	while (ring_page_next(&rest, &entry) > 0) {
		if (head_of(&entry, &h) || context_of(&h) != context)
			continue;
		if (h.id == f->stack_id)
			take_chain(f, &entry, e);
		return 1;
	}
	return 0;
}
