/* SPDX-License-Identifier: MIT */
/*
 * intruder ask PID BYTE: asks the tracer PID in every way that anybody could
 * try: by the name that its socket once had in the abstract namespace, and by
 * each of its descriptors. Prints the byte of its answer, or -1 where no way
 * leads there.
 *
 * intruder flood PID: connects as often as it can and says nothing, with as
 * many connections open as it may have, until its input ends. A way that leads
 * there is kept to. Prints a line after its first tries, and in the end how
 * often it has tried and how often it came through.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define OPEN 512
#define FIRST 2000
#define WAYS 65

/* A descriptor, or -1. */
static int reach(const char *pid, int way, int flags)
{
	static const char name[] = "memstrack";
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(a);
	int error, fd = socket(AF_UNIX, SOCK_STREAM | flags, 0);

	if (way) {
		snprintf(a.sun_path, sizeof(a.sun_path), "/proc/%s/fd/%d", pid,
			 way - 1);
	} else {
		memcpy(a.sun_path + 1, name, sizeof(name) - 1);
		len = offsetof(struct sockaddr_un, sun_path) + sizeof(name);
	}
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&a, len))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int ask(const char *pid, char byte)
{
	unsigned char answer;
	int fd = -1;

	for (int way = 0; way < WAYS && fd < 0; way++)
		fd = reach(pid, way, 0);
	/* Who is refused may find the other end closed already. */
	send(fd, &byte, 1, MSG_NOSIGNAL);
	printf("%d\n", read(fd, &answer, 1) == 1 ? answer : -1);
	return 0;
}

static int has_ended(int fd)
{
	char byte;

	return read(fd, &byte, 1) == 0;
}

static int flood(const char *pid)
{
	unsigned long tried = 0, through = 0;
	static int open[OPEN];
	int way = 0;

	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	for (; tried < FIRST || !has_ended(STDIN_FILENO); tried++) {
		int *fd = &open[tried % OPEN];

		if (tried == FIRST)
			puts("floods"), fflush(stdout);
		if (*fd > 0)
			close(*fd);
		*fd = reach(pid, way, SOCK_NONBLOCK);
		through += *fd >= 0;
		if (*fd < 0 && errno != EAGAIN)
			way = (way + 1) % WAYS;
	}
	printf("%lu tries, %lu through\n", tried, through);
	return 0;
}

int main(int argc, char *argv[])
{
	if (argc == 3 && !strcmp(argv[1], "flood"))
		return flood(argv[2]);
	return argc == 4 ? ask(argv[2], argv[3][0]) : 2;
}
