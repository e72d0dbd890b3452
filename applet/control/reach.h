/* The way to the tracer: see reach.c. */
#ifndef MEMSTRACK_REACH_H
#define MEMSTRACK_REACH_H

#include <sys/types.h>

/* A socket connected to the tracer, whose pid is in *pid, or -errno: see
 * control_ask(). */
int control_reach(pid_t *pid);
/* The same for a client that asks again and again: a child process for each
 * request would be a task in the account. Not for the tracer, who would lose its
 * lock. */
int control_reach_often(pid_t *pid);

#endif
