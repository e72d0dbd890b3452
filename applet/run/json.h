/* SPDX-License-Identifier: MIT */
/* The report of a run for programs: one JSON object a line. */
#ifndef MEMSTRACK_RUN_JSON_H
#define MEMSTRACK_RUN_JSON_H

#include "run/page.h"

void run_json(struct page *g, const struct outline *o);

#endif
