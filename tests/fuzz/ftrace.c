/* SPDX-License-Identifier: MIT */
/*
 * source/ftrace/ on any bytes as the pages of two rings: events come in no other
 * order than that of the rings' times, and a drain ends. The first byte says at
 * which of the pages the second ring begins.
 */
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "source/ftrace/ftrace.h"
#include "../unit/ring_fixture.h"

#define PAGE 256u

static const struct ftrace made = {
	.stack = {
		.id = 4, .size = { 8, 4, 1, 0 }, .caller = { 16, 64, 0, 0 },
	},
	.points.anon = { 1, 2, 4 },
	.points.gfp_flags = { 20, 4, 0, 0 },
	.points.point = {
		[TP_FREE] = {
			.id = 5, .type = EVENT_FREE, .flags = { 2, 1, 0, 0 },
			.order = { 16, 4, 0, 0 }, .number = { 8, 8, 0, 0 },
		},
		[TP_ALLOC] = {
			.id = 9, .type = EVENT_ALLOC, .flags = { 2, 1, 0, 0 },
			.order = { 16, 4, 0, 0 }, .number = { 8, 8, 0, 0 },
		},
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

static int ring_of(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("ring", 0);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	must(!lseek(fd, 0, SEEK_SET));
	return fd;
}

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
