/* SPDX-License-Identifier: MIT */
/* Which CPUs came when a source followed them, and how: "3:-28 ". */
#ifndef FOLLOWED_H
#define FOLLOWED_H

#include "source/source.h"
#include "tap.h"

static char told[200];

static void came(void *context, uint32_t cpu, int error)
{
	const size_t len = strlen(told);

	(void)context;
	snprintf(told + len, sizeof(told) - len, "%u:%d ", cpu, error);
}

static const char *follow(struct source *s)
{
	told[0] = '\0';
	s->kind->follow(s, came, NULL);
	return told;
}

#endif
