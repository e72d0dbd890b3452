/* SPDX-License-Identifier: MIT */
/*
 * A line of /proc/allocinfo (lib/alloc_tag.c, since 6.10):
 *
 *	allocinfo - version: 1.0
 *	#     <size>  <calls> <tag info>
 *	        4096        1 mm/slub.c:123 [module] func:allocate
 *
 * The size is signed: each CPU counts for itself, and a sum that is read while
 * they do may be below 0 for a moment. Since version 2.0 pairs "key:value" may
 * stand behind the function ("accurate:no"). Those that we do not know are
 * passed over, as the kernel's documentation asks for.
 */
#ifndef MEMSTRACK_ALLOCINFO_H
#define MEMSTRACK_ALLOCINFO_H

#include "base/readfile.h"

struct site_line {
	int64_t bytes, calls;		/* below 0 only while the kernel counts */
	struct word place;		/* file:line */
	struct word module;		/* len 0: none */
	struct word function;
	int inaccurate;
	uint32_t unknown;		/* pairs that were passed over */
};

/* 0: a site. 1: the head, whose version is in *version if this line has it. Else
 * *problem says what is wrong. */
int allocinfo_line(const char *line, size_t len, struct site_line *s,
		   struct word *version, const char **problem);

#endif
