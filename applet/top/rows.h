/* SPDX-License-Identifier: MIT */
/*
 * A picture: what the tracer answered, in tables of fixed size, and what changed
 * since the picture before.
 *
 * A row is known again by its number in the tracer's table, and by whose row it
 * is, because the tracer may use a row again. Whatever finds no room is counted.
 */
#ifndef MEMSTRACK_ROWS_H
#define MEMSTRACK_ROWS_H

#include <stddef.h>
#include <stdint.h>

#define PICTURE_ROWS 256u	/* of each table */
#define PICTURE_STACKS 64u
#define PICTURE_FRAMES 1024u
#define ROW_NAME_BYTES 120u
#define ROW_NOTE_BYTES 40u
/* No picture before had this row, but there was none, or it was cut. */
#define NO_CHANGE INT64_MIN

enum top_table { TOP_TASKS, TOP_MODULES, TOP_INITCALLS, TOP_SITES, TOP_TABLES };

struct top_row {
	uint32_t number;	/* UINT32_MAX: many rows in one */
	uint64_t key;		/* whose it is */
	uint64_t start_ns;	/* of a task; else 0 */
	uint64_t addr;		/* its name is looked for; 0: it has one */
	uint64_t now, peak, image, vmalloc;	/* bytes, or UNKNOWN */
	int64_t change;		/* of now, image and vmalloc; or NO_CHANGE */
	char name[ROW_NAME_BYTES];
	char note[ROW_NOTE_BYTES];	/* state, module or cache */
};

struct top_rows {
	uint32_t used;
	uint64_t others;	/* rows that are not here */
	struct top_row row[PICTURE_ROWS];
};

struct top_frame {
	uint64_t addr;		/* as in a row */
	char text[ROW_NAME_BYTES];
};

struct top_stack {
	uint64_t now, peak;
	uint32_t first, frames;
};

struct top_stacks {
	uint32_t used, frames;
	uint64_t others;	/* stacks that are not here */
	int cut;		/* no room for all frames */
	struct top_stack stack[PICTURE_STACKS];
	struct top_frame frame[PICTURE_FRAMES];
};

struct top_before {			/* the rows of the picture before */
	uint32_t used;
	int cut;
	struct { uint32_t number; uint64_t key, held; } row[PICTURE_ROWS];
};

struct top_picture {
	uint64_t start_ns, end_ns;
	uint64_t before_ns;	/* end_ns of the picture before; 0: none */
	uint64_t total_kib, free_kib, lowest_kib;
	uint64_t now, peak;	/* traced bytes */
	uint64_t lost;
	uint64_t page_bytes;
	int whole;		/* the last line was there */
	int sampled;
	struct top_rows table[TOP_TABLES];
	struct top_stacks stacks;
	struct top_before before[TOP_TABLES];
};

/* Takes an answer of the tracer. `stacks_only`: the tables stay as they are.
 * 0; -EPROTO: it is none. */
int picture_take(struct top_picture *p, const char *text, size_t len,
		 int stacks_only);

/* Bytes that the row holds. */
uint64_t row_held(const struct top_row *r);

/* The row with this number of this owner; NULL: it is gone. */
const struct top_row *picture_find(const struct top_picture *p,
				   enum top_table t, uint32_t number, uint64_t key);

#endif
