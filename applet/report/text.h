/* What text.c and text_head.c share. */
#ifndef MEMSTRACK_TEXT_H
#define MEMSTRACK_TEXT_H

#include "report/sheet.h"

/* A line's end, from a template with a run of figures. */
void text_figures(struct sheet *s, const char *template, enum figure first);
void text_head(struct sheet *s);

#endif
