/* SPDX-License-Identifier: MIT */
/* What both ends of the control socket share: see control.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
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

/* A lock of length 0 covers the whole file: a process without a socket takes
 * that lock. */
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
		l = wanted;		/* meanwhile the holder has exited */
	}
	return 0;
}

/* Asks for a read lock, which conflicts only with a write lock. */
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

int phase_is_name(const char *name)
{
	size_t len = 0;

	while (len < PHASE_NAME_BYTES && name[len] > ' ' && name[len] < 127)
		len++;
	return len && len < PHASE_NAME_BYTES && !name[len];
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

/* --- given: a file that a client passes to the tracer */

/* From <linux/fcntl.h>, which conflicts with the C library's <fcntl.h>. */
#ifndef F_GET_SEALS
#define F_ADD_SEALS 1033
#define F_GET_SEALS 1034
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW 4
#endif
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

union rights {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

static struct msghdr message_of(struct iovec *part, union rights *rights)
{
	memset(rights, 0, sizeof(*rights));
	/* Not CMSG_SPACE: its padding would have room for a second
	 * descriptor. */
	return (struct msghdr){
		.msg_iov = part, .msg_iovlen = 1,
		.msg_control = rights, .msg_controllen = CMSG_LEN(sizeof(int)),
	};
}

ssize_t given_send(int socket, const void *bytes, size_t len, int file)
{
	struct iovec part = { (void *)bytes, len };
	union rights rights;
	struct msghdr m = message_of(&part, &rights);

	if (file < 0)
		m.msg_controllen = 0;
	rights.header.cmsg_level = SOL_SOCKET;
	rights.header.cmsg_type = SCM_RIGHTS;
	rights.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&rights.header), &file, sizeof(file));
	return system_send(socket, &m, MSG_NOSIGNAL);
}

ssize_t given_receive(int socket, void *bytes, size_t size, int *file)
{
	struct iovec part = { bytes, size };
	union rights rights;
	struct msghdr m = message_of(&part, &rights);
	ssize_t len = system_receive(socket, &m,
				     MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*file = -1;
	if (len >= 0 && m.msg_controllen >= CMSG_LEN(sizeof(int)) &&
	    rights.header.cmsg_level == SOL_SOCKET &&
	    rights.header.cmsg_type == SCM_RIGHTS)
		memcpy(file, CMSG_DATA(&rights.header), sizeof(*file));
	return len;
}

/* Writing zeros allocates the pages; extending the file would not. Only swap
 * could take the pages away again, so they are locked. */
static int make_pages(int fd, size_t bytes, const char **text)
{
	const char zeros[512] = { 0 };
	void *map;

	for (size_t at = 0; at < bytes; at += sizeof(zeros))
		if (write(fd, zeros, sizeof(zeros)) != sizeof(zeros))
			return -ENOMEM;
	if (system_fcntl(fd, F_ADD_SEALS, SEALS))
		return -errno;
	map = system_map(bytes, MAP_SHARED | MAP_POPULATE, fd);
	if (map == MAP_FAILED)
		return -errno;
	syscall(SYS_mlock, map, bytes);
	*text = map;
	return 0;
}

int given_make(size_t bytes, const char **text)
{
	int fd = (int)syscall(SYS_memfd_create, "memstrack",
			      (long)(MFD_CLOEXEC | MFD_ALLOW_SEALING));
	int error;

	if (fd < 0)
		return -errno;
	error = make_pages(fd, bytes, text);
	if (!error)
		return fd;
	close(fd);
	return error;
}

int given_check(int file, uint64_t *bytes)
{
	const int seals = file < 0 ? -1 : system_fcntl(file, F_GET_SEALS, 0);
	struct stat st;
	off_t size;

	if (seals < 0 || (seals & SEALS) != SEALS ||
	    system_stat(file, "", &st) || !S_ISREG(st.st_mode))
		return -EBADF;
	size = lseek(file, 0, SEEK_END);
	if (size < (off_t)GIVEN_BYTES_MIN || size > (off_t)GIVEN_BYTES_MAX)
		return -EBADF;
	*bytes = (uint64_t)size;
	return 0;
}
