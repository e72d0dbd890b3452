/* SPDX-License-Identifier: MIT */
/*
 * One JSON object a line: its beginning, its members, its end.
 *
 * Names are bounded so that everything else always fits, even the largest
 * numbers. A name's bytes outside of printable ASCII are \u00NN.
 */
#ifndef MEMSTRACK_JSON_LINE_H
#define MEMSTRACK_JSON_LINE_H

#include "report/sheet.h"

/* {"type":"head" */
void json_begin(struct sheet *s, const char *type);
void json_end(struct sheet *s);

/* Adds a name behind `before`, and a quote; in at most `room` bytes. */
void json_string(struct sheet *s, const char *before, const char *text,
		 size_t room);
/* The same with room for every byte of a module's name escaped. */
void json_name(struct sheet *s, const char *before, const char *name);

/* ,"name":value with a mark of line.h. */
void json_number(struct sheet *s, const char *name, uint64_t value,
		 const char *mark);
/* The figures of [first, until), with their own names. */
void json_put_figures(struct sheet *s, unsigned int first, unsigned int until);
/* A line that holds only figures. */
void json_figures(struct sheet *s, const char *type, unsigned int first,
		  unsigned int until);

#endif
