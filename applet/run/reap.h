/* SPDX-License-Identifier: MIT */
/* The ends of our children: see reap.c. */
#ifndef MEMSTRACK_REAP_H
#define MEMSTRACK_REAP_H

#include "run/parts.h"

/* Takes all that have come. */
void reap_children(struct run *r);

#endif
