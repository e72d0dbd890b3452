/* SPDX-License-Identifier: MIT */
/*
 * view/tags.c on any text: each site is in one row and in
 * one module, and the report of it is printable, as text and as JSON.
 */
#include "fuzz.h"
#include "view/view.h"

/* Modulo 2^64. */
static void check(const struct view_sites *v)
{
	uint64_t rows = 0, modules = 0;

	for (uint32_t i = 0; i < v->used; i++)
		rows += (uint64_t)v->row[i].sums.calls;
	for (uint32_t i = 0; i < v->modules; i++)
		modules += (uint64_t)v->module[i].sums.calls;
	must(rows == (uint64_t)v->sums.calls && modules == rows);
	must(v->texts_used <= SITE_TEXT_BYTES);
}

void fuzz_allocinfo(const uint8_t *data, size_t size)
{
	static struct config c = { .level = 3, .throttle_percent = 100 };
	static struct ledger empty;
	static struct view_sites v;
	struct input t = { .at = data, .left = size };
	struct book book = { .out.line = book_line };
	void *block = calloc(1, tags_bytes() + 64);

	must(block != NULL);
	memset(&v, 0, sizeof(v));
	must(!tags_begin(&v, (char *)block + 64 - (uintptr_t)block % 64));
	while (input_line(&t))
		tags_line(&v, t.line, t.len);
	check(&v);
	c.format = FORMAT_TEXT;
	tags_write(&v, &c, &empty, &book.out);
	c.format = FORMAT_JSON;
	book.json = 1;
	tags_write(&v, &c, &empty, &book.out);
	must(book.ended);
	free(block);
}
