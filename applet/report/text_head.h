/* SPDX-License-Identifier: MIT */
/* The head of the report for people: see text_head.c. */
#ifndef MEMSTRACK_TEXT_HEAD_H
#define MEMSTRACK_TEXT_HEAD_H

#include "report/sheet.h"

void text_head(struct sheet *s);
/* What is not whole. */
void text_warnings(struct sheet *s);

#endif
