/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what tracefs has. source/tracefs/ring_page.c: entries lie within what
 * is committed, one behind the other, and a page ends once; of a text behind a T,
 * those of events/header_page and header_event with an end byte between them, a
 * layout that is accepted is used to read the texts as a page. ftrace/before.c: of
 * the pages of a ring, events of no other type than those known, whose chains are
 * not too long and do not begin in the function that traces; behind a T, the format
 * of a stack.
 *
 * format.c and tracepoints.c: a `format` file of each tracepoint, and its last bytes
 * as a raw record: nothing is read outside of either, and what is taken is whole.
 *
 * source/ftrace/: the pages of two rings, of which the second begins at that page
 * which the first byte says: events come in no other order than that of the rings'
 * times, and a drain ends.
 */
#include <sys/mman.h>
#include "fuzz.h"
#include "limits.h"
#include "source/ftrace/ftrace.h"
#include "source/tracefs/tracefs.h"
#include "../unit/ring_fixture.h"

/* --- ring_page.c --- */

static void read_page(const struct ring_layout *l, const uint8_t *data,
		      size_t size)
{
	const unsigned char *before = data;
	struct ring_page p;
	struct ring_entry e;
	int found;

	found = ring_page_open(&p, l, data, size);
	must(p.at <= p.end && p.end <= data + size);
	must(!found || p.at == p.end);
	while ((found = ring_page_next(&p, &e)) > 0) {
		must(e.data >= before + 4 && e.data + e.len <= p.end);
		must(e.time_ns == p.time_ns && p.at >= e.data + e.len);
		before = e.data + e.len;
	}
	must(!ring_page_next(&p, &e));
}

static void read_texts(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const size_t len = strnlen(text, size);
	struct ring_layout l;

	if (len == size || ring_layout_parse(&l, text, len, text + len + 1,
					     size - len - 1))
		return;
	must(l.data_max < l.padding && l.data_max < l.time_extend &&
	     l.data_max < l.time_stamp && l.time_stamp < 32);
	read_page(&l, data, size);
}

void fuzz_ring_page(const uint8_t *data, size_t size)
{
	if (!size)
		return;
	if (*data == 'T')
		read_texts(data + 1, size - 1);
	else
		read_page(&ring_layout_64, data + 1, size - 1);
}

/* --- ftrace/before.c --- */

#define PAGE 256u

static int ring_of(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("ring", 0);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	must(!lseek(fd, 0, SEEK_SET));
	return fd;
}

static void read_boot(const uint8_t *data, size_t size)
{
	struct merge_entry heap;
	struct ftrace_ring ring = {
		.fd = ring_of(data, size), .stats_fd = -1, .pages = 1,
		.page = malloc(PAGE),
	};
	struct ftrace f = {
		.layout = ring_layout_64, .ring = &ring, .merge.heap = &heap,
		.rings = 1, .page_bytes = PAGE,
		.source.frames = CHAIN_FRAMES_MAX,
		.stack = {
			.id = 4, .size = { .offset = 8, .size = 4 },
			.caller = { .offset = 16, .size = 64 },
		},
		.points.point = {
			[TP_ALLOC] = page_point(40, EVENT_ALLOC),
			[TP_MODULE_LOAD] = {
				.id = 42, .type = EVENT_MODULE_LOAD,
				.flags = { 2, 1, 0, 0 },
				.text = { 12, 4, 0, 1 },
			},
			[TP_BOOT_INITCALL] = {
				.id = 30, .type = EVENT_INITCALL_START,
				.number = { 8, 8, 0, 0 },
				.flags = { 2, 1, 0, 0 },
			},
		},
	};
	struct before b = {
		.reader = &f, .tracer = 0x5000, .tracer_bytes = 0x100,
	};
	struct event e;

	must(ring.page != NULL);
	before_begin(&b);
	while (before_next(&b, &e)) {
		must(e.type == EVENT_ALLOC || e.type == EVENT_MODULE_LOAD ||
		     e.type == EVENT_INITCALL_START);
		must(e.chain_len <= CHAIN_FRAMES_MAX);
		must(!e.chain_len || e.chain[0] - b.tracer >= b.tracer_bytes);
		must(e.type != EVENT_MODULE_LOAD ||
		     memchr(e.name, 0, sizeof(e.name)));
	}
	close(ring.fd);
	free(ring.page);
}

void fuzz_boot_entries(const uint8_t *data, size_t size)
{
	struct stack_format stack;

	if (!size)
		return;
	if (*data != 'T')
		read_boot(data + 1, size - 1);
	else if (stack_parse(&stack, (const char *)data + 1, size - 1))
		must(!stack.id);
}

/* --- format.c, tracepoints.c --- */

#define RAW_BYTES 96

