/*
 * The objects of slab in the report for programs, if they are traced.
 */
#ifndef MEMSTRACK_JSON_SLAB_H
#define MEMSTRACK_JSON_SLAB_H

#include "report/sheet.h"

void json_slab(struct sheet *s);

#endif
