/* SPDX-License-Identifier: MIT */
/* What changed from one report to another, row by row. */
#ifndef MEMSTRACK_DIFF_DIFF_H
#define MEMSTRACK_DIFF_DIFF_H

#include <stddef.h>
#include <stdint.h>
#include "base/system.h"
#include "config/config.h"
#include "limits.h"
#include "report/report.h"

/*
 * --- rows
 *
 * The rows of two reports, by table and name.
 *
 * Rows of one name are one row here: a program is started many times, a load is
 * tried again. Their peaks stood at different instants, so the sum of them is
 * no figure but a bound. What is known to have been held at one instant is the
 * largest of: one row's peak, the sum of all now, the sum of all when the
 * machine held the most.
 *
 * The table is of fixed size. A row that finds no room is counted.
 */

enum diff_table {
	DIFF_TOTAL, DIFF_MODULE, DIFF_IMAGE, DIFF_VMALLOC, DIFF_TASK,
	DIFF_KIND, DIFF_INITCALL, DIFF_SITE, DIFF_SLAB_CACHE, DIFF_CACHE,
	DIFF_BEFORE, DIFF_TAG, DIFF_RAM, DIFF_TABLES,
};

enum diff_side { BEFORE, AFTER, SIDES };

/* No bound is known. */
#define NO_BOUND INT64_MAX

/* Bytes; negative only for rows that make a sum smaller. */
struct held {
	uint32_t rows;		/* 0: the report does not have this name */
	int64_t now, at_peak;	/* sums */
	int64_t peak;		/* the largest */
	int64_t most;		/* the sum of the peaks, or NO_BOUND */
};

struct diff_row {
	struct held side[SIDES];
	uint32_t table, name, name_len;
};

struct diff_rows {
	uint32_t used, names_used;
	uint64_t full[SIDES];			/* rows without room */
	struct diff_row row[DIFF_ROWS_MAX];
	uint32_t slot[DIFF_ROWS_MAX * 2];	/* by hash: a row and 1 */
	char names[DIFF_NAMES_BYTES];
};

/* The row of this name, or NULL if it is not there and `add` is 0 or there is
 * no room. */
struct diff_row *diff_row(struct diff_rows *r, enum diff_table t,
			  const char *name, size_t len, int add);

/* Adds a row of a report to what its side has under this name. */
void diff_add(struct diff_rows *r, enum diff_side side, enum diff_table t,
	      const char *name, size_t len, const struct held *held);

/* Forgets all that one side had. */
void diff_forget(struct diff_rows *r, enum diff_side side);

/* a + b, within PARSED_NUMBER_MAX. */
int64_t diff_sum(int64_t a, int64_t b);

/*
 * --- facts
 *
 * The facts of one report: about itself, and about each table. Its rows are in
 * section rows.
 */

#define TAKEN_NAME_BYTES 96u		/* a kernel's release, a reason */

#define TAKEN_NOTES 8u			/* as many as a session has */
#define TAKEN_NOTE_BYTES 160u

/* A number that the report does not have. */
#define NO_VALUE INT64_MIN

/* The facts of a report beside its rows. The difference repeats the numbers
 * before HEAD_NUMBERS. */
enum taken_text { KERNEL, REASON, SOURCE, TAKEN_TEXTS };
enum taken_number {
	LEVEL, PAGE_SIZE, MEM_TOTAL_KIB, CPUS_ONLINE, LOST, COMPLETE,
	HEAD_NUMBERS,
	BEFORE_INIT = HEAD_NUMBERS, FREE_START_KIB, FREE_NOW_KIB, NOW_PAGES,
	PEAK_PAGES, RAM_KIB, USED_KIB, RECORDS, RECORDS_CUT, TAKEN_NUMBERS,
};

#define HEAD_KEYS "level page_bytes mem_total_kib cpus_online lost complete"

struct taken {
	const char *path;
	enum diff_side side;
	struct diff_rows *rows;		/* of both reports */

	uint32_t reports;		/* that began */
	uint64_t broken, too_long;	/* lines */
	int damaged;			/* the file could not be read to its end */

	/* All below is of the last report. */
	uint32_t notes;			/* of these; others are left out */
	int64_t lines;			/* of it, up to its end */
	int sampled, apart;		/* apart: image, vmalloc are not in now */
	uint8_t has[DIFF_TABLES];	/* the report has this table */
	uint8_t open[DIFF_TABLES];	/* rows may be missing in it */
	int64_t number[TAKEN_NUMBERS];	/* or NO_VALUE */
	int64_t hidden[DIFF_TABLES];	/* rows that it does not show */
	char text[TAKEN_TEXTS][TAKEN_NAME_BYTES];	/* "": missing */
	char note[TAKEN_NOTES][TAKEN_NOTE_BYTES];
};

