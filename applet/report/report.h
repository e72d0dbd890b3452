/*
 * What a report is made of, and the way its lines leave.
 *
 * A report reads a ledger and never changes what it counts. text.c and json.c
 * make no system call: every line goes to an `out`, which output/ (kmsg,
 * console, file) or a test implements. The same ledger, session and symbols
 * give the same bytes.
 */
#ifndef MEMSTRACK_REPORT_H
#define MEMSTRACK_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include "config/config.h"
#include "ledger/ledger.h"

struct slab;
struct symbols;

/* Of rows and stacks: by their peak; by all that is held now, of modules their
 * image and vmalloc too; by the pages that are. */
enum order { BY_PEAK, BY_HELD, BY_NOW };

struct report {
	struct ledger *ledger;	/* its scratch is used */
	const struct session *session;
	struct symbols *symbols;
	uint32_t level;			/* 1..3 */
	uint32_t top;			/* rows a table; 0: as the level says */
	uint32_t throttle_percent;	/* 1..100 */
	uint32_t lines_max;		/* its last line included; 0: none */
	const char *sections;		/* instead, if any: a list of them */
	uint32_t without_tables;	/* 1 << enum table of each */
	uint32_t first_row;		/* of tables that are left */
	enum order order;
	int hide_addresses;		/* that have no name */
	/* Names for what is in symbols, sorted: report_oom() asks for it; behind
	 * its end where names must wait, and then prints the stacks again. */
	void (*name)(void *context);
	int names_wait;
	/* See source/proc/slabinfo.h; NULL: nothing is known of slab caches. */
	int (*next_slab)(struct slab *s);
	void *context;
};

struct out {
	/* One line without its newline, printable, shorter than LINE_BYTES. */
	void (*line)(struct out *o, const char *text, size_t len);
	uint32_t lines_max;		/* where the report has no bound; 0: none */
};

/* The addresses that a report of this level will print, into r->symbols. */
void report_collect(const struct report *r);
void report_text(const struct report *r, struct out *o);
/* When memory runs out: see oom.c. */
void report_oom(const struct report *r, struct out *o);
/* The addresses whose names that would print now, sorted, for who has the time
 * to read names before. */
void report_oom_collect(const struct report *r);
void report_json(const struct report *r, struct out *o);
/* As the older memstrack prints them. */
void report_sections(const struct report *r, struct out *o);
/* One of the three, as the user wants it. */
void report_write(const struct report *r, enum format format, struct out *o);

#endif
