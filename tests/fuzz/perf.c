/* SPDX-License-Identifier: MIT */
/*
 * source/perf/drain.c on any bytes: as one record, and as
 * what lies in two rings that start, end and wrap anywhere. Draining ends,
 * gives back all space, and events are whole.
 *
 * 14 bytes tell where the rings start, where the first one ends, and up to
 * which time to drain; what follows is their content.
 */
#include <linux/perf_event.h>
#include "fuzz.h"
#include "limits.h"
#include "source/perf/perf.h"
#include "../unit/formats.h"

#define RING_BYTES 4096u
#define RINGS 2u
#define HEAD_BYTES 14u
#define RECORDS_MAX (RINGS * (RING_BYTES / 8))

struct rings {
	struct perf_event_mmap_page control[RINGS];
	struct perf_ring ring[RINGS];
	struct merge_entry heap[RINGS];
	struct perf perf;
};

static struct tracefs *points(void)
{
	static const struct {
		enum tracepoint tp;
		const char *file;
		uint32_t id;		/* that the corpus has */
	} files[] = {
		{ TP_ALLOC, "mm_page_alloc-6.18", 0 },
		{ TP_FREE, "mm_page_free-6.18", 0 },
		{ TP_MODULE_LOAD, "module_load-6.1", 0 },
		{ TP_MODULE_FREE, "module_free-6.1", 0 },
		{ TP_ENTER_FINIT_MODULE, "sys_enter_finit_module-7.2", 348 },
		{ TP_EXIT_FINIT_MODULE, "sys_exit_finit_module-6.1", 0 },
		{ TP_BULK, "memstrack_bulk", 0 },
		{ TP_AREA_ENTER, "memstrack_enter", 0 },
		{ TP_CMA, "cma_alloc_finish-7.2", 480 },
		{ TP_MOVE, "memstrack_move", 0 },
		{ TP_KMALLOC, "kmalloc-6.1", 0 },
		{ TP_CACHE_ALLOC, "kmem_cache_alloc-7.2", 0 },
		{ TP_KFREE, "kfree-5.10", 0 },
		{ TP_CACHE_FREE, "kmem_cache_free-6.1", 0 },
		{ TP_AREA_ALLOC, "memstrack_bulk", 401 },
		{ TP_ENTER_INIT_MODULE, "mm_page_alloc-before-4.1", 0 },
		{ TP_EXIT_INIT_MODULE, "sys_exit_finit_module-6.1", 400 },
	};
	static struct tracefs t;

	if (t.point[TP_ALLOC].id)
		return &t;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct point *p = &t.point[files[i].tp];

		must(!format_point(p, files[i].tp, files[i].file));
		p->id = files[i].id ? files[i].id : p->id;
	}
	t.point[TP_EXIT_INIT_MODULE].number.size = 4;
	return &t;
}

static void check(const struct event *e)
{
	switch (e->type) {
	case EVENT_ALLOC:
	case EVENT_FREE:
		must(e->chain_len <= CHAIN_FRAMES_MAX);
		must(e->flags == 0 || e->flags == EVENT_IRQ);
		break;
	case EVENT_BULK:
		must(!(e->flags & ~(EVENT_IRQ | EVENT_CMA)));
		break;
	case EVENT_AREA_ALLOC:
		must(e->chain_len <= CHAIN_FRAMES_MAX);
		break;
	case EVENT_COMM:
		must(memchr(e->name, 0, COMM_BYTES) != NULL);
		must(e->flags == 0 || e->flags == EVENT_EXEC);
		break;
	case EVENT_OBJECT_ALLOC:
	case EVENT_OBJECT_FREE:
		must(e->chain_len <= CHAIN_FRAMES_MAX);
		must(!(e->flags & ~(EVENT_IRQ | EVENT_CACHE)));
		must(memchr(e->name, 0, SLAB_NAME_BYTES) != NULL);
		break;
	case EVENT_MODULE_LOAD:
	case EVENT_MODULE_FREE:
		must(memchr(e->name, 0, MODULE_NAME_BYTES) != NULL);
		break;
	default:
		must(e->type == EVENT_FORK || e->type == EVENT_EXIT ||
		     e->type == EVENT_LOST || e->type == EVENT_REJECTED ||
		     e->type == EVENT_AREA_ENTER ||
		     e->type == EVENT_LOAD_ENTER ||
		     e->type == EVENT_LOAD_EXIT);
	}
}

