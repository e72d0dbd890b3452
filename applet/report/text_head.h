/* The first and the last part of the report for people: see text_head.c. */
#ifndef MEMSTRACK_TEXT_HEAD_H
#define MEMSTRACK_TEXT_HEAD_H

#include "report/sheet.h"

void text_head(struct sheet *s);
/* How the figures above it are known, and what it cost. */
void text_account(struct sheet *s);

#endif
