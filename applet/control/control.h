/*
 * How another process asks the running tracer for a report; here what both ends
 * share. The tracer's is listen.h, the client's ask.h.
 *
 * One tracer runs in a kernel, and root finds it from any network, mount or
 * user namespace, by a lock on a file of tracefs: tracefs is the same in every
 * place where it is mounted, and nobody traces without it. Only who may write
 * the file, root, gets a write lock there. The kernel ends it with its holder
 * and tells others who that is (fcntl's F_GETLK), as a process of their own pid
 * namespace.
 *
 * The tracer listens on a unix socket whose file was unlinked. It keeps a
 * descriptor of that file, by which the socket is reached: connect() to
 * /proc/PID/fd/NUMBER. The kernel lets only those do that who may trace the
 * process by ptrace: what ordinary users try costs the tracer nothing. The lock
 * tells NUMBER, by its length. Both ends check the other's uid all the same.
 *
 * The client sends one byte, the tracer answers one byte when the report is
 * written: 0, or an errno. Who asks for sections names them behind the byte,
 * and their text follows the answer.
 */
#ifndef MEMSTRACK_CONTROL_H
#define MEMSTRACK_CONTROL_H

#include <sys/types.h>
#include "limits.h"

/* The file that is locked, in tracefs. It is written by nobody. */
#define CONTROL_LOCK "README"

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

/* The file in tracefs as it is mounted here, or -errno. */
int control_open_lock(int flags);

/* Locks it for this process. `number`: that of the socket's file, or -1. The
 * lock is gone when any descriptor of the file is closed by this process.
 * -EEXIST: a tracer runs, *other is it, or 0 where it is in a pid namespace
 * that is not seen from here. -EADDRINUSE: somebody who may only read has a
 * lock in the way, who is in *other. -EOPNOTSUPP: the kernel has no locks. */
int control_take_lock(int lock_fd, int number, pid_t *other);

/* Who has it, and the number of the socket's file there. -ECONNREFUSED: nobody.
 * -ESRCH: a process that is not seen from here. -EOPNOTSUPP: one without a
 * socket, or the kernel has no locks. */
int control_find(int lock_fd, pid_t *pid, int *number);

/* Who is at the other end: 0, -EPERM if not root, -ENOTCONN if nobody. */
int control_peer(int fd, pid_t *pid);

#endif
