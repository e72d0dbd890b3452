/* SPDX-License-Identifier: MIT */
/*
 * A ledger whose free memory fell, and the figures of a report on it, for the
 * tests of report/balance.c.
 */
#ifndef BALANCE_FIXTURE_H
#define BALANCE_FIXTURE_H

#include "report/balance.h"
#include "report/figures.h"
#include "report/line.h"
#include "ledger_fixture.h"

/* So much was free at the start, and is now; none of it explained. */
static inline struct fixture *fallen(uint64_t start, uint64_t now)
{
	struct fixture *f = fixture_new();

	f->ledger.memory_sampled = 1;
	f->ledger.free_start_pages = start;
	f->ledger.free_now_pages = f->ledger.free_lowest_pages = now;
	return f;
}

/* Of a machine with so much memory, by its own account. */
static void get(struct fixture *f, uint64_t value[FIGURES])
{
	const struct session session = {
		.page_size = 4096, .mem_total_kib = 50000,
	};
	const struct report r = { .ledger = &f->ledger, .session = &session };

	figures_get(&r, value);
}

static inline int64_t part(struct fixture *f, enum figure which)
{
	uint64_t value[FIGURES];

	get(f, value);
	return (int64_t)value[which];
}

#endif
