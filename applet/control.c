/*
 * The control socket: see control.h.
 *
 * A client that has connected but not yet said what it wants is common, not
 * rare: connect() wakes the tracer, which has the higher priority. Giving it
 * up would lose the request, keeping it would need a table of the half-said;
 * so the tracer waits CONTROL_WAIT_MS for the byte, and only for root, whose
 * uid is known before. Anybody else is answered EPERM at once.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include "control.h"
#include "deadline.h"

#define CONTROL_WAIT_MS 100
#define CONTROL_BACKLOG 8
#define CONTROL_FLAGS (SOCK_STREAM | SOCK_CLOEXEC)

static const char name[] = "memstrack";

/* Abstract: sun_path begins with NUL, and every byte counted is the name. */
static socklen_t address(struct sockaddr_un *a)
{
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	memcpy(a->sun_path + 1, name, sizeof(name) - 1);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
			   sizeof(name));
}

/* Who is at the other end: 0, or -EPERM if not root, or -errno. */
static int peer(int fd, pid_t *pid)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return -errno;
	*pid = cred.pid;
	return cred.uid ? -EPERM : 0;
}

/* Connected to who listens and is root's, or -errno. *pid where it is known,
 * even when that is somebody else. */
static int connect_listener(int flags, int timeout_ms, pid_t *pid)
{
	struct timeval timeout = {
		.tv_sec = timeout_ms / 1000,
		.tv_usec = (timeout_ms % 1000) * 1000,
	};
	struct sockaddr_un a;
	socklen_t len = address(&a);
	int fd = socket(AF_UNIX, CONTROL_FLAGS | flags, 0);
	int err;

	if (fd < 0)
		return -errno;
	/* A full backlog is waited for, but not for ever. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	err = connect(fd, (struct sockaddr *)&a, len) ? -errno : peer(fd, pid);
	if (!err)
		return fd;
	close(fd);
	return err == -EAGAIN ? -ETIMEDOUT : err;
}

static int bind_listener(void)
{
	struct sockaddr_un a;
	socklen_t len = address(&a);
	int fd = socket(AF_UNIX, CONTROL_FLAGS | SOCK_NONBLOCK, 0);
	int err;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&a, len) &&
	    !listen(fd, CONTROL_BACKLOG))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int control_listen(pid_t *other_pid)
{
	int fd = bind_listener();
	int other;

	*other_pid = 0;
	if (fd != -EADDRINUSE)
		return fd;
	other = connect_listener(SOCK_NONBLOCK, 0, other_pid);
	if (other >= 0) {
		close(other);
		return -EEXIST;
	}
	/* Its owner may have gone between the two. */
	return other == -ECONNREFUSED ? bind_listener() : -EADDRINUSE;
}

int control_accept(int listener, enum control_request *request)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	unsigned char byte = 0;
	pid_t pid;
	int err;

	if (fd < 0)
		return errno == EINTR || errno == ECONNABORTED ? -EAGAIN :
			-errno;
	err = peer(fd, &pid);
	if (err) {
		control_answer(fd, err);
		return err;
	}
	err = deadline_wait_readable(fd, deadline_after(CONTROL_WAIT_MS));
	if (err || read(fd, &byte, 1) != 1) {
		close(fd);
		return -EAGAIN;
	}
	if (byte != CONTROL_REPORT && byte != CONTROL_SWITCH_ROOT) {
		control_answer(fd, EINVAL);
		return -EAGAIN;
	}
	*request = (enum control_request)byte;
	return fd;
}

/* The client may have gone, with nobody left to be told. */
void control_answer(int client, int error)
{
	unsigned char byte = (unsigned char)(error < 0 ? -error : error);

	if (send(client, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		byte = 0;
	close(client);
}

int control_ask(enum control_request request, int timeout_ms)
{
	int64_t deadline_ms = deadline_after(timeout_ms);
	unsigned char byte = (unsigned char)request;
	ssize_t n;
	pid_t pid;
	int fd = connect_listener(0, timeout_ms, &pid);
	int err;

	if (fd < 0)
		return fd;
	/* A tracer that refuses answers without reading, and then the send
	 * fails with the answer waiting. */
	send(fd, &byte, 1, MSG_NOSIGNAL);
	err = deadline_wait_readable(fd, deadline_ms);
	if (!err) {
		n = read(fd, &byte, 1);
		err = n == 1 ? -(int)byte : n < 0 ? -errno : -ECONNRESET;
	}
	close(fd);
	return err;
}
