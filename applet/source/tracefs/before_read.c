/* SPDX-License-Identifier: MIT */
/* Decodes and reads the kernel's own trace buffer: see tracefs.h, boot entries;
 * source/source.h, before. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"
#include "source/source.h"
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

/* --- before read: the kernel's own trace buffer, read in time order */

/* The number behind a key such as "overrun:" in a CPU's stats, or 0. */
static uint64_t stat_of(const char *text, ssize_t len, const char *key)
{
	struct word w = { text, len > 0 ? (size_t)len : 0 };
	uint64_t value;

	return word_seek(&w, key) ||
	       number_to(past_blanks(&w), '\n', 10, &value) ? 0 : value;
}

static void open_cpu(void *context, uint32_t cpu)
{
	struct before *b = context;
	struct before_ring *r = &b->ring[b->rings];
	char name[48], path[TOP_PATH_ROOM], text[512];
	ssize_t len;

	if (b->rings == b->capacity)
		return;
	print_to(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
	len = top_read(b->root, name, text, sizeof(text));
	r->cpu = cpu;
	r->entries = stat_of(text, len, "entries:");
	r->overrun = stat_of(text, len, "\noverrun:");
	b->dropped += stat_of(text, len, "\ndropped events:") +
		      stat_of(text, len, "\ncommit overrun:");
	print_to(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw",
		 b->root, cpu);
	r->fd = system_open_path(path, O_RDONLY | O_NONBLOCK);
	if (r->fd >= 0)
		b->rings++;
}

void before_stop(struct before *b)
{
	top_write(b->root, "tracing_on", "0");
	proc_cpus(open_cpu, b);
}

/* 1: a page was read; 0: there are no more pages. */
static int read_page(struct before *b, struct before_ring *r)
{
	ssize_t len = -1;

	if (r->fd >= 0)
		len = read(r->fd, r->bytes, b->page_bytes);
	if (len <= 0) {
		if (r->fd >= 0)
			close(r->fd);
		r->fd = -1;
		return 0;
	}
	b->bad += ring_page_open(&r->page, &b->formats.layout, r->bytes,
				 (size_t)len) != 0;
	return 1;
}

/* Adds the chain of the next event. If the page has no more entries, the chain
 * may be in the next page. */
static void add_chain(struct before *b, struct before_ring *r, uint64_t context)
{
	if (boot_find_chain(&b->formats, r->page, context, &r->next))
		return;
	if (r->page.at == r->page.end && read_page(b, r))
		boot_find_chain(&b->formats, r->page, context, &r->next);
}

/* Finds the next event of a CPU. 0: there are no more events. */
static int advance(struct before *b, struct before_ring *r)
{
	struct ring_entry entry;
	uint64_t context;

	for (;;) {
		int found = ring_page_next(&r->page, &entry);

		if (!found && !read_page(b, r))
			return 0;
		if (found > 0)
			found = boot_decode(&b->formats, &entry, &r->next,
					    &context);
		b->bad += found < 0;
		if (found <= 0)
			continue;
		if (r->next.type == EVENT_ALLOC)
			add_chain(b, r, context);
		return 1;
	}
}

/* If newer entries have overwritten older entries of a CPU, the record is
 * complete from that CPU's first entry on. Earlier entries of other CPUs are of
 * no use, because the frees of their pages may be missing. */
void before_begin(struct before *b)
{
	b->merge.count = 0;
	for (uint32_t i = 0; i < b->rings; i++) {
		struct before_ring *r = &b->ring[i];

		if (!advance(b, r))
			continue;
		merge_add(&b->merge, i, r->next.time_ns);
		if (r->overrun && r->next.time_ns > b->from_ns)
			b->from_ns = r->next.time_ns;
	}
	merge_order(&b->merge);
}

int before_next(struct before *b, struct event *e)
{
	while (b->merge.count) {
		struct before_ring *r = &b->ring[b->merge.heap[0].ring];

		memcpy(e, &r->next, offsetof(struct event, chain) +
		       r->next.chain_len * sizeof(*e->chain));
		if (advance(b, r))
			merge_again(&b->merge, r->next.time_ns);
		else
			merge_drop(&b->merge);
		if (e->time_ns >= b->from_ns) {
			b->given++;
			return 1;
		}
		b->skipped++;
	}
	return 0;
}

uint64_t before_overrun(const struct before *b)
{
	uint64_t sum = b->skipped;

	for (uint32_t i = 0; i < b->rings; i++)
		sum += b->ring[i].overrun;
	return sum;
}

uint64_t before_unread(const struct before *b)
{
	char name[48], text[512];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->rings; i++) {
		ssize_t len;

		if (b->ring[i].fd < 0)
			continue;
		print_to(name, sizeof(name), "per_cpu/cpu%u/stats",
			 b->ring[i].cpu);
		len = top_read(b->root, name, text, sizeof(text));
		sum += stat_of(text, len, "entries:") + 1;
	}
	return sum;
}

void before_close(struct before *b)
{
	for (uint32_t i = 0; i < b->rings; i++)
		if (b->ring[i].fd >= 0)
			close(b->ring[i].fd);
	b->rings = 0;
}