static void one_record(const uint8_t *data, size_t size)
{
	struct event e;

	for (int has_tgids = 0; has_tgids < 2; has_tgids++) {
		memset(&e, 0x5a, sizeof(e));
		if (perf_decode(points(), has_tgids, data, size, &e) > 0)
			check(&e);
	}
}

/* `len` bytes in a ring, from byte `start` on. */
static void fill(struct rings *s, uint32_t ring, uint64_t start,
		 const uint8_t *bytes, size_t len)
{
	struct perf_ring *r = &s->ring[ring];

	r->data = malloc(RING_BYTES);
	must(r->data != NULL);
	memset(r->data, 0xa5, RING_BYTES);
	for (size_t i = 0; i < len; i++)
		r->data[(start + i) % RING_BYTES] = bytes[i];
	r->control = &s->control[ring];
	r->tail = r->released = start;
	s->control[ring].data_tail = start;
	s->control[ring].data_head = start + len;
}

static void drain(struct rings *s, uint64_t horizon_ns)
{
	uint32_t n = 0;
	struct event e;

	memset(&e, 0x5a, sizeof(e));
	perf_begin(&s->perf.source, horizon_ns);
	while (perf_next(&s->perf.source, &e)) {
		check(&e);
		must(++n <= RECORDS_MAX);
	}
	for (uint32_t i = 0; i < RINGS; i++)
		must(s->ring[i].tail <= s->control[i].data_head &&
		     s->control[i].data_tail <= s->ring[i].tail);
}

static uint64_t ring_u64(const struct perf_ring *r, uint64_t at)
{
	unsigned char bytes[8];
	uint64_t value;

	for (size_t i = 0; i < 8; i++)
		bytes[i] = r->data[(at + i) % RING_BYTES];
	memcpy(&value, bytes, 8);
	return value;
}

/* All is read, but what nothing is later than; all space is given back. */
static void check_drained(const struct rings *s, uint32_t ring)
{
	const struct perf_ring *r = &s->ring[ring];
	struct perf_event_header h;
	uint64_t head;

	must(s->control[ring].data_tail == r->tail);
	if (r->tail == s->control[ring].data_head)
		return;
	head = ring_u64(r, r->tail);
	memcpy(&h, &head, sizeof(h));
	must(h.type != 0);
	must(ring_u64(r, h.type != PERF_RECORD_SAMPLE ? r->tail + h.size - 8 :
		      r->tail + (s->perf.has_tgids ? 16 : 8)) == UINT64_MAX);
}

static void rings(const uint8_t *data, size_t size)
{
	struct rings s = { .perf = {
		.source = { .points = points(), .rings = RINGS,
			    .ring_bytes = RING_BYTES },
		.capacity = RINGS,
	} };
	uint16_t start[RINGS], split;
	uint64_t horizon_ns;

	memcpy(start, data, 4);
	memcpy(&split, data + 4, 2);
	memcpy(&horizon_ns, data + 6, 8);
	data += HEAD_BYTES;
	size -= HEAD_BYTES;
	s.perf.has_tgids = !(start[0] & 1);
	split = (uint16_t)(split % (RING_BYTES + 1));
	split = split < size ? split : (uint16_t)size;
	s.perf.ring = s.ring;
	s.perf.merge.heap = s.heap;
	/* The tail is ours: it begins at 0 and moves on by whole records, whose
	 * sizes are multiples of eight. The head is the kernel's. */
	fill(&s, 0, start[0] & ~7u, data, split);
	fill(&s, 1, start[1] & ~7u, data + split,
	     size - split < RING_BYTES ? size - split : RING_BYTES);
	drain(&s, horizon_ns);
	drain(&s, UINT64_MAX);
	for (uint32_t i = 0; i < RINGS; i++) {
		check_drained(&s, i);
		free(s.ring[i].data);
	}
}

void fuzz_perf(const uint8_t *data, size_t size)
{
	one_record(data, size);
	if (size >= HEAD_BYTES)
		rings(data, size);
}
