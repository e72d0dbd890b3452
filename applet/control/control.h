/* SPDX-License-Identifier: MIT */
/*
 * How another process asks the running tracer for a report. This file has what
 * both ends share; section listen is the tracer's end, section ask the client's
 * end.
 *
 * Only one tracer runs in a kernel. Root finds the tracer from any network and
 * mount namespace by a lock on a file of tracefs: tracefs is the same wherever
 * it is mounted. A kernel without tracefs, or one that hides it (lockdown), can
 * still be sampled: then the file is in sysfs, which is the same in all mounts
 * of one network namespace. Only root may write the file, so only root gets a
 * write lock. The kernel removes the lock when its holder exits. By fcntl's
 * F_GETLK other processes get the holder's pid in their own pid namespace.
 *
 * The tracer listens on a unix socket whose file was unlinked. The tracer keeps
 * a descriptor of this file, through which a client connects: connect() to
 * /proc/PID/fd/NUMBER. The kernel permits that only to processes that may trace
 * the tracer by ptrace, so attempts of ordinary users cost the tracer nothing.
 * The lock is NUMBER + 1 bytes long. Both ends also check the other's uid.
 *
 * The client sends one message, and the tracer answers with one byte when the
 * report is written: 0 or an errno. A client that wants sections receives their
 * text after the answer. A client that switches the root gets the answer as
 * soon as the tracer has taken its final figures. The byte after this answer is
 * the number of seconds to wait for a second answer, which comes when the
 * report is written. A client that names a phase of the boot waits for no answer.
 * A client that shows the account live, or compares the
 * table of pages, sends a file of its own with the message (section given),
 * into which the tracer writes.
 */
#ifndef MEMSTRACK_CONTROL_CONTROL_H
#define MEMSTRACK_CONTROL_CONTROL_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "config/config.h"
#include "limits.h"
#include "output/output.h"

/* The file of tracefs that is locked. Nobody writes this file. */
#define CONTROL_LOCK "README"
/* The same without tracefs, in sysfs: a file that every kernel has, that only
 * root may write, and that the tracer does not read, because closing the file
 * would release the lock. */
#define CONTROL_LOCK_SYSFS "bus/platform/drivers_autoprobe"

enum control_request {
	CONTROL_REPORT = 'r',		/* report, go on tracing */
	CONTROL_SWITCH_ROOT = 's',	/* report, leave (unless keep) */
	CONTROL_LIVE = 't',		/* rows, into the client's file */
	CONTROL_PAGES = 'p',		/* pages, into it: page table */
	CONTROL_PHASE = 'm',		/* a phase of the boot begins; its name
					 * follows, and nobody waits */
	/* 1 to CONTROL_SECTIONS: a throttle percentage; sections follow */
	CONTROL_SECTIONS = 100,
};

/* To be raised when the fields of requests with a file change, or the lines
 * that answer CONTROL_LIVE (report_live()). */
#define CONTROL_VERSION 2

/* What a client sends. The first byte alone is a whole request: all bytes that
 * are not sent are 0. */
struct control_message {
	unsigned char request;		/* enum control_request */
	unsigned char version;		/* CONTROL_VERSION, if a file comes */
	/* Of CONTROL_LIVE. */
	unsigned char order;		/* enum order: how rows are sorted */
	unsigned char table;		/* enum table, of the row */
	unsigned char has_row;		/* 1: the stacks of `row` too */
	unsigned char part;		/* of CONTROL_PAGES: enum pages_part */
	uint32_t rows;			/* of each table at most */
	uint32_t row;
	uint64_t from;			/* of CONTROL_PAGES: a pfn, or a row */
	char sections[PATH_BYTES];	/* or the name of the phase */
	int file;			/* not a byte of the message; -1 */
};
#define CONTROL_BYTES offsetof(struct control_message, file)

/* Has it 1 to PHASE_NAME_BYTES - 1 bytes of ASCII, without blanks? */
int phase_is_name(const char *name);

/* A nonblocking socket for either end, or -errno. */
int control_socket(void);

/* Opens the lock file in the tracefs that is mounted here; or -errno. */
int control_open_lock(int flags);

