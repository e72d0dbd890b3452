/* The tracer's end of the control socket: see control.h. */
#ifndef MEMSTRACK_LISTEN_H
#define MEMSTRACK_LISTEN_H

#include "control/control.h"

/* Listening socket (nonblocking, close-on-exec), or -errno. What else it takes
 * stays open, and ends with the process. -EEXIST: a tracer runs, *other_pid is
 * it, or 0 where it is in a pid namespace that is not seen from here.
 * -EADDRINUSE: somebody who is no tracer has a lock in the way, who is in
 * *other_pid, or 0 where that cannot be told. */
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

#endif
