/* SPDX-License-Identifier: MIT */
/*
 * The objects of slab in the report for people, if they are traced.
 */
#ifndef MEMSTRACK_TEXT_SLAB_H
#define MEMSTRACK_TEXT_SLAB_H

#include "report/sheet.h"

/* The totals, the balance, the tables, what cannot be right, and modules that
 * are gone while their objects live. */
void text_slab(struct sheet *s);

/* Two lines, for when memory runs out. */
void text_slab_briefly(struct sheet *s);

#endif
