/* SPDX-License-Identifier: MIT */
/*
 * view/page_owner.c and view/books.c on any text, in tables that are soon full:
 * each page is in exactly one task, module and kind, and the report of it is
 * printable, as text and as JSON.
 */
#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "must.h"
#include "view/books.h"

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

static void check(const struct ledger *l)
{
	uint64_t tasks = 0, modules = 0, kinds = 0;

	for (uint32_t i = 0; i < l->tasks.used; i++)
		tasks += l->tasks.row[i].pages.now;
	for (uint32_t i = 0; i < l->modules.used; i++)
		modules += l->modules.row[i].pages.now;
	for (uint32_t i = 0; i < KINDS; i++)
		kinds += l->kinds.row[i].now;
	must(tasks == l->traced.now && modules == tasks && kinds == tasks);
}

/* In memory of its exact size. */
static void line(struct view_books *b, const uint8_t *bytes, size_t len)
{
	char *copy = malloc(len ? len : 1);

	must(copy != NULL);
	memcpy(copy, bytes, len);
	books_line(b, copy, len);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config c = {
		.level = 3, .stacks = 64, .tasks = 16, .modules = 16,
		.throttle_percent = 100,
	};
	static struct view_books b;
	struct book book = { .out.line = take };
	struct report r;
	void *block = calloc(1, books_bytes(&c) + 64);

	must(block != NULL);
	memset(&b, 0, sizeof(b));
	b.session.page_size = 4096;
	must(!books_begin(&b, &c, (char *)block + 64 - (uintptr_t)block % 64,
			  "page_owner"));
	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t len = end ? (size_t)(end - data) : size;

		line(&b, data, len);
		data += len + (end != NULL);
		size -= len + (end != NULL);
	}
	books_end(&b);
	check(&b.ledger);
	c.format = FORMAT_TEXT;
	books_report(&b, &c, &r);
	report_write(&r, c.format, &book.out);
	symbols_clear(&b.symbols);
	c.format = FORMAT_JSON;
	book.json = 1;
	books_report(&b, &c, &r);
	report_write(&r, c.format, &book.out);
	must(book.ended);
	free(block);
	return 0;
}