/*
 * --- compare
 *
 * Two reports, row by row: what grew, shrank, came and went.
 *
 * --by=peak compares the most that is known to have been held at one instant
 * (section rows), --by=now what is held at the report. Of a row with a bound
 * only (`most`), growth is certain as far as the figure after is above the
 * bound before. A row that a report does not have was 0 there, but only if the
 * report shows its whole table.
 */

/* What --fail asks, of all tables. */
struct judged {
	uint32_t failed;	/* rows that certainly grew by more */
	uint32_t doubtful;	/* that may have */
	int certain;		/* there are none, and no record was lost */
	const struct diff_row *worst;
};

struct diff {
	struct judged judged;
	struct config config;
	struct taken side[SIDES];
	uint32_t order[DIFF_ROWS_MAX];
	struct diff_rows rows;
};

/* Bytes that a name held. */
struct span {
	int known;		/* 0: the report may have it, and not show it */
	int there;		/* the report has the name */
	int64_t least, most;	/* most: a bound, or NO_BOUND */
};

struct change {
	struct span side[SIDES];
	int64_t grown;		/* of the two that are known; else of 0 */
};

void change_get(struct diff *d, const struct diff_row *row, struct change *c);

/* "grew", "shrank", "came", "went", "same", "unknown". */
const char *change_word(const struct change *c);

/* NULL: the table is compared. Else why not, and *side is the report that is
 * the reason; "": no report has it. */
const char *why_not(const struct diff *d, enum diff_table t,
		    enum diff_side *side);

/* Rows that are not shown, because their change is less than --min or there are
 * more than --top. */
struct left {
	uint32_t rows;
	uint32_t unknown;		/* of these, in no sum */
	int64_t grew, shrank;		/* sums; shrank is negative */
};

/* Sorts the rows of a table that are shown into d->order, the largest change
 * first; returns how many. Rows for which --fail fails or is unsure are shown
 * whatever --min says. */
uint32_t diff_rank(struct diff *d, enum diff_table t, struct left *left);

/* Sets d->judged. */
void diff_judge(struct diff *d);

/* --- diff: memstrack diff BEFORE AFTER: see diff.c */

/* Returns the exit status: 0; 1: something grew by more than --fail; 2: usage, or
 * a file is not whole, or the output cannot be written. */
int diff_main(int argc, char *argv[]);

/*
 * --- taken
 *
 * One report, as its lines describe it.
 *
 * Lines are those of --format=json, with anything before and after them: the
 * prefix and the stamp of a kernel log, the additions of a serial console,
 * lines of other programs between them. If there are several reports, the last
 * one counts.
 */

void taken_begin(struct taken *k, const char *path, enum diff_side side,
		 struct diff_rows *rows);
/* One line, without its newline. */
void taken_line(struct taken *k, const char *line, size_t len);
/* After the last line: 0, or -ENODATA: no report was among the lines. */
int taken_end(struct taken *k);

/* The names in JSON. */
const char *text_key(enum taken_text i);

/* All of the last report was there. */
int taken_is_whole(const struct taken *k);

/*
 * --- name
 *
 * The name under which a row is compared. What differs from boot to boot, or
 * from one build of a kernel to the next, is left out: offsets in functions,
 * suffixes of the compiler, addresses, numbers of CPUs, sizes that stand for a
 * name.
 */

#define DIFF_NAME_BYTES 512u

/* Writes the name of a row of this table; returns its length, without an end
 * byte. `key` names the member that has the name. */
size_t diff_name(char name[DIFF_NAME_BYTES], enum diff_table t,
		 const struct parsed *o, const char *key);

/* Another row of this table may be part of the row with this name. */
int diff_name_hides(enum diff_table t, const char *name, size_t len);

/*
 * --- write
 *
 * The lines of a difference, as text or JSON, on a sheet of report/report.h; the
 * sheet's report has the struct diff as context.
 */

#define DIFF_TEXT_ROOM 60u	/* a kernel's release, a reason */

extern const char *const diff_sides[SIDES];	/* "before", "after" */

static inline struct diff *diff_of(const struct sheet *s)
{
	return s->r->context;
}

static inline int diff_is_json(const struct sheet *s)
{
	return s->line.escape == ESCAPE_JSON;
}

/* A sentence with names of others in it. */
void diff_note(struct sheet *s, const char *text);
/* The two reports, what keeps them from being compared fairly, and what is
 * missing in them. */
void diff_head(struct sheet *s);

/* All lines of a struct diff: an account_write of output/output.h. */
void diff_write(void *diff, enum format f, struct out *o);

#endif
