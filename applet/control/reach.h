/* SPDX-License-Identifier: MIT */
/* The way to the tracer: see reach.c. */
#ifndef MEMSTRACK_REACH_H
#define MEMSTRACK_REACH_H

#include <stdint.h>
#include <sys/types.h>

/* How long the way may take that nobody else waits for. */
#define REACH_TIMEOUT_MS 1000

/* A socket connected to the tracer, whose pid is in *pid, or -errno: see
 * control_ask(). `deadline`: see base/clock.h. */
int control_reach(pid_t *pid, int64_t deadline);

/* The tracer's pid, and the number of its socket's file; {0}: not known. */
struct control_way {
	pid_t pid;
	int number;
};

/* The same for a client that asks again and again, by the way of the last time
 * if that is still the tracer's: a child process for each request would be a
 * task in the account. */
int control_reach_again(struct control_way *way, int64_t deadline);

#endif
