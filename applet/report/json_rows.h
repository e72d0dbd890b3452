/* SPDX-License-Identifier: MIT */
/* The tables of the report for programs, with their stacks. */
#ifndef MEMSTRACK_JSON_ROWS_H
#define MEMSTRACK_JSON_ROWS_H

#include "report/sheet.h"

void json_rows(struct sheet *s);

#endif
