/* SPDX-License-Identifier: MIT */
/*
 * Initcalls: the functions by which built-in drivers and modules begin, with
 * the pages that they took and how long they ran.
 *
 * Two things tell to which initcall an allocation belongs. The kernel's events
 * of start and finish: all that the task allocates in between. Without them,
 * the call chain: the frame inside of the function that calls all initcalls,
 * do_one_initcall(). An event comes first; in an interrupt neither counts.
 *
 * Each owner (owners.h) has the row of its initcall, so a free is subtracted
 * from the row that the allocation was added to.
 *
 * A module has one row, because it has one init function. In the kernel, an
 * event has the address of the function, but a chain only has a return address,
 * and there may be several in one function. Each is a row at first. When the
 * functions become known (from /proc/kallsyms, at the latest before a report),
 * the rows of one function become one. From then on all its figures are exact,
 * but for its peak before: `limit` says how much that can have been.
 *
 * Row 0: no initcall. Row 1: "(other)", for which there was no room.
 */
#ifndef MEMSTRACK_INITCALLS_H
#define MEMSTRACK_INITCALLS_H

#include <stdint.h>
#include "base/arena.h"
#include "ledger/count.h"

#define INITCALL_OTHER 1u
#define INITCALLS_FIXED 2u

/* Set in the row of an owner: an event told it. */
#define INITCALL_TOLD 0x8000u

struct initcall {
	struct count pages;
	uint64_t base;		/* its first byte; 0: not known */
	uint64_t addr;		/* an address in it, by which it is named; 0:
				 * the row is not used */
	uint64_t run_ns;	/* of all runs that ended */
	uint32_t size_bytes;	/* 0: not known */
	uint32_t runs;		/* 0: not known */
	uint32_t module;	/* row; 0: the kernel's */
	uint32_t limit;		/* pages; see above. Less than the peak: it is
				 * exact */
};

/* Initcalls that run at a time: one in each task that loads a module, and one
 * of the kernel. */
#define INITCALL_RUNS_MAX 32u

struct initcall_run {
	uint64_t base, start_ns;
	uint32_t tid;
	uint32_t row;		/* 0: nothing taken yet */
};

struct initcalls {
	struct initcall *row;
	uint32_t capacity, used;	/* rows, with the fixed ones */
	uint32_t runs;			/* that have not ended */
	struct initcall_run run[INITCALL_RUNS_MAX];
	/* The function that calls initcalls; 0 bytes: not known. */
	uint64_t caller, caller_bytes;
};

/* For so many owners; *of_owner becomes a number for each. */
uint64_t initcalls_bytes(uint32_t owners);
/* *c is zeroed. */
int initcalls_init(struct initcalls *c, struct arena *a, uint32_t owners,
		   uint16_t **of_owner);

/* The frame of an initcall on a chain (innermost first), or 0. */
uint64_t initcalls_frame(const struct initcalls *c, const uint64_t *chain,
			 uint32_t len);

/* The row of this module's init function, if `module` is not 0; else of the
 * kernel's function that begins at `base`, or has the return address `addr`.
 * What is not known is 0. Made if needed; INITCALL_OTHER: no room. */
uint32_t initcalls_enter(struct initcalls *c, uint32_t module, uint64_t base,
			 uint64_t addr);
/* The same, or 0. */
uint32_t initcalls_find(const struct initcalls *c, uint32_t module,
			uint64_t base, uint64_t addr);

/* The rows of this function become one, in the table and in the rows that
 * owners have. Returns it, or 0: there is none. */
uint32_t initcalls_join(struct initcalls *c, uint64_t base, uint64_t size_bytes,
			uint32_t epoch, uint16_t *of_owner, uint32_t owners);

/* Another module gets this row. */
void initcalls_forget_module(struct initcalls *c, uint32_t module,
			     uint32_t heir);

/* No more events will tell when runs end. */
void initcalls_end_all(struct initcalls *c);

/* The last run of a task that has not ended, or NULL. */
struct initcall_run *initcalls_running(struct initcalls *c, uint32_t tid);

static inline int initcall_exact(const struct initcall *i)
{
	return i->pages.peak >= i->limit;
}

#endif
