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

/* Room for every byte of a module's name escaped. */
#define JSON_NAME_ROOM 340u

/* {"type":"head" */
void line_object(struct line *l, const char *type);
/* ,"key":"text" with at most `size` bytes of the text, in at most `room`. */
void line_text(struct line *l, const char *key, const char *text, size_t size,
	       size_t room);
/* ,"key":value for each word of `keys`, with a mark of line.h. */
void line_numbers(struct line *l, const char *mark, const char *keys,
		  const uint64_t *value);
/* A name behind `before`, and a quote. */
void line_quoted(struct line *l, const char *before, const char *text);

/* The same on a sheet; json_end() ends and sends the line. */
void json_begin(struct sheet *s, const char *type);
void json_end(struct sheet *s);
void json_string(struct sheet *s, const char *key, const char *text,
		 size_t room);
/* A string of JSON_NAME_ROOM. */
void json_name(struct sheet *s, const char *key, const char *name);
void json_number(struct sheet *s, const char *key, uint64_t value);
void json_signed(struct sheet *s, const char *key, int64_t value);
/* One value for each word of `keys`. */
void json_numbers(struct sheet *s, const char *keys, const uint64_t *value);
/* The figures of [first, until), with their own names. */
void json_put_figures(struct sheet *s, unsigned int first, unsigned int until);
/* A line that holds only figures. */
void json_figures(struct sheet *s, const char *type, unsigned int first,
		  unsigned int until);

#endif
