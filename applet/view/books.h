/* SPDX-License-Identifier: MIT */
/*
 * The kernel's book of pages (page_owner) -> a ledger -> its report.
 *
 * Every record is entered as it comes: a machine has millions of them. The
 * tables have a fixed size; what finds no room is in "(other)" or with its
 * module alone, and is counted, as when pages are traced.
 */
#ifndef MEMSTRACK_VIEW_BOOKS_H
#define MEMSTRACK_VIEW_BOOKS_H

#include "config/config.h"
#include "report/report.h"
#include "view/names.h"

struct view_books {
	struct ledger ledger;
	struct arena arena;
	struct names names;
	struct symbols symbols;
	struct session session;
	struct owner_text text;
};

/* The memory that the tables take, and its division: `block`, which is zero. 0
 * or -errno. */
uint64_t books_bytes(const struct config *c);
int books_begin(struct view_books *b, const struct config *c, void *block,
		const char *source);

/* One line: NULL, or what is wrong with it. */
const char *books_line(struct view_books *b, const char *line, size_t len);
/* The same at the end of the text. */
const char *books_end(struct view_books *b);

/* The report of all that was entered, with its names: for report_write(). */
void books_report(struct view_books *b, const struct config *c,
		  struct report *r);

#endif
