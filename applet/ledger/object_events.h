/* SPDX-License-Identifier: MIT */
/*
 * Objects of slab are allocated and freed.
 *
 * What the events do not tell: kmem_cache_alloc_bulk(), kmem_cache_free_bulk()
 * and the batches of kfree_rcu() have none. An object that was freed so seems to
 * live until its address is handed out again; then it is settled. One that was
 * allocated so is unknown when it is freed, like those from before tracing.
 */
#ifndef MEMSTRACK_OBJECT_EVENTS_H
#define MEMSTRACK_OBJECT_EVENTS_H

#include "ledger/ledger.h"

/* As in apply.c: 1 applied, 0 ignored, -1 rejected. */
int object_alloc(struct ledger *l, const struct event *e);
int object_free(struct ledger *l, const struct event *e);

#endif
