/* SPDX-License-Identifier: MIT */
/* The first lines of a report for people: see text_verdict.c. */
#ifndef MEMSTRACK_TEXT_VERDICT_H
#define MEMSTRACK_TEXT_VERDICT_H

#include "report/sheet.h"

void text_verdict(struct sheet *s);

#endif
