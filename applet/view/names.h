/* SPDX-License-Identifier: MIT */
/*
 * Functions that a text names -> addresses, as the ledger and the report want
 * them.
 *
 * Frames in page_owner's text are names with an offset. Each function gets a
 * range of made addresses of its own: in the range of its module, or in that of
 * its rule, if it tells a kind of memory (ledger/kinds.h), or in that of the
 * others. So the ledger finds modules and kinds by address, as it always does,
 * and the report the names. None of these addresses is one of a kernel.
 */
#ifndef MEMSTRACK_VIEW_NAMES_H
#define MEMSTRACK_VIEW_NAMES_H

#include "base/arena.h"
#include "ledger/ledger.h"
#include "report/symbols.h"
#include "view/page_owner.h"

struct named {
	uint64_t base;			/* made */
	uint64_t size;			/* as the text has it */
	uint32_t module;		/* 0: none */
	uint32_t next;			/* in the bucket; 0: none */
	char name[SYMBOL_BYTES];
};

struct names {
	struct ledger *ledger;
	struct named *row;		/* 0: functions without room */
	struct hash hash;
	uint32_t capacity, used;
	uint32_t modules_capacity;
	uint32_t modules;		/* the last number that was given */
	uint64_t full;			/* frames without room */
	uint32_t of_rule[KIND_RULES];	/* functions so far */
	char (*module)[MODULE_NAME_BYTES];
};

uint64_t names_bytes(uint32_t functions, uint32_t modules);
/* Tells the ledger the kinds of its made addresses. 0 or -ENOMEM. */
int names_init(struct names *n, struct arena *a, struct ledger *l,
	       uint32_t functions, uint32_t modules);

/* The address of a frame; a module that is new is told to the ledger. A frame
 * that is an address is this address. */
uint64_t names_address(struct names *n, const struct frame *f);

/* Names every wanted address that was made. */
void names_tell(const struct names *n, struct symbols *s);

#endif
