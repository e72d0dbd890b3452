/* SPDX-License-Identifier: MIT */
/* A file that a client gives to the tracer: see control.h, given. */
#include <errno.h>
#include <linux/memfd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/system.h"
#include "control/control.h"

/* Of <linux/fcntl.h>, which the C library's <fcntl.h> has too. */
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
	/* Not CMSG_SPACE: its padding would have room for a second one. */
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

/* Zeros that were written make pages; a file that was only made longer has
 * none. Swap is the one way to lose them again, so they are locked. */
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
