/* SPDX-License-Identifier: MIT */
/* The tracer's table of pages: see view.h, check tracer. */
#include <errno.h>
#include <string.h>
#include "base/system.h"
#include "control/control.h"
#include "view/view.h"

static const uint32_t row_bytes[] = {
	[PAGES_HEAD] = MODULE_NAME_BYTES,
	[PAGES_RUNS] = sizeof(struct pages_run),
	[PAGES_OWNERS] = sizeof(struct pages_owner),
	[PAGES_MODULES] = MODULE_NAME_BYTES,
};

static int ask_part(struct page_table *t, enum pages_part part, uint64_t from)
{
	const struct pages_request q = {
		.version = PAGES_VERSION, .part = part, .from = from,
	};
	const uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	const int error = control_ask_file(&t->way, CONTROL_PAGES, &q,
					   sizeof(q), t->file,
					   REPORT_TIMEOUT_MS);
	const uint64_t ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	struct pages_head *h = &t->head;

	if (error)
		return error;
	memcpy(h, t->map, sizeof(*h));
	if (part != PAGES_HEAD && ns > t->longest_ns)
		t->longest_ns = ns;
	return h->version != PAGES_VERSION || h->ranges > RAM_RANGES_MAX ||
	       h->count > (GIVEN_BYTES_MAX - sizeof(*h)) / row_bytes[part] ||
	       (h->next != PAGES_END && h->next <= from) ? -EPROTO : 0;
}

int page_table_open(struct page_table *t)
{
	t->longest_ns = 0;
	t->way = (struct control_way){ 0 };
	t->file = given_make(GIVEN_BYTES_MAX, &t->map);
	return t->file < 0 ? t->file : ask_part(t, PAGES_HEAD, 0);
}

int page_table_fetch(struct page_table *t, enum pages_part part,
		     page_table_rows *take, void *context)
{
	uint64_t from = 0;
	int error;

	do {
		error = ask_part(t, part, from);
		if (!error)
			error = take(context, from, t->map + sizeof(t->head),
				     t->head.count);
		from = t->head.next;
	} while (!error && from != PAGES_END);
	return error;
}
