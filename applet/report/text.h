/* What text.c and text_head.c share. */
#ifndef MEMSTRACK_TEXT_H
#define MEMSTRACK_TEXT_H

#include "sheet.h"

/* A line's end, from a template with its values. */
void text_line(struct sheet *s, const char *template, const uint64_t *value);
void text_name(struct sheet *s, const char *name, size_t size);
void text_head(struct sheet *s);
/* A moment, without the line's end. */
void text_moment(struct sheet *s, const struct moment *m);

/* Timeline and advice, behind the tables. */
void text_tail(struct sheet *s);

#endif
