/* SPDX-License-Identifier: MIT */
/*
 * What a report is made of, and where its lines go.
 *
 * A report reads a ledger and never changes its counts; but in the report when
 * memory runs out, names are read, which tell the ledger the kinds. text.c and json.c make
 * no system call: every line goes to an `out`, which output/ (kmsg, console,
 * file) or a test implements. The same ledger, session and symbols give the
 * same bytes.
 */
#ifndef MEMSTRACK_REPORT_H
#define MEMSTRACK_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include "config/config.h"
#include "ledger/ledger.h"

struct symbols;

/* The order of rows and stacks: by peak; by all that is held now, with image
 * and vmalloc; by the pages held now. */
enum order { BY_PEAK, BY_HELD, BY_NOW };

/* For a program that shows the account as it changes: rows have numbers, by
 * which it knows them again, and only one row has stacks. */
struct live_wish {
	uint32_t table;			/* enum table; TABLES: sites of slab */
	uint32_t row;			/* UINT32_MAX: no stacks */
};

struct report {
	struct ledger *ledger;	/* its scratch is used */
	const struct session *session;
	struct symbols *symbols;
	uint32_t level;			/* 1..3 */
	uint32_t top;			/* rows a table; 0: the level decides */
	uint32_t throttle_percent;	/* 1..100 */
	uint32_t lines_max;		/* with the last line; 0: no bound */
	const char *sections;		/* printed instead, if not NULL */
	uint32_t without_tables;	/* 1 << enum table, for each */
	int without_stacks;
	int all_stacks;			/* names of all are collected too */
	uint32_t first_row;		/* of the other tables */
	enum order order;
	const struct live_wish *live;	/* of report_live() */
	int hide_addresses;		/* if they have no name */
	/* Reads names for the sorted addresses in symbols. report_oom() calls
	 * it first; or, if names must wait, after the end of the report, and
	 * then it prints the stacks again. */
	void (*name)(void *context);
	int names_wait;
	/* See source/proc/slabinfo.h; NULL: slab caches are unknown. */
	int (*each_slab)(slab_seen *see, void *context);
	void *context;
};

/* Are stacks of this row shown? Without a wish: of all. */
static inline int live_wishes(const struct report *r, uint32_t table,
			      uint32_t row)
{
	return !r->live || (r->live->table == table && r->live->row == row);
}

struct out {
	/* One printable line, without its newline, shorter than LINE_BYTES. */
	void (*line)(struct out *o, const char *text, size_t len);
	/* The beginning of a line that is longer than LINE_BYTES; line() ends
	 * it. NULL: no line may be longer. */
	void (*part)(struct out *o, const char *text, size_t len);
	uint32_t lines_max;		/* if the report has none; 0: none */
};

/* Collects into r->symbols the addresses that a report of this level will
 * print. */
void report_collect(const struct report *r);
void report_text(const struct report *r, struct out *o);
/* The report when memory runs out: see oom.c. */
void report_oom(const struct report *r, struct out *o);
/* Collects and sorts the addresses that this report would print now, so that
 * their names can be read before it is written. */
void report_oom_collect(const struct report *r);
void report_json(const struct report *r, struct out *o);
/* For viewers of call chains: see folded.c. */
void report_folded(const struct report *r, struct out *o);
void report_folded_peak(const struct report *r, struct out *o);
void report_folded_tasks(const struct report *r, struct out *o);
/* For node_exporter: see prometheus.c. */
void report_prometheus(const struct report *r, struct out *o);
/* One line: see brief.c. */
void report_brief(const struct report *r, struct out *o);
/* The lines of report_json() that are told of a running trace (r->live): head,
 * tasks, modules, initcalls, sites of slab, end. It is quick: a row's stacks
 * are looked for only if they are wished. Only a program of the same version
 * sees these lines (CONTROL_LIVE_VERSION), in a file of its own: no option prints
 * them, so they are not in the manual. */
void report_live(const struct report *r, struct out *o);
/* The sections as the older memstrack prints them. */
void report_sections(const struct report *r, struct out *o);
/* Only the part on objects of slab, as text or JSON. */
void report_objects(const struct report *r, enum format format, struct out *o);
/* Pictures: see svg.c and chrome.c. No bound on lines cuts them. */
void report_svg(const struct report *r, struct out *o);
void report_chrome(const struct report *r, struct out *o);
/* What the kernel's own books hold (ledger/books.h), as text or JSON. */
void report_books(const struct report *r, enum format format, struct out *o);
/* Writes sections, if r has some, or the format. */
void report_write(const struct report *r, enum format format, struct out *o);

#endif
