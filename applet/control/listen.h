/* SPDX-License-Identifier: MIT */
/* The tracer's end of the control socket: see control.h. */
#ifndef MEMSTRACK_LISTEN_H
#define MEMSTRACK_LISTEN_H

#include <poll.h>
#include "control/control.h"

/* What the tracer's loop watches: control_watch(). */
#define CONTROL_WATCHED 2

struct control_door {
	int listener;			/* -1: none */
	int silent;			/* connected, no request yet; or -1 */
	int64_t silent_until_ms;
};

/* A listening socket (nonblocking, close-on-exec), or -errno. Other descriptors
 * that it needs stay open until the process exits. -EEXIST: a tracer runs, with
 * pid *other_pid, or 0 if it is in a pid namespace that cannot be seen from
 * here. -EADDRINUSE: a process that is not a tracer has a lock that conflicts;
 * *other_pid is its pid, or 0 if that is not known. */
int control_listen(pid_t *other_pid);

/* Accepts one client or reads its request, without waiting. Returns the
 * client's descriptor, nonblocking, and the request, with an end byte after the
 * sections; m->file is then the caller's to close. -EAGAIN: no client, one that
 * has sent nothing yet, or one without a valid request, which was answered;
 * -EPERM: a client that is not root's was refused. */
int control_accept(struct control_door *d, struct control_message *m);

/* When one of these can be read, control_accept() has something to do. It has
 * to be called now and then all the same, to give up who stays silent. */
void control_watch(const struct control_door *d,
		   struct pollfd set[CONTROL_WATCHED]);

/* control_answer() sends the answer and closes the descriptor. control_grant()
 * sends 0 and leaves it open for the text of the sections. */
void control_answer(int client, int error);
void control_grant(int client);

/* Tells a client that switches the root: stock is taken, and control_answer()
 * will follow when the report is written. The client waits for that at most so
 * many seconds. */
void control_promise(int client, unsigned int seconds);

#endif
