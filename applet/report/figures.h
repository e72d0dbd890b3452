/* SPDX-License-Identifier: MIT */
/*
 * The figures of a report: their values and their names.
 */
#ifndef MEMSTRACK_FIGURES_H
#define MEMSTRACK_FIGURES_H

#include "report/figure_list.h"
#include "report/report.h"

/* Sets all figures. Those of free memory and the balance are UNKNOWN until free
 * memory was sampled; those that count written lines are 0. */
void figures_get(const struct report *r, uint64_t value[FIGURES]);

/* The name in JSON. */
const char *figure_name(enum figure f);

#endif
