/* SPDX-License-Identifier: MIT */
/* What both ends of the control socket share: see control.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include "base/base.h"
#include "base/system.h"
#include "control/control.h"

int control_open_lock(int flags)
{
	int fd = system_open_path("/sys/kernel/tracing/" CONTROL_LOCK, flags);

	if (fd < 0)
		fd = system_open_path("/sys/kernel/debug/tracing/" CONTROL_LOCK,
				      flags);
	return fd < 0 ? -errno : fd;
}

int control_socket(void)
{
	const int fd = system_socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC |
				     SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

/* A lock of length 0 covers all of the file: a process without a socket takes
 * it. */
int control_take_lock(int lock_fd, int number, pid_t *other)
{
	const struct flock wanted = { .l_type = F_WRLCK, .l_len = number + 1 };
	struct flock l = wanted;

	while (system_fcntl(lock_fd, F_SETLK, (long)&l)) {
		if (errno == EACCES)	/* CONFIG_FILE_LOCKING is not set */
			return -EOPNOTSUPP;
		if (errno != EAGAIN || system_fcntl(lock_fd, F_GETLK, (long)&l))
			return -errno;
		*other = l.l_pid;
		if (l.l_type == F_WRLCK)
			return -EEXIST;
		if (l.l_type == F_RDLCK)
			return -EADDRINUSE;
		l = wanted;		/* the holder has gone meanwhile */
	}
	return 0;
}

/* Asks for a read lock: only a write lock conflicts with it. */
int control_find(int lock_fd, pid_t *pid, int *number)
{
	struct flock l = { .l_type = F_RDLCK };

	if (system_fcntl(lock_fd, F_GETLK, (long)&l))
		return errno == EINVAL ? -EOPNOTSUPP : -errno;
	if (l.l_type == F_UNLCK)
		return -ECONNREFUSED;
	if (l.l_pid <= 0)
		return -ESRCH;
	*pid = l.l_pid;
	*number = (int)l.l_len - 1;
	return l.l_len ? 0 : -EOPNOTSUPP;
}

int control_peer(int fd, pid_t *pid)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return -errno;
	*pid = cred.pid;
	if (cred.uid == (uid_t)-1)
		return -ENOTCONN;
	return cred.uid ? -EPERM : 0;
}
