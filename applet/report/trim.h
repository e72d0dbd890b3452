/* SPDX-License-Identifier: MIT */
/* Which frames of a call chain are left out: see trim.c. */
#ifndef MEMSTRACK_TRIM_H
#define MEMSTRACK_TRIM_H

#include "report/sheet.h"

/* Leaves out the functions of ftrace that a chain may begin with: they are in no
 * report. */
void trim_probe(struct sheet *s, uint32_t *first);

/* Of a chain that begins at *first, an inner node or leaf: sets the first frame
 * that is printed, and *end, the node behind the last one. At least one frame
 * is left. The sheet's line is the same before and after. */
void trim_chain(struct sheet *s, uint32_t *first, uint32_t *end);

#endif
