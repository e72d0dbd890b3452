/*
 * Addresses -> names, keeping only what will be printed.
 *
 * Collect the addresses, sort, stream /proc/kallsyms past them once: a symbol
 * is kept where it is the greatest at or below an address. kallsyms is not
 * sorted and has modules last; some 200,000 lines, so a line costs one binary
 * search. In a replay the names come from the trace instead.
 */
#ifndef MEMSTRACK_SYMBOLS_H
#define MEMSTRACK_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include "../ledger/arena.h"

#define SYMBOL_BYTES 48		/* longer names are cut */

struct symbol {
	uint64_t addr;		/* asked for */
	uint64_t start;		/* of the function; 0: no name */
	char name[SYMBOL_BYTES];
};

struct symbols {
	struct symbol *row;
	uint32_t capacity, used;
	uint64_t full;		/* addresses that found no room: printed as hex */
};

int symbols_init(struct symbols *s, struct arena *a, uint32_t rows);
void symbols_clear(struct symbols *s);

/* Unsorted and repeated addresses are fine until symbols_sort(). */
void symbols_add(struct symbols *s, uint64_t addr);
void symbols_sort(struct symbols *s);

/* Any bytes of /proc/kallsyms, a piece at a time (carry keeps a torn line). */
struct kallsyms_carry {
	char line[256];
	size_t len;
	int skip;		/* rest of an overlong line */
};
void symbols_feed(struct symbols *s, struct kallsyms_carry *c,
		  const char *text, size_t len);
void symbols_finish(struct symbols *s);

/* Reads all of fd (at /proc/kallsyms) from its start. 0 or -errno. */
int symbols_stream(struct symbols *s, int fd);

/* A name known beforehand (from a trace), in any order, before sort. */
void symbols_set(struct symbols *s, uint64_t addr, uint64_t start,
		 const char *name, size_t len);

/* The row of an address, or NULL. */
const struct symbol *symbols_find(const struct symbols *s, uint64_t addr);

#endif