/* Takes the lock for this process. `number`: the descriptor of the socket's
 * file, or -1. The lock ends when this process closes any descriptor of the
 * lock file. -EEXIST: a tracer runs, with pid *other, or 0 if the tracer is in
 * a pid namespace that cannot be seen from here. -EADDRINUSE: process *other,
 * which may only read the file, has a lock that conflicts. -EOPNOTSUPP: the
 * kernel has no locks. */
int control_take_lock(int lock_fd, int number, pid_t *other);

/* Finds the holder of the lock and the number of its socket's file.
 * -ECONNREFUSED: nobody holds it. -ESRCH: the holder cannot be seen from here.
 * -EOPNOTSUPP: the holder has no socket, or the kernel has no locks. */
int control_find(int lock_fd, pid_t *pid, int *number);

/* Finds the process at the other end: 0; -EPERM: the process is not root's;
 * -ENOTCONN: nobody is connected. */
int control_peer(int fd, pid_t *pid);

/*
 * --- given
 *
 * The file that a client passes to the tracer, for the account as it is now.
 *
 * The file is a memfd of fixed size whose pages the client has allocated
 * already, so that a write takes no memory and waits neither for the reader,
 * who may be stopped, nor for a disk. Seals keep the size fixed. Only root
 * reaches the socket; a root that passes a worse file, such as one with holes,
 * can make the tracer allocate its pages, up to GIVEN_BYTES_MAX.
 */

#define GIVEN_BYTES_MIN 4096u
#define GIVEN_BYTES_MAX (1u << 20)

/* The client's end: a file of so many zeros, or -errno; -ENOSYS: the kernel has
 * no memfd. *text is its content, which is locked in memory if that is
 * allowed. */
int given_make(size_t bytes, const char **text);

/* Sends bytes with a file (-1: none), and receives them. Both return the number
 * of bytes, or -1. */
ssize_t given_send(int socket, const void *bytes, size_t len, int file);
ssize_t given_receive(int socket, void *bytes, size_t size, int *file);

/* The tracer's end: 0 and the size of a file that the tracer may write, or
 * -EBADF. */
int given_check(int file, uint64_t *bytes);

/*
 * --- page table
 *
 * The tracer's table of pages, in the form for a client that compares it page
 * by page (memstrack report --check).
 *
 * The client sends CONTROL_PAGES and a file of its own (section given). The
 * tracer writes a struct pages_head at the start of the file, and rows behind
 * it. A machine has millions of pages, and the
 * tracer must keep draining its rings. So one answer has a part of a table, the
 * head has the start of the next part, and the client asks again. An owner that
 * holds a page keeps its row, so the rows of owners may be read after the runs
 * of pages.
 *
 * Both ends run on one machine: numbers are in native byte order.
 */

/* To be raised when one of these structs changes. */
#define PAGES_VERSION 1u

/* The most that one answer has: pages looked at (30,000 take a millisecond, in
 * a hash), and rows of owners. */
#define PAGES_AT_ONCE (1u << 16)
#define OWNERS_AT_ONCE (1u << 13)

enum pages_part {
	PAGES_HEAD,		/* no rows */
	PAGES_RUNS,		/* struct pages_run, by page frame number */
	PAGES_OWNERS,		/* struct pages_owner, from row 0 */
	PAGES_MODULES,		/* names of MODULE_NAME_BYTES, from row 0 */
};

#define PAGES_END UINT64_MAX

struct pages_head {
	uint32_t version, count;	/* rows that follow */
	uint64_t next;			/* `from` of the next part */
	uint64_t start_ns, now_ns;	/* start: from here on each event was
					 * seen; now: the last drain; the table
					 * has all up to now_ns, no later */
	uint64_t held_pages, untracked_pages, lost;
	uint32_t owners, modules;	/* most rows of their tables */
	uint32_t no_pages;		/* 1: this tracer samples */
	uint32_t page_size;
	uint32_t ranges, reserved;	/* of RAM, sorted and apart */
	struct pages_range {
		uint64_t first_pfn, pages;
	} range[RAM_RANGES_MAX];
};

/* Neighbouring pages of one owner; `owner` is its row + 1. */
struct pages_run {
	uint64_t pfn;
	uint32_t pages, owner;
};

