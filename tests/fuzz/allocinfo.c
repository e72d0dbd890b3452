/* SPDX-License-Identifier: MIT */
/*
 * view/allocinfo.c and view/tags.c on any text: each site is in one row and in
 * one module, and the report of it is printable, as text and as JSON.
 */
#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "must.h"
#include "view/tags.h"

struct book {
	struct out out;			/* first */
	int json, ended;
	int64_t lines;
};

static void take(struct out *o, const char *text, size_t len)
{
	struct book *b = (struct book *)o;

	must(len > 0 && len < LINE_BYTES && !b->ended);
	for (size_t i = 0; i < len; i++)
		must(text[i] >= 0x20 && text[i] <= 0x7e);
	if (!b->json)
		return;
	must(json_whole(text, len));
	b->ended = json_is(text, len, "end");
	must(!b->ended || json_get(text, len, "records") == b->lines);
	b->lines++;
}

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

/* In memory of its exact size. */
static void line(struct view_sites *v, const uint8_t *bytes, size_t len)
{
	char *copy = malloc(len ? len : 1);

	must(copy != NULL);
	memcpy(copy, bytes, len);
	tags_line(v, copy, len);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config c = { .level = 3, .throttle_percent = 100 };
	static struct ledger empty;
	static struct view_sites v;
	struct book book = { .out.line = take };
	void *block = calloc(1, tags_bytes() + 64);

	must(block != NULL);
	memset(&v, 0, sizeof(v));
	must(!tags_begin(&v, (char *)block + 64 - (uintptr_t)block % 64));
	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t len = end ? (size_t)(end - data) : size;

		line(&v, data, len);
		data += len + (end != NULL);
		size -= len + (end != NULL);
	}
	check(&v);
	c.format = FORMAT_TEXT;
	tags_write(&v, &c, &empty, &book.out);
	c.format = FORMAT_JSON;
	book.json = 1;
	tags_write(&v, &c, &empty, &book.out);
	must(book.ended);
	free(block);
	return 0;
}
