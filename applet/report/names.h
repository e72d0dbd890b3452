/*
 * Rows and addresses -> names.
 */
#ifndef MEMSTRACK_NAMES_H
#define MEMSTRACK_NAMES_H

#include <stdint.h>
#include "report/line.h"
#include "report/report.h"
#include "report/shown.h"

/* "module", "vmalloc", "task"; TABLES: "stack". */
const char *table_name(unsigned int table);
/* A name as it is: bytes of all kinds. */
const char *row_name(const struct ledger *l, enum table t, uint32_t row);
/* Rows of the program: "(no module)", "(other)", "(irq)". A caller is one as
 * any other. */
int row_is_fixed(enum table t, uint32_t row);
/* Of modules: gone, or never there, and holding pages. */
int row_leaks(const struct ledger *l, uint32_t row);
/* "fixed" for these, else what became of its task or module: "live", "exited",
 * "loading", "failed", "gone". */
const char *row_state(const struct ledger *l, enum table t, uint32_t row);

/* " [module]" */
void module_write(struct line *l, const struct ledger *g, uint32_t row);
/* "symbol+0xoff [module]"; "(init)+0xoff [module]" for init text, whose symbols
 * the kernel drops, and "(gone)+0xoff [module]" for code of a module that is
 * gone, where other code has taken its place; or the address. Whether it had a
 * name. */
int frame_write(struct line *l, const struct report *r, uint64_t addr);

#endif
