/* SPDX-License-Identifier: MIT */
/*
 * Allocations of several pages in one piece that failed: who asked, how much was
 * free, in which pieces, and whose pages stand between them. Only those of which
 * the kernel's log warns: others who fail have another way.
 */
#ifndef MEMSTRACK_FAILURES_H
#define MEMSTRACK_FAILURES_H

#include "report/sheet.h"

void failures_text(struct sheet *s);
void failures_json(struct sheet *s);

#endif