#define PAGES_IRQ	1u	/* in an interrupt: no task */
#define PAGES_NO_TASK	2u	/* the task has no row, or no more */
#define PAGES_NO_CHAIN	4u
#define PAGES_LOADING	8u	/* no frame is in the module: it was loading */
#define PAGES_CODE_GONE	16u	/* the module's innermost frame is in code that
				 * is gone: another may be at its address now */

struct pages_owner {
	uint32_t tgid, module, flags;	/* module: its row */
};

/* --- listen: the tracer's end of the control socket: see control.h */

/* What the tracer's loop watches: control_watch(). */
#define CONTROL_WATCHED 2

struct control_door {
	int listener;			/* -1: none */
	int silent;			/* connected, no request yet; or -1 */
	int64_t silent_until_ms;
};

/* A listening socket (nonblocking, close-on-exec), or -errno. Other descriptors
 * that the socket needs stay open until the process exits. -EEXIST: a tracer
 * runs, with pid *other_pid, or 0 if the tracer is in a pid namespace that
 * cannot be seen from here. -EADDRINUSE: a process that is not a tracer has a
 * lock that conflicts; *other_pid is its pid, or 0 if the pid is not known. */
int control_listen(pid_t *other_pid);

/* Accepts one client or reads its request, without waiting. Returns the
 * client's nonblocking descriptor, and the request, with an end byte after the
 * sections; the caller must then close m->file. -EAGAIN: no client, a client
 * that has sent nothing yet, or a client whose request was not valid and was
 * answered; -EPERM: a client that is not root's was refused. */
int control_accept(struct control_door *d, struct control_message *m);

/* When one of these is readable, control_accept() has something to do. It must
 * also be called now and then, to give up a client that stays silent. */
void control_watch(const struct control_door *d,
		   struct pollfd set[CONTROL_WATCHED]);

/* control_answer() sends the answer and closes the descriptor. control_grant()
 * sends 0 and leaves the descriptor open for the text of the sections. */
void control_answer(int client, int error);
void control_grant(int client);

/* Answers a client that switches the root: the final figures are taken, and
 * control_answer() will follow when the report is written. The client waits for
 * that second answer at most so many seconds. */
void control_promise(int client, unsigned int seconds);

/* --- reach: the way to the tracer: see reach.c */

/* How long a connect may take when no deadline of the caller applies. */
#define REACH_TIMEOUT_MS 1000

/* The tracer's pid, and the number of its socket's file; 0: not known. */
struct control_way {
	pid_t pid;
	int number;
};

/* A socket connected to the tracer, and the way there, or -errno: see
 * control_ask(). Takes the way of the last time if the same tracer still runs:
 * a child process for each request would be a task in the account. `deadline`:
 * see base/system.h, clock. */
int control_reach(struct control_way *way, int64_t deadline);

/* --- ask: the client's end of the control socket: see control.h */

/* Connects and sends the message with its file. Returns a descriptor from which
 * the answer can be read later; -ECONNREFUSED: no tracer runs; -ESRCH: the
 * tracer is in a pid namespace that cannot be seen from here; -EPERM: this
 * process may not ask; -ETIMEDOUT. */
int control_send(struct control_way *way, const struct control_message *m,
		 int64_t deadline);

/* The same, and waits for the answer, up to timeout_ms in all, also for room in
 * the backlog. Returns a descriptor when the report or the file is written, or
 * when the text of the sections can be read from the descriptor; an error as
 * above; -EAGAIN: there was no room until the end; or the tracer's own
 * -errno. */
int control_ask(struct control_way *way, const struct control_message *m,
		int timeout_ms);

/* The same for a request without a file, of a client that asks once. */
int control_ask_once(enum control_request request, const char *sections,
		     int timeout_ms);

/* The words for an error of these functions. */
const char *control_why(int error);

/*
 * --- client
 *
 * Requests to a tracer that runs already. Functions return exit statuses.
 */

/* Asks for a report, which the tracer writes where it writes all its
 * reports. */
int client_report(void);

/* Tells the tracer that a phase of the boot begins. */
int client_phase(const char *name);

/* Waits for SIGINT or SIGTERM, which would end tracing, and then prints
 * sections of a report to our own output. The report covers the time since that
 * tracer began. */
int client_sections(const struct config *c, struct sink *sink);

#endif
