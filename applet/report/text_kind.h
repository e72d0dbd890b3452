/* SPDX-License-Identifier: MIT */
/*
 * The line of the kinds: what kind of memory the culprit holds, or all of it is,
 * and the functions by which most of it was taken.
 */
#ifndef MEMSTRACK_TEXT_KIND_H
#define MEMSTRACK_TEXT_KIND_H

#include "report/sheet.h"
#include "report/verdict.h"

void text_kind_of(struct sheet *s, const struct verdict *v);
/* The line once more, when the kinds are known. */
void text_kind(struct sheet *s);

#endif
