/* SPDX-License-Identifier: MIT */
/*
 * Rows that belong together: tasks of one name, and modules whose names begin
 * alike.
 *
 * Where no row stands out, a group of rows may: five workers, forty modules of
 * one maker. Modules belong together if their names begin with the same
 * letters, at least two of them, up to the first digit or with the first '_':
 * mlx4_core and mlx5_ib are mlx*, ib_core and ib_cm are ib_*. If fewer letters
 * come first, only loads of one module belong together. Failed loads have no
 * name.
 */
#ifndef MEMSTRACK_GROUP_H
#define MEMSTRACK_GROUP_H

#include "report/line.h"
#include "report/report.h"
#include "report/shown.h"

struct group {
	enum table table;
	uint32_t rows;		/* that hold pages; 0: there is no group */
	uint32_t row;		/* one of them */
	uint32_t letters;	/* that their names share; 0: all modules */
	uint64_t pages;		/* with images and vmalloc */
	uint64_t image_pages, vmalloc_pages;
};

/* The group that holds most now, or held most at the peak; and all rows with a
 * name together. Uses the ledger's scratch. */
void group_get(const struct report *r, enum table t, int at_peak,
	       struct group *most, struct group *all);
/* Does this row hold pages for others: what zram keeps of programs, or kswapd
 * when it gave that to zram? It is in no group, and no culprit. */
int row_serves(const struct ledger *l, enum table t, uint32_t row);
int group_has(const struct ledger *l, const struct group *g, uint32_t row);
/* "plnt*", "worker"; nothing for all modules. */
void group_write(struct line *line, const struct ledger *l,
		 const struct group *g);

#endif
