/* SPDX-License-Identifier: MIT */
/*
 * The objects of slab in the report for programs, if they are traced.
 */
#ifndef MEMSTRACK_JSON_SLAB_H
#define MEMSTRACK_JSON_SLAB_H

#include "report/sheet.h"

void json_slab(struct sheet *s);
/* Only the sites. Which object is the oldest is not looked for. */
void json_slab_sites(struct sheet *s);

#endif
