/* SPDX-License-Identifier: MIT */
/*
 * view/page_owner.c and view/books.c on any text, in tables that are soon full:
 * a block has the pages of its order, each page is in exactly one task, module
 * and kind, and the report of it is printable, as text and as JSON.
 */
#include "fuzz.h"
#include "view/view.h"

#define PAGE 4096u

static void check_record(const struct owner_record *r)
{
	must(r->order <= ORDER_MAX && r->frames <= OWNER_FRAMES_MAX);
	must(!r->has_pfn || (r->pages == UINT64_C(1) << r->order &&
			     r->pfn % r->pages == 0 &&
			     r->pfn <= UINT64_MAX / PAGE - r->pages));
	must(!r->has_pages || r->pages <= UINT32_MAX);
	must(r->pid <= INT32_MAX && r->tgid <= INT32_MAX);
	must(memchr(r->comm, 0, COMM_BYTES) != NULL);
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

void fuzz_page_owner(const uint8_t *data, size_t size)
{
	static struct config c = {
		.level = 3, .stacks = 64, .tasks = 16, .modules = 16,
		.throttle_percent = 100,
	};
	static struct view_books b;
	struct input t = { .at = data, .left = size };
	struct book book = { .out.line = book_line };
	struct report r;
	void *block = calloc(1, books_bytes(&c) + 64);

	must(block != NULL);
	memset(&b, 0, sizeof(b));
	b.session.page_size = PAGE;
	must(!books_begin(&b, &c, (char *)block + 64 - (uintptr_t)block % 64,
			  "page_owner"));
	while (input_line(&t)) {
		books_line(&b, t.line, t.len);
		check_record(&b.text.record);
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
}
