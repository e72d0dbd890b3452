/* SPDX-License-Identifier: MIT */
/*
 * Loads of modules and lives of processes, as bars over time: those of the
 * largest, in the order of their beginnings, each with its title.
 */
#ifndef MEMSTRACK_SVG_BARS_H
#define MEMSTRACK_SVG_BARS_H

#include "report/svg_page.h"

#define BARS_MOST 24u
#define BAR_ROW (17 * PX)

struct bars {
	enum table table;
	uint32_t row[BARS_MOST];	/* of the table */
	uint32_t count, of;		/* shown; known */
};

void svg_bars_get(const struct picture *p, enum table t, struct bars *b);
/* `c`: the areas whose colours they have. Below `top` each has BAR_ROW. */
void svg_bars(struct svg *g, const struct bars *b, const struct chart *c,
	      uint32_t top);

#endif
