/* SPDX-License-Identifier: MIT */
/*
 * Addresses -> names, for the addresses that will be printed.
 *
 * Collect the addresses, sort them, read /proc/kallsyms once. kallsyms is not
 * sorted, has modules last and some 200,000 lines, so each line costs one
 * binary search. In a replay the names come from the trace instead.
 *
 * The addresses of a call chain are return addresses: one may be the first byte
 * after a function whose last instruction is a call that never returns. So the
 * name is that of the greatest text symbol strictly below the address; the
 * kernel's own %pB prints the same.
 *
 * Live:   clear, report_collect, sort, begin, every line, finish, report_text.
 * Replay: clear, report_collect, set for each name of the trace, sort,
 *         report_text. Addresses are collected first, so that names of other
 *         addresses do not take their room.
 */
#ifndef MEMSTRACK_SYMBOLS_H
#define MEMSTRACK_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

#define SYMBOL_BYTES 48		/* longer names are cut */

struct symbol {
	uint64_t addr;		/* asked for */
	uint64_t start;		/* of the function; 0: no name */
	char name[SYMBOL_BYTES];	/* "name" or "name [module]" */
};

struct symbols {
	struct symbol *row;	/* a hash until sorted, then [0, used) */
	uint32_t slots;		/* number of rows */
	uint32_t capacity, used;	/* rows to be used at most: 7 of 8 */
	int sorted;
	int partial;		/* names are being read: none is valid yet */
	uint64_t full;		/* frames without room: printed as hex */
};

int symbols_init(struct symbols *s, struct arena *a, uint32_t rows);
void symbols_clear(struct symbols *s);

/* Unsorted and repeated addresses are fine until symbols_sort(). */
void symbols_add(struct symbols *s, uint64_t addr);
void symbols_sort(struct symbols *s);

/* Takes one line of /proc/kallsyms, any bytes, without its newline, apart: a
 * function starts at *start; its name, and "\t[module]" if it has one, are *len
 * bytes at *name. Not 0: no function. */
int symbol_parse(const char *line, size_t *len, uint64_t *start,
		 const char **name);

/* Lines will follow. Until symbols_finish() no name is found, because a better
 * one may follow. */
void symbols_begin(struct symbols *s);
/* One such line; only after sort. */
void symbols_line(struct symbols *s, const char *line, size_t len);
/* After the last line: addresses of the same function share its name. */
void symbols_finish(struct symbols *s);

/* Sets a name that is known from a trace, in any order, before sort. The
 * address is added if it was not added before and there is room. */
void symbols_set(struct symbols *s, uint64_t addr, uint64_t start,
		 const char *name, size_t len);

/* The row of an address, or NULL; also NULL before symbols_sort(). */
const struct symbol *symbols_find(const struct symbols *s, uint64_t addr);

#endif
