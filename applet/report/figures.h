/*
 * The figures of a report: their values and their names.
 */
#ifndef MEMSTRACK_FIGURES_H
#define MEMSTRACK_FIGURES_H

#include "report/figure_list.h"
#include "report/report.h"

/* Those of free memory and the balance are UNKNOWN until it was sampled; what
 * is written is 0. */
void figures_get(const struct report *r, uint64_t value[FIGURES]);

/* As JSON calls it. */
const char *figure_name(enum figure f);

#endif
