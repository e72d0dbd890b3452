/* SPDX-License-Identifier: MIT */
/*
 * How another process asks the running tracer for a report. This file has what
 * both ends share; the tracer's end is listen.h, the client's end ask.h.
 *
 * Only one tracer runs in a kernel. Root finds it from any network and mount
 * namespace by a lock on a file of tracefs: tracefs is the same wherever it is
 * mounted. A kernel without it, or one that hides it (lockdown), can still be
 * sampled: then the file is one of sysfs, which is the same in all mounts of
 * one network namespace. Only root may write the file, so only root gets a
 * write lock. The kernel removes the lock when its
 * holder exits. It tells other processes the holder's pid in their own pid
 * namespace (fcntl's F_GETLK).
 *
 * The tracer listens on a unix socket whose file was unlinked. It keeps a
 * descriptor of this file, through which a client connects: connect() to
 * /proc/PID/fd/NUMBER. The kernel permits that only to processes that may trace
 * the tracer by ptrace, so attempts of ordinary users cost the tracer nothing.
 * The lock is NUMBER + 1 bytes long. Both ends check the other's uid all the
 * same.
 *
 * The client sends one byte, and the tracer answers with one byte when the
 * report is written: 0 or an errno. A client that wants sections sends their
 * list after the byte, and receives their text after the answer. A client that
 * switches the root gets the answer as soon as the tracer has taken stock. A
 * byte after it says how many seconds to wait for a second answer, which comes
 * when the report is written. A client that shows the account live, or compares
 * the table of pages, sends what it wants and a file of its own (given.h), into
 * which the tracer writes.
 */
#ifndef MEMSTRACK_CONTROL_H
#define MEMSTRACK_CONTROL_H

#include <stdint.h>
#include <sys/types.h>
#include "limits.h"

/* The file in tracefs that is locked. Nobody writes it. */
#define CONTROL_LOCK "README"
/* The same without tracefs, in sysfs: a file that every kernel has, that only
 * root may write, and that the tracer does not read, because to close it would
 * end the lock. */
#define CONTROL_LOCK_SYSFS "bus/platform/drivers_autoprobe"

enum control_request {
	CONTROL_REPORT = 'r',		/* report, go on tracing */
	CONTROL_SWITCH_ROOT = 's',	/* report, leave (unless keep) */
	CONTROL_LIVE = 't',		/* rows, into the client's file */
	CONTROL_PAGES = 'p',		/* pages, into it: page_table.h */
	/* 1 to this: a throttle percentage; sections go to the client */
	CONTROL_SECTIONS = 100,
};

/* Changes with struct control_live and with the lines that answer it
 * (report_live()). */
#define CONTROL_LIVE_VERSION 1

/* A nonblocking socket for either end, or -errno. */
int control_socket(void);

/* What follows the byte CONTROL_LIVE. */
struct control_live {
	unsigned char version;
	unsigned char order;		/* enum order: which rows are most */
	unsigned char table;		/* enum table, of the row; TABLES: sites
					 * of slab */
	unsigned char has_row;		/* 1: the stacks of `row` too */
	uint32_t rows;			/* of each table at most */
	uint32_t row;
};

/* A client sends the first byte alone, or with the sections, a struct
 * control_live or a struct pages_request. */
#define CONTROL_BYTES (1 + PATH_BYTES)
struct control_message {
	unsigned char request;
	char sections[PATH_BYTES];
	/* Not sent as bytes: of CONTROL_LIVE and CONTROL_PAGES, else -1. */
	int file;
};

/* Opens the file in the tracefs that is mounted here; or -errno. */
int control_open_lock(int flags);

/* Locks it for this process. `number`: the descriptor of the socket's file, or
 * -1. The lock ends when this process closes any descriptor of the file.
 * -EEXIST: a tracer runs, with pid *other, or 0 if it is in a pid namespace
 * that cannot be seen from here. -EADDRINUSE: process *other, which may only
 * read the file, has a lock that conflicts. -EOPNOTSUPP: the kernel has no
 * locks. */
int control_take_lock(int lock_fd, int number, pid_t *other);

/* Finds the holder of the lock and the number of its socket's file.
 * -ECONNREFUSED: nobody holds it. -ESRCH: the holder cannot be seen from here.
 * -EOPNOTSUPP: the holder has no socket, or the kernel has no locks. */
int control_find(int lock_fd, pid_t *pid, int *number);

/* Finds the process at the other end: 0, -EPERM: it is not root's, -ENOTCONN:
 * there is none. */
int control_peer(int fd, pid_t *pid);

#endif
