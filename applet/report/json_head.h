/* SPDX-License-Identifier: MIT */
/* The first lines of the report for programs: see json_head.c. */
#ifndef MEMSTRACK_JSON_HEAD_H
#define MEMSTRACK_JSON_HEAD_H

#include "report/sheet.h"

void json_head(struct sheet *s);
/* Its first line alone. */
void json_head_line(struct sheet *s);
/* Near the end, where readers of earlier versions look for it. */
void json_advice(struct sheet *s);

#endif
