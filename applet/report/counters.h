/*
 * What was not seen, not kept or not to be believed: one list of counters for
 * text and JSON, each with what it means and what to do about it.
 */
#ifndef MEMSTRACK_COUNTERS_H
#define MEMSTRACK_COUNTERS_H

#include <stdint.h>
#include "../ledger/ledger.h"

struct counter {
	const char *name;	/* in JSON */
	const char *text;	/* behind the number, where it is not 0; "":
				 * nothing to worry about */
	uint64_t value;
};

/* The index'th counter: 1, or 0 past the last. */
int counter_get(const struct ledger *l, unsigned int index, struct counter *c);

#endif
