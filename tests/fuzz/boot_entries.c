/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/before_read.c on any page: each entry is an event, another
 * one, or refused; chains have frames of the page only, and are not too long.
 * T: the format of a stack and of an initcall instead, an end byte between them.
 */
#include "fuzz.h"
#include "source/tracefs/tracefs.h"
#include "../unit/ring_fixture.h"

static const struct tracefs points = {
	.point[TP_ALLOC] = {
		.id = 40, .type = EVENT_ALLOC,
		.flags = { .offset = 2, .size = 1 },
		.number = { .offset = 8, .size = 8 },
		.order = { .offset = 16, .size = 4 },
	},
	.point[TP_MODULE_LOAD] = {
		.id = 42, .type = EVENT_MODULE_LOAD,
		.flags = { .offset = 2, .size = 1 },
		.text = { .offset = 12, .size = 4, .is_data_loc = 1 },
	},
};

static void read_page(const struct boot_formats *f, const uint8_t *data,
		      size_t size)
{
	struct ring_page p;
	struct ring_entry entry;
	struct event e;

	ring_page_open(&p, &f->layout, data, size);
	while (ring_page_next(&p, &entry) > 0) {
		uint64_t context = 0;
		const int found = boot_decode(f, &entry, &e, &context);

		must(found <= 1);
		if (found <= 0)
			continue;
		must(e.time_ns == entry.time_ns && !e.chain_len);
		boot_find_chain(f, p, context, &e);
		must(e.chain_len <= CHAIN_FRAMES_MAX &&
		     e.chain_len <= (size_t)(p.end - p.at) / 8);
	}
}

void fuzz_boot_entries(const uint8_t *data, size_t size)
{
	struct boot_formats f = {
		.points = &points,
		.layout = ring_layout_64,
		.start_id = 30, .start = { .offset = 8, .size = 8 },
		.finish_id = 31, .finish = { .offset = 8, .size = 8 },
		.stack = {
			.id = 4, .size = { .offset = 8, .size = 4 },
			.caller = { .offset = 16, .size = 64 },
		},
		.tracer = 0x5000, .tracer_bytes = 0x100,
	};
	const char *text = (const char *)data + 1;
	size_t len;

	if (!size)
		return;
	if (*data != 'T') {
		read_page(&f, data + 1, size - 1);
		return;
	}
	len = strnlen(text, size - 1);
	if (len == size - 1)
		return;
	if (stack_parse(&f.stack, text, len))
		must(!f.stack.id);
	boot_initcall_parse(&f, text + len + 1, size - len - 2, 0);
}
