/*
 * How another process asks the running tracer for a report.
 *
 * An abstract unix socket: it needs no file, works across mount namespaces
 * and after switch_root. Both ends check the other's uid with SO_PEERCRED:
 * the name alone is not trusted, since anybody can take it.
 *
 * The client sends one byte, the tracer answers one byte when the report is
 * written: 0, or an errno. Who asks for sections names them behind the byte,
 * and their text follows the answer.
 */
#ifndef MEMSTRACK_CONTROL_H
#define MEMSTRACK_CONTROL_H

#include <sys/types.h>
#include "limits.h"

enum control_request {
	CONTROL_REPORT = 'r',		/* report, go on tracing */
	CONTROL_SWITCH_ROOT = 's',	/* report, leave (unless keep) */
	/* 1 to this: sections of a report, with that throttle, to the client */
	CONTROL_SECTIONS = 100,
};

/* What is sent: the first byte, or that and the sections. */
struct control_message {
	unsigned char request;
	char sections[PATH_BYTES];
};

/* Listening socket (nonblocking, close-on-exec), or -errno. -EEXIST: a tracer
 * runs, *other_pid is it. -EADDRINUSE: somebody not root has the name, who is
 * in *other_pid, or 0 where that cannot be told. */
int control_listen(pid_t *other_pid);

/* Accept one client and read its request, waiting at most 100 ms for one of
 * root's. Fd of the client, nonblocking, and what it asks, the sections
 * ended; -EAGAIN: nobody there, or nobody who asks for anything, which is
 * answered; -EPERM: refused, not root. */
int control_accept(int listener, struct control_message *m);

/* control_answer() sends it and closes; control_grant() sends 0 and leaves the
 * descriptor, for the text of the sections. */
void control_answer(int client, int error);
void control_grant(int client);

/* The client's side: connect, ask, wait up to timeout_ms in all, also for room
 * among others that ask. `sections` is "" for other requests. A descriptor when
 * the report is written, or from which its text may now be read;
 * -ECONNREFUSED: no tracer runs; -EPERM: what listens is not root's;
 * -ETIMEDOUT; -EAGAIN: there was no room to the end; or the tracer's own
 * -errno. */
int control_ask(enum control_request request, const char *sections,
		int timeout_ms);

#endif
