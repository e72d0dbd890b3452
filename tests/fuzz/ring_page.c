/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/ring_page.c on any bytes: the first says what the others are.
 *
 * T: the texts of events/header_page and events/header_event, an end byte
 * between them. A layout that is accepted is used to read the texts as a page.
 * Else: a page. Its entries lie within what is committed, one behind the other,
 * and a page ends once.
 */
#include "fuzz.h"
#include "../unit/ring_fixture.h"

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
