/* SPDX-License-Identifier: MIT */
/* The line of what was used when tracing began: how much, and the largest of the
 * kernel's own figures. */
#ifndef MEMSTRACK_TEXT_BEFORE_H
#define MEMSTRACK_TEXT_BEFORE_H

#include "report/sheet.h"

void text_before(struct sheet *s);

#endif
