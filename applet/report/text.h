/* SPDX-License-Identifier: MIT */
/* The functions of text.c that oom.c uses too. */
#ifndef MEMSTRACK_TEXT_H
#define MEMSTRACK_TEXT_H

#include "report/sheet.h"

/* Writes one item of select.h, in one or more lines; the context is a sheet. */
void text_show(void *context, const struct shown *shown);
/* Writes all tables; and the stacks of their rows, from level 2 on. */
void text_tables(struct sheet *s);
void text_stacks(struct sheet *s);
/* Writes the notes on names, and the last line. */
void text_finish(struct sheet *s);

#endif
