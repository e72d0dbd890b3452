/* SPDX-License-Identifier: MIT */
/*
 * Names for the addresses in a picture. The tracer does not look for them, since
 * that means to read /proc/kallsyms, 200,000 lines. The client does, but only
 * when it shows an address that it has not looked for.
 */
#ifndef MEMSTRACK_NAMING_H
#define MEMSTRACK_NAMING_H

#include "report/line.h"
#include "report/symbols.h"
#include "top/rows.h"

#define NAMES_MAX 2048u

struct naming {
	struct symbols symbols;
};

/* Takes NAMES_MAX rows of the arena. 0 or -errno. */
int naming_init(struct naming *n, struct arena *a);

/* Looks for names of the table's rows, or of the frames of stacks, unless all
 * were looked for. */
void naming_look(struct naming *n, const struct top_picture *p,
		 enum top_table t, int stacks);

/* Writes a name as the tracer told it, or the address's; without the offset in
 * the function for an initcall. */
void naming_write(const struct naming *n, struct line *l, const char *told,
		  uint64_t addr, int offset);

#endif
