/* SPDX-License-Identifier: MIT */
/* Where all of RAM is, in the report for programs: a line for each row. */
#ifndef MEMSTRACK_JSON_RAM_H
#define MEMSTRACK_JSON_RAM_H

#include "report/sheet.h"

void json_ram(struct sheet *s);

#endif
