/* SPDX-License-Identifier: MIT */
/*
 * The report of the kernel's own books: the tables of every report, with what is
 * held now alone, and a head of its own, because nothing was traced.
 */
#include "host/formats/formats.h"

static void put_note(struct sheet *s, const char *template, uint64_t value)
{
	if (value)
		sheet_line(s, template, &value);
}

static void text(struct sheet *s)
{
	const struct books *b = &s->ledger->books;

	line_str(&s->line, "memstrack " MEMSTRACK_VERSION ": ");
	line_name(&s->line, s->ledger->source);
	sheet_line(s, ": %p held, by %u record%s", (const uint64_t[]){
		   s->ledger->traced.now, b->records });
	put_note(s, "warning not understood: %u line%s; their pages are "
		 "missing", b->wrong_lines);
	put_note(s, "warning %u page%s found no room: in no figure",
		 s->ledger->total.untracked_pages);
	put_note(s, "warning %u frame%s found no room for a name; raise "
		 "--stacks", b->full_frames);
	put_note(s, "note    %u record%s of allocations, not of pages (Linux "
		 "6.9): each counts as a page", b->counts);
	put_note(s, "note    %u record%s without a number of pages", b->silent);
	put_note(s, "note    %u migrated page%s: the task and the stack are "
		 "those of the first page", b->migrated_pages);
	if (b->without_tasks)
		sheet_line(s, "note    this file names no tasks", NULL);
	text_warnings(s);
	text_tables(s);
	text_stacks(s);
	text_finish(s);
}

static void json(struct sheet *s)
{
	const struct books *b = &s->ledger->books;

	json_begin(s, "view\",\"version\":\"" MEMSTRACK_VERSION);
	json_string(s, "books", s->ledger->source, SOURCE_NAME_BYTES);
	json_put_figures(s, FIGURE_LEVEL, FIGURE_START_NS);
	json_put_figures(s, FIGURE_PAGE_SIZE, FIGURE_MEM_TOTAL_KIB);
	json_numbers(s, "records now_pages wrong_lines untracked_pages "
			"full_frames allocation_records silent_records "
			"migrated_pages", (const uint64_t[]){
			b->records, s->ledger->traced.now, b->wrong_lines,
			s->ledger->total.untracked_pages, b->full_frames,
			b->counts, b->silent, b->migrated_pages });
	json_end(s);
	json_figures(s, "counters", FIGURE_COUNTERS, FIGURE_WRITTEN);
	json_rows(s);
	json_finish(s);
}

void report_books(const struct report *r, enum format format, struct out *o)
{
	struct report held = *r;

	held.order = BY_NOW;
	held.without_tables |= 1u << TABLE_INITCALLS | 1u << TABLE_CALLERS;
	if (r->ledger->books.without_tasks)
		held.without_tables |= 1u << TABLE_TASKS;
	if (format == FORMAT_JSON)
		sheet_report(&held, o, ESCAPE_JSON, json);
	else
		sheet_report(&held, o, ESCAPE_TEXT, text);
}
