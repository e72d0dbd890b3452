/*
 * The tracer's share of the CPUs: see priority.c.
 */
#ifndef MEMSTRACK_PRIORITY_H
#define MEMSTRACK_PRIORITY_H

/* Raised while it traces, ordinary while it writes. */
void priority_raise(void);
void priority_lower(void);

#endif
