/* SPDX-License-Identifier: MIT */
/* The report of a run as text. */
#ifndef MEMSTRACK_RUN_TEXT_H
#define MEMSTRACK_RUN_TEXT_H

#include "run/page.h"

void run_text(struct page *g, const struct outline *o);

#endif
