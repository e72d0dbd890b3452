/* SPDX-License-Identifier: MIT */
/*
 * The name under which a row is compared. What differs from boot to boot, or from
 * one build of a kernel to the next, is left out: offsets in functions, suffixes
 * of the compiler, addresses, numbers of CPUs, sizes that stand for a name.
 */
#ifndef MEMSTRACK_DIFF_NAME_H
#define MEMSTRACK_DIFF_NAME_H

#include "base/parsed.h"
#include "diff/rows.h"

#define DIFF_NAME_BYTES 512u

/* Writes the name of a row of this table; returns its length, without an end
 * byte. `key` names the member that has the name. */
size_t diff_name(char name[DIFF_NAME_BYTES], enum diff_table t,
		 const struct parsed *o, const char *key);

/* Another row of this table may be part of the row with this name. */
int diff_name_hides(enum diff_table t, const char *name, size_t len);

#endif
