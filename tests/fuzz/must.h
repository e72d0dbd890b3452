/* SPDX-License-Identifier: MIT */
/* What has to hold: where it does not, the fuzzer has found something. */
#ifndef FUZZ_MUST_H
#define FUZZ_MUST_H

#include <stdlib.h>

static inline void must(int holds)
{
	if (!holds)
		abort();
}

#endif