static void decode(const struct point *p, const uint8_t *bytes, size_t len)
{
	unsigned char *raw = exact(bytes, len);
	struct event e;

	memset(&e, 0x5a, sizeof(e));
	if (!point_decode(p, raw, len, &e)) {
		must(e.type == p->type);
		must((e.flags & ~(EVENT_IRQ | (p->ahead ? EVENT_AHEAD : 0))) ==
		     p->set_flags);
		must(!p->text.size || memchr(e.name, 0, sizeof(e.name)));
	}
	free(raw);
}

static void parse(const char *text, size_t len)
{
	for (enum tracepoint tp = 0; tp < TP_COUNT; tp++) {
		size_t tail = len < RAW_BYTES ? len : RAW_BYTES;
		struct point p;

		if (point_parse(&p, tp, text, len)) {
			must(p.id == 0);
			continue;
		}
		must(p.id != 0 && p.flags.size != 0);
		for (; tail; tail -= tail > 8 ? 7 : 1)
			decode(&p, (const uint8_t *)text + len - tail, tail);
		decode(&p, NULL, 0);
	}
}

static void flags(const char *text, size_t len)
{
	static const char *const names[] = {
		"__GFP_ZERO", "GFP_KERNEL", "F", "__GFP_DMA",
	};
	struct tracefs t = { .anon = { 1, 2, 3 } };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		uint64_t value = 0;

		if (!format_flag(text, len, names[i], &value))
			must(value != 0);
	}
	anon_parse(&t, text, len);
	must(!t.anon[0] == !t.anon[1] && !t.anon[1] == !t.anon[2]);
}

static void fields(const char *text, size_t len)
{
	static const char *const names[] = {
		"pfn", "name", "migratetype", "a", "common_type",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct field f;

		if (!format_field(text, len, names[i], &f))
			must(f.size != 0 && f.is_signed <= 1);
	}
}

void fuzz_format(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	parse(text, size);
	flags(text, size);
	fields(text, size);
}

/* --- ftrace/ --- */

static const struct ftrace made = {
	.stack = {
		.id = 4, .size = { 8, 4, 1, 0 }, .caller = { 16, 64, 0, 0 },
	},
	.points.anon = { 1, 2, 4 },
	.points.gfp_flags = { 20, 4, 0, 0 },
	.points.point = {
		[TP_AREA_ALLOC] = {
			.id = 10, .type = EVENT_AREA_ALLOC,
			.flags = { 2, 1, 0, 0 }, .number = { 8, 8, 0, 0 },
		},
		[TP_MODULE_LOAD] = {
			.id = 6, .type = EVENT_MODULE_LOAD,
			.flags = { 2, 1, 0, 0 }, .text = { 8, 4, 0, 1 },
		},
	},
	.tasks.point = {
		[TASK_NEW] = {
			.id = 7, .tid = { 8, 4, 1, 0 }, .name = { 12, 16, 1, 0 },
			.flags = { 32, 8, 0, 0 },
		},
		[TASK_EXECUTES] = {
			.id = 8, .tid = { 12, 4, 1, 0 }, .name = { 8, 4, 1, 1 },
		},
	},
	.rings = 2, .page_bytes = PAGE,
	.source = {
		.frames = CHAIN_FRAMES_MAX, .ring_bytes = 4 * PAGE, .rings = 1,
		.split = 1,
	},
};

static void drain(struct ftrace *f, uint64_t horizon_ns)
{
	struct event e;

	ftrace_begin(&f->source, horizon_ns);
	while (ftrace_next(&f->source, &e)) {
		must(e.type == EVENT_REJECTED || e.time_ns < horizon_ns);
		must(e.chain_len <= CHAIN_FRAMES_MAX);
		if (e.type == EVENT_MODULE_LOAD || e.type == EVENT_COMM)
			must(memchr(e.name, 0, sizeof(e.name)) != NULL);
	}
	for (uint32_t i = 0; i < f->rings; i++)
		must(!f->ring[i].has_next ||
		     f->ring[i].next.time_ns >= horizon_ns);
}

void fuzz_ftrace(const uint8_t *data, size_t size)
{
	struct ftrace f = made;
	struct ftrace_ring rings[2];
	struct merge_entry heap[2];
	size_t first;

	if (!size)
		return;
	first = (size_t)*data * PAGE;
	if (first > size - 1)
		first = size - 1;
	f.layout = ring_layout_64;
	f.points.point[TP_FREE] = page_point(5, EVENT_FREE);
	f.points.point[TP_ALLOC] = page_point(9, EVENT_ALLOC);
	f.ring = rings;
	f.merge.heap = heap;
	for (int i = 0; i < 2; i++)
		rings[i] = (struct ftrace_ring){
			.fd = i ? ring_of(data + 1 + first, size - 1 - first) :
				  ring_of(data + 1, first),
			.stats_fd = -1, .page = malloc(PAGE),
			.pages = 4,
		};
	must(rings[0].page && rings[1].page);
	drain(&f, UINT64_C(1) << 20);
	drain(&f, UINT64_MAX);
	for (int i = 0; i < 2; i++) {
		close(rings[i].fd);
		free(rings[i].page);
	}
}
