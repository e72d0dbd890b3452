/* SPDX-License-Identifier: MIT */
/*
 * Stacked areas over time, each with its title and colour, labels in them where
 * they fit, and a legend in their order.
 */
#ifndef MEMSTRACK_SVG_AREAS_H
#define MEMSTRACK_SVG_AREAS_H

#include "report/svg_page.h"

/* The bands of a chart, between these two. */
void svg_chart(struct svg *g, const struct chart *c, uint32_t top,
	       uint32_t bottom);
/* All memory: used before, vmalloc, traced, free. */
void svg_machine(struct svg *g, uint32_t top, uint32_t bottom);

#endif
