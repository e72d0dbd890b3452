/* SPDX-License-Identifier: MIT */
/* Where all of RAM is, in the report for people: see text_ram.c. */
#ifndef MEMSTRACK_TEXT_RAM_H
#define MEMSTRACK_TEXT_RAM_H

#include "report/sheet.h"

void text_ram(struct sheet *s);

#endif
