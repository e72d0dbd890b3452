/* SPDX-License-Identifier: MIT */
/* What the comparison of pages found, as text or JSON. */
#ifndef MEMSTRACK_CHECK_WRITE_H
#define MEMSTRACK_CHECK_WRITE_H

#include "config/config.h"
#include "report/report.h"
#include "view/verdict.h"

struct check_facts {
	const char *book;
	uint64_t page_size;
	uint64_t now_ns;		/* of the tracer's answer */
	uint64_t lost;			/* records, by the tracer */
	uint64_t longest_ns;		/* of an answer of the tracer's */
	int has_clock;			/* page_owner's clock is known */
};

void check_write(const struct judge *j, const struct check_facts *f,
		 const struct config *c, struct out *o);

#endif
