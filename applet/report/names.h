/* SPDX-License-Identifier: MIT */
/*
 * Rows and addresses -> names.
 */
#ifndef MEMSTRACK_NAMES_H
#define MEMSTRACK_NAMES_H

#include <stdint.h>
#include "report/line.h"
#include "report/report.h"
#include "report/shown.h"

struct symbol;

/* "module", "task", "kind", "initcall", "vmalloc"; for TABLES "stack". */
const char *table_name(unsigned int table);
/* The name with its own bytes, of any value. */
const char *row_name(const struct ledger *l, enum table t, uint32_t row);
/* The same of the module or task that had the row at this time; "(gone)" if
 * another one has it now. */
const char *row_name_at(const struct ledger *l, enum table t, uint32_t row,
			uint64_t time_ns);
/* Fixed rows of this program: "(no module)", "(other)", "(irq)". Rows of
 * other tables are never fixed. */
int row_is_fixed(enum table t, uint32_t row);
/* "fixed" for fixed rows, else the state of the task or module: "live",
 * "exited", "loading", "failed", "gone". */
const char *row_state(const struct ledger *l, enum table t, uint32_t row);

/* May this symbol name an address in this module ("": in none)? */
int symbol_is_of(const struct symbol *s, uint64_t addr, const char *module);
/* The name of a row; of a task with its number: "udevd[88]". */
void row_write(struct line *l, const struct ledger *g, enum table t,
	       uint32_t row);
/* " [module]" */
void module_write(struct line *l, const struct ledger *g, uint32_t row);
/* "symbol+0xoff [module]"; "(init)+0xoff [module]" for init text, whose symbols
 * the kernel drops; "(gone)+0xoff [module]" for code of a removed module, if
 * other code has taken its place; or the address. Returns whether it had a
 * name. */
int frame_write(struct line *l, const struct report *r, uint64_t addr);
/* "symbol"; "(init)" if it is a module's, whose symbols the kernel drops; or
 * the address. */
void initcall_write(struct line *l, const struct report *r, uint32_t row);
/* The same as frame_write() without its module. */
int code_write(struct line *l, const struct report *r, uint64_t addr);

#endif
