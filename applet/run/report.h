/* SPDX-License-Identifier: MIT */
/* The report of a run: see report.c. */
#ifndef MEMSTRACK_RUN_REPORT_H
#define MEMSTRACK_RUN_REPORT_H

#include "run/parts.h"

void run_report(struct run *r);

#endif
