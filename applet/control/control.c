/*
 * The control socket: see control.h.
 *
 * A client that has connected but not yet said what it wants is common, not
 * rare: connect() wakes the tracer, which has the higher priority. Giving it
 * up would lose the request, keeping it would need a table of the half-said;
 * so the tracer waits CONTROL_WAIT_MS for the byte, and only for root, whose
 * uid is known before. Anybody else is answered EPERM at once.
 *
 * System calls are made directly (system.h): the C library's functions for
 * sockets serve kernels before 4.3 and cancellation too, in 300 bytes.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "config/sections.h"
#include "control/control.h"
#include "base/clock.h"
#include "limits.h"
#include "base/print.h"

#define CONTROL_WAIT_MS 100
#define CONTROL_RETRY_MS 10
#define CONTROL_BACKLOG 64

/* sockaddr_un, as long as it is used. Abstract: the path begins with NUL, and
 * every byte counted is the name. */
static const struct {
	sa_family_t family;
	char path[10];
} address = { AF_UNIX, "\0memstrack" };

/* A socket that listens under the name or is connected to it, or -errno.
 * Connecting does not wait: a full backlog is EAGAIN. */
static int open_socket(int listening)
{
	int fd = (int)syscall(SYS_socket, AF_UNIX,
			      SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err;

	if (fd < 0)
		return -errno;
	err = (int)syscall(listening ? SYS_bind : SYS_connect, fd, &address,
			   sizeof(address));
	if (!err && listening)
		err = (int)syscall(SYS_listen, fd, CONTROL_BACKLOG);
	if (!err)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Who is at the other end: 0, or -EPERM if not root, or -errno. */
static int peer(int fd, pid_t *pid)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return -errno;
	*pid = cred.pid;
	return cred.uid ? -EPERM : 0;
}

/* Connected to who listens and is root's, or -errno. *pid where it is known,
 * even when that is somebody else. */
static int connect_listener(pid_t *pid)
{
	int fd = open_socket(0);
	int err;

	if (fd < 0)
		return fd;
	err = peer(fd, pid);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int control_listen(pid_t *other_pid)
{
	int fd = open_socket(1);
	int other;

	*other_pid = 0;
	if (fd != -EADDRINUSE)
		return fd;
	other = connect_listener(other_pid);
	if (other >= 0) {
		close(other);
		return -EEXIST;
	}
	/* Its owner may have gone between the two. */
	return other == -ECONNREFUSED ? open_socket(1) : -EADDRINUSE;
}

/* 0 when what the client asks is known, or what to answer. */
static int read_request(int fd, struct control_message *m)
{
	pid_t pid;
	int err = peer(fd, &pid);
	ssize_t len;

	if (err)
		return err;
	if (deadline_wait_readable(fd, deadline_after(CONTROL_WAIT_MS)))
		return -EAGAIN;
	len = read(fd, m, sizeof(*m));
	if (len <= 0)
		return -EAGAIN;
	m->sections[len < (ssize_t)sizeof(*m) ? len - 1 : PATH_BYTES - 1] = 0;
	if (m->request && m->request <= CONTROL_SECTIONS)
		return sections_check(m->sections) ? -EINVAL : 0;
	return m->request == CONTROL_REPORT ||
	       m->request == CONTROL_SWITCH_ROOT ? 0 : -EINVAL;
}

/* Nothing here is executed from the tracer, so the descriptor need not close
 * itself; and nothing reads or writes where it could wait. */
int control_accept(int listener, struct control_message *m)
{
	int fd = (int)syscall(SYS_accept4, listener, NULL, NULL,
			      SOCK_NONBLOCK);
	int err;

	if (fd < 0)
		return -EAGAIN;
	err = read_request(fd, m);
	if (!err)
		return fd;
	control_answer(fd, err);
	return err == -EPERM ? err : -EAGAIN;
}

/* The other end may have gone, with nobody left to be told. */
static void send_bytes(int fd, const void *bytes, size_t len, int flags)
{
	syscall(SYS_sendto, fd, bytes, len, flags | MSG_NOSIGNAL, NULL, 0);
}

static void send_answer(int client, int error)
{
	const unsigned char byte = (unsigned char)(error < 0 ? -error : error);

	send_bytes(client, &byte, 1, MSG_DONTWAIT);
}

void control_answer(int client, int error)
{
	send_answer(client, error);
	close(client);
}

void control_grant(int client)
{
	send_answer(client, 0);
}

static int ask(const struct control_message *m, size_t len, int64_t deadline)
{
	unsigned char answer;
	pid_t pid;
	int fd = connect_listener(&pid);
	int err;

	if (fd < 0)
		return fd;
	/* A tracer that refuses answers without reading, and then the send
	 * fails with the answer waiting. */
	send_bytes(fd, m, len, 0);
	err = deadline_wait_readable(fd, deadline);
	if (!err)
		err = read(fd, &answer, 1) == 1 ? -(int)answer : -ECONNRESET;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Strangers may fill the backlog, and a client that did not run for
 * CONTROL_WAIT_MS is given up: nothing was done for it then. */
int control_ask(enum control_request request, const char *sections,
		int timeout_ms)
{
	const int64_t deadline = deadline_after(timeout_ms);
	struct control_message m;
	const size_t len = 1 + print_to(m.sections, PATH_BYTES, "%s",
					sections);
	int err;

	m.request = (unsigned char)request;
	for (;;) {
		err = ask(&m, len, deadline);
		if (err != -EAGAIN || !deadline_left_ms(deadline))
			return err;
		poll(NULL, 0, CONTROL_RETRY_MS);
	}
}
