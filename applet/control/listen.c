/* SPDX-License-Identifier: MIT */
/*
 * The tracer's end of the control socket: see control.h, listen.
 *
 * Often a client has connected but not yet sent its request: connect() wakes
 * the tracer, which has the higher priority. Waiting would stop the trace for a
 * client that is stopped; dropping the client would make it come again and
 * again. So one silent client is kept, if it is root's, and watched like the
 * rings. The silent client is asked to come again (EAGAIN) when the next client
 * connects, or after SILENT_MS. Clients that are not root's get EPERM at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "config/config.h"
#include "control/control.h"

#define SILENT_MS 1000
#define CONTROL_BACKLOG 64

/* Binds the socket to a file that only root may use, and removes the file's
 * name again. Returns a descriptor of the file, which is all that remains, or
 * -errno. */
static int bind_nameless(int fd)
{
	static const char *const dirs[] = { "/dev", "/run", "/tmp" };
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const mode_t mask = umask(0177);
	int bound = 0, file = -1;

	for (unsigned int i = 0; i < ARRAY_LEN(dirs) && !bound; i++) {
		print_to(a.sun_path, sizeof(a.sun_path), "%s/.memstrack-%d",
			 dirs[i], (int)getpid());
		bound = !bind(fd, (struct sockaddr *)&a, sizeof(a));
	}
	if (bound) {
		file = system_open_path(a.sun_path, O_PATH | O_NOFOLLOW);
		unlink(a.sun_path);
	}
	umask(mask);
	return file < 0 ? -errno : file;
}

/* A listening socket, with the descriptor of its file in *file; or -errno, and
 * -1 in *file. */
static int open_listener(int *file)
{
	const int fd = control_socket();
	int error;

	*file = -1;
	if (fd < 0)
		return fd;
	*file = bind_nameless(fd);
	if (*file >= 0 && !listen(fd, CONTROL_BACKLOG))
		return fd;
	error = *file < 0 ? *file : -errno;
	close(*file);
	close(fd);
	*file = -1;
	return error;
}

/* If no tracefs is mounted here, another tracer may have mounted one for
 * itself. */
static int another_traces(pid_t *pid)
{
	struct control_way way = { 0 };
	int fd = control_reach(&way, deadline_after(REACH_TIMEOUT_MS));

	if (fd < 0)
		return -ENOENT;
	close(fd);
	*pid = way.pid;
	return -EEXIST;
}

/* Though tracefs is mounted here, another tracer may have started where it was
 * not: that tracer has the lock of sysfs. */
static int another_in_sysfs(pid_t *pid)
{
	const int lock = system_open_path("/sys/" CONTROL_LOCK_SYSFS, O_RDONLY);
	int number;
	const int error = lock < 0 ? lock : control_find(lock, pid, &number);

	close(lock);
	return !error || error == -ESRCH ? -EEXIST : 0;
}

/* The socket is made before the lock is taken, because a client that finds the
 * lock connects at once. */
int control_listen(pid_t *other_pid)
{
	int file, fd = open_listener(&file);
	int lock = control_open_lock(O_RDWR);
	int error;

	*other_pid = 0;
	error = lock < 0 ? another_traces(other_pid) :
			   another_in_sysfs(other_pid);
	if (error == -ENOENT)
		lock = system_open_path("/sys/" CONTROL_LOCK_SYSFS, O_RDWR);
	if (lock >= 0 && error != -EEXIST)
		error = control_take_lock(lock, file, other_pid);
	if (!error)
		return fd;
	close(lock);
	close(file);
	close(fd);
	return error;
}

static int takes_file(const struct control_message *m)
{
	return has_feature(FEATURE_LIVE) && (m->request == CONTROL_LIVE ||
					     m->request == CONTROL_PAGES);
}

/* 0 when the request is valid, or the errno to answer. */
static int check(const struct control_message *m)
{
	uint64_t bytes;

	if (takes_file(m))
		return m->version != CONTROL_VERSION ? -EPROTO :
		       given_check(m->file, &bytes);
	if (has_feature(FEATURE_SECTIONS) && m->request &&
	    m->request <= CONTROL_SECTIONS)
		return sections_check(m->sections) ? -EINVAL : 0;
	if (m->request == CONTROL_PHASE)
		return phase_is_name(m->sections) ? 0 : -EINVAL;
	return m->request == CONTROL_REPORT ||
	       m->request == CONTROL_SWITCH_ROOT ? 0 : -EINVAL;
}

/* The same; -EINPROGRESS: nothing has come yet. */
static int read_request(int fd, struct control_message *m)
{
	ssize_t len;

	memset(m, 0, CONTROL_BYTES);
	len = given_receive(fd, m, CONTROL_BYTES, &m->file);
	m->sections[PATH_BYTES - 1] = '\0';
	if (len < 0 && errno == EAGAIN)
		return -EINPROGRESS;
	return len <= 0 ? -EAGAIN : check(m);
}

/* The silent client's request; returns as control_accept() does. */
static int hear_silent(struct control_door *d, struct control_message *m)
{
	const int fd = d->silent;
	int err = read_request(fd, m);

	if (err == -EINPROGRESS && deadline_left_ms(d->silent_until_ms))
		return -EAGAIN;
	d->silent = -1;
	if (m->file >= 0 && (err || !takes_file(m))) {
		close(m->file);
		m->file = -1;
	}
	if (!err)
		return fd;
	control_answer(fd, err == -EINPROGRESS ? -EAGAIN : err);
	return -EAGAIN;
}

/* accept4(2) allocates memory for a client before it looks whether one has
 * come, and may block where memory has run out. */
static int has_come(int listener)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };

	return poll(&p, 1, 0) != 0;
}

/* The tracer executes nothing, so the descriptor need not be close-on-exec. No
 * read or write here may block. The silent client comes first, so that its
 * request is not lost to the next client. */
int control_accept(struct control_door *d, struct control_message *m)
{
	int fd = d->silent < 0 ? -EAGAIN : hear_silent(d, m);
	pid_t pid;
	int err;

	if (fd >= 0)
		return fd;
	if (!has_come(d->listener))
		return -EAGAIN;
	fd = system_accept(d->listener);
	if (fd < 0)
		return -EAGAIN;
	err = control_peer(fd, &pid);
	if (err) {
		control_answer(fd, err);
		return err == -EPERM ? err : -EAGAIN;
	}
	if (d->silent >= 0)
		control_answer(d->silent, EAGAIN);
	d->silent = fd;
	d->silent_until_ms = deadline_after(SILENT_MS);
	return hear_silent(d, m);
}

void control_watch(const struct control_door *d,
		   struct pollfd set[CONTROL_WATCHED])
{
	set[0] = (struct pollfd){ .fd = d->listener, .events = POLLIN };
	set[1] = (struct pollfd){ .fd = d->silent, .events = POLLIN };
}

/* Errors are ignored: the other end may have gone. */
void control_grant(int client)
{
	send(client, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void control_promise(int client, unsigned int seconds)
{
	const unsigned char bytes[2] = { 0, (unsigned char)seconds };

	send(client, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void control_answer(int client, int error)
{
	const unsigned char byte = (unsigned char)(error < 0 ? -error : error);

	send(client, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(client);
}
