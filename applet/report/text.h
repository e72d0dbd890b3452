/* What text.c and text_head.c share. */
#ifndef MEMSTRACK_TEXT_H
#define MEMSTRACK_TEXT_H

#include "report/sheet.h"

void text_head(struct sheet *s);

#endif
