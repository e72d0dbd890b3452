/* SPDX-License-Identifier: MIT */
/*
 * The tables of the report for people: their headings and rows, with numbers
 * right-aligned under the headings.
 */
#ifndef MEMSTRACK_TEXT_ROWS_H
#define MEMSTRACK_TEXT_ROWS_H

#include "report/sheet.h"

/* Adds the figures of a row to its line; UNKNOWN leaves a gap. */
void text_pages(struct sheet *s, const struct shown *r);

/* Each sends one line. The heading is put behind what the line has. */
void text_table(struct sheet *s, const struct shown *t);
void text_row(struct sheet *s, const struct shown *r);
void text_same_name(struct sheet *s, const struct shown *more);
void text_failed_loads(struct sheet *s, const struct shown *loads);

#endif
